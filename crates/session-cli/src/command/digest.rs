//! `digest`: what was done, for a stand-up.

use crate::CommandOutcome;
use crate::args::{DigestArgs, DigestFormat};
use crate::command::{filter, refresh};
use crate::output::{json, notes, terminal_width};
use anyhow::Result;
use jiff::Zoned;
use session_config::{CalendarRange, Home};
use session_display::SessionIds;
use session_output::{Digest, NothingDone};
use session_report::{ReportScope, report_projects};
use std::io::{IsTerminal, Write};

/// Runs the command.
///
/// # Errors
/// When the index fails, or the time cannot be read.
pub fn run(args: &DigestArgs) -> Result<CommandOutcome> {
    let range = args.time_args().parse_range(Zoned::now)?;
    let home = Home::from_process()?;
    let fresh = refresh::open_refreshed_index(&home)?;
    let now = Zoned::now();
    let range = CalendarRange::new(range, fresh.earliest_ms(&now), &now)?;
    let includes_root = filter::session_test(&args.filter)?;
    let scope = ReportScope {
        includes_root: &includes_root,
        branch: filter::wanted_branch(&args.filter),
    };
    let report = report_projects(&fresh.index, &fresh.sessions, &range.milliseconds(), scope)?;
    let width = std::io::stdout().is_terminal().then(terminal_width);
    let digest = Digest {
        projects: &report.projects,
        range: &range,
        ids: SessionIds::new(&fresh.sessions),
        width,
    };
    let as_json = args.json || args.format == DigestFormat::Json;
    if as_json {
        json::print(&digest.to_json(fresh.is_complete))?;
    }
    if report.projects.is_empty() {
        let from_ms = range.from.timestamp().as_millisecond();
        let last_ms = scope.last_reported_before(&fresh.index, &fresh.sessions, from_ms)?;
        let project = args.filter.project.as_deref();
        let nothing = || {
            filter::format_unknown_project_named(project, &fresh.sessions).unwrap_or_else(|| {
                digest.format_nothing_done(&NothingDone {
                    unreported_sessions: report.unreported_sessions,
                    is_narrow: filter::non_empty_project(project).is_some()
                        || filter::names_agent_or_branch(&args.filter),
                    last_day: last_ms.and_then(|ms| filter::day_in_zone_of(ms, &range.from)),
                })
            })
        };
        let text = fresh.format_no_history_of(&home).unwrap_or_else(nothing);
        writeln!(notes::open_stderr(), "{text}")?;
        return Ok(CommandOutcome::Nothing);
    }
    if !as_json {
        write!(anstream::stdout(), "{}", digest.format_markdown())?;
    }
    Ok(CommandOutcome::Something)
}
