//! `digest`: what was done, for a stand-up.

use crate::CommandOutcome;
use crate::args::{DigestArgs, DigestFormat};
use crate::command::work_history::WorkHistory;
use crate::output::{self, terminal_width};
use anyhow::Result;
use session_display::SessionIds;
use session_output::{Digest, NothingDone};
use session_query::Snapshot;
use session_report::report_projects;
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
        let last_ms = scope.last_reported_before(index, sessions, history.begin_ms())?;
        let nothing = NothingDone {
            unreported_sessions: report.unreported_sessions,
            is_narrow: history.project().is_some() || history.names_agent_or_branch(),
            last_day: last_ms.and_then(|ms| history.day_of(ms)),
        };
        Some(history.explain_nothing(|| digest.format_nothing_done(&nothing)))
    } else {
        None
    };
    output::print_answer(
        missing.as_deref(),
        args.json || args.format == DigestFormat::Json,
        || digest.to_json(history.refreshed.is_complete),
        || digest.format_markdown(),
    )?;
    Ok(CommandOutcome::from_found(missing.is_none()))
}
