//! `digest`: what was done, for a stand-up.

use crate::CommandOutcome;
use crate::args::DigestArgs;
use crate::output::{self, notes, terminal_width};
use crate::shared::work_history::WorkHistory;
use anyhow::Result;
use session_display::SessionIds;
use session_output::{Digest, DigestDetail, NothingDone};
use session_query::Snapshot;
use session_report::{is_reported, report_projects};
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
        Some(history.explain_no_work(is_reported, |last_day| {
            digest.format_nothing_done(&NothingDone {
                unreported_sessions: report.unreported_sessions,
                is_narrow: history.project().is_some() || history.names_agent_or_branch(),
                last_day,
            })
        })?)
    } else {
        None
    };
    let is_shortened = digest.is_long() && !args.full && !args.brief;
    history.refreshed.note_unread_paths(args.prints_json())?;
    output::print_or_explain(
        missing.as_ref(),
        args.prints_json(),
        |hints| {
            let refreshed = &history.refreshed;
            let detail = match args.brief {
                true => DigestDetail::Brief,
                false => DigestDetail::Full,
            };
            digest.to_json(detail, refreshed.is_complete, refreshed.add_unread(hints))
        },
        || {
            if args.brief || is_shortened {
                digest.format_brief()
            } else {
                digest.format_markdown()
            }
        },
    )?;
    if is_shortened && !args.prints_json() {
        let sessions = digest.count_sessions();
        notes::print_note(format!(
            "a line for each of {sessions} sessions; --full, or a shorter time, has what was asked and came out"
        ))?;
    }
    Ok(CommandOutcome::from_found(missing.is_none()))
}
