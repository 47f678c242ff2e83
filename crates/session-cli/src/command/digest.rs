//! `digest`: what was done, for a stand-up.

use crate::CommandOutcome;
use crate::args::{DigestArgs, DigestFormat};
use crate::command::{filter, refresh};
use crate::output::{json, notes, terminal_width};
use anyhow::Result;
use jiff::Zoned;
use session_config::{CalendarRange, Home};
use session_display::SessionIds;
use session_output::Digest;
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
    let projects = report_projects(&fresh.index, &fresh.sessions, &range.milliseconds(), scope)?;
    let width = std::io::stdout().is_terminal().then(terminal_width);
    let digest = Digest {
        projects: &projects,
        range: &range,
        ids: SessionIds::new(&fresh.sessions),
        width,
    };
    let as_json = args.json || args.format == DigestFormat::Json;
    if as_json {
        json::print(&digest.to_json(fresh.is_complete))?;
    }
    if projects.is_empty() {
        let project = args.filter.project.as_deref();
        let nothing = || {
            filter::format_unknown_project_named(project, &fresh.sessions).unwrap_or_else(|| {
                let is_narrow = filter::non_empty_project(project).is_some()
                    || filter::names_agent_or_branch(&args.filter);
                let last = filter::last_day_before(&scope, &fresh.sessions, &range.from);
                digest.format_nothing_done(is_narrow, last)
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
