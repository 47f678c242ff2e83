//! `digest`: what was done, for a stand-up.

use crate::Found;
use crate::args::{DigestArgs, DigestFormat};
use crate::command::{filter, refresh};
use crate::output::{json, notes, width};
use anyhow::Result;
use jiff::Zoned;
use session_config::{CalendarRange, Home};
use session_output::Digest;
use session_report::report_projects;
use std::io::{IsTerminal, Write};

/// Runs the command.
///
/// # Errors
/// When the index fails, or the time cannot be read.
pub fn run(args: &DigestArgs) -> Result<Found> {
    let range = args.time().range(Zoned::now)?;
    let range = CalendarRange::new(range, 0, &Zoned::now())?;
    let home = Home::from_process()?;
    let fresh = refresh::index(&home)?;
    let wanted = filter::matches_project(args.project.as_deref());
    let projects = report_projects(&fresh.index, &fresh.all, &range.milliseconds(), wanted)?;
    let width = std::io::stdout().is_terminal().then(width);
    let digest = Digest {
        projects: &projects,
        range: &range,
        all: &fresh.all,
        width,
    };
    let as_json = args.json || args.format == DigestFormat::Json;
    if as_json {
        json::print(&digest.json(fresh.is_complete))?;
    }
    if projects.is_empty() {
        let nothing =
            || digest.nothing_done(filter::named_project(args.project.as_deref()).is_some());
        let text = fresh.no_history(&home).unwrap_or_else(nothing);
        writeln!(notes::stderr(), "{text}")?;
        return Ok(Found::Nothing);
    }
    if !as_json {
        write!(anstream::stdout(), "{}", digest.markdown())?;
    }
    Ok(Found::Something)
}
