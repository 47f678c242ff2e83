//! `digest`: what was done, for a stand-up.

use crate::CommandOutcome;
use crate::args::{DigestArgs, DigestFormat};
use crate::command::work_history::WorkHistory;
use crate::output::{self, terminal_width};
use anyhow::Result;
use session_display::SessionIds;
use session_output::{Digest, NothingDone};
use session_query::Snapshot;
use session_report::{WorkSummary, report_projects};
use session_store::TurnRecord;
use std::io::IsTerminal;

/// Runs the command.
pub fn run(args: &DigestArgs) -> Result<CommandOutcome> {
    let history = WorkHistory::open(&args.filter, &args.time_args())?;
    let Snapshot { index, sessions } = &history.refreshed.snapshot;
    let (scope, range) = (history.scope(), &history.range);
    let report = report_projects(index, sessions, &range.milliseconds(), scope)?;
    let digest = Digest {
        projects: &report.projects,
        range,
        ids: SessionIds::new(sessions),
        width: std::io::stdout().is_terminal().then(terminal_width),
    };
    let missing = if report.projects.is_empty() {
        Some(history.explain_nothing(is_reported, |last_day| {
            digest.format_nothing_done(&NothingDone {
                unreported_sessions: report.unreported_sessions,
                is_narrow: history.project().is_some() || history.names_agent_or_branch(),
                last_day,
            })
        })?)
    } else {
        None
    };
    output::print_answer(
        missing.as_ref(),
        args.json || args.format == DigestFormat::Json,
        |hints| digest.to_json(history.refreshed.is_complete, hints),
        || digest.format_markdown(),
    )?;
    Ok(CommandOutcome::from_found(missing.is_none()))
}

/// Returns true for a turn of which a digest says something.
fn is_reported(turn: &TurnRecord) -> bool {
    !WorkSummary::from_turns(std::slice::from_ref(turn)).is_empty()
}
