//! `stats`: how much was done over time.

use crate::Found;
use crate::args::StatsArgs;
use crate::command::{fresh, search};
use crate::home::Home;
use crate::output::calendar::Calendar;
use crate::output::{json, layout, notes};
use crate::when::last_days;
use anyhow::Result;
use jiff::Zoned;
use session_core::text::printable;
use session_report::stats;
use std::io::Write;

/// Runs the command.
///
/// # Errors
/// When the index fails.
pub fn run(args: &StatsArgs) -> Result<Found> {
    let days = last_days(args.days, &Zoned::now())?;
    let home = Home::from_process()?;
    let fresh = fresh::index(&home)?;
    let wanted = search::of_project(args.project.as_deref());
    let (dates, ranges): (Vec<_>, Vec<_>) = days.into_iter().unzip();
    let counted = stats(&fresh.index, &fresh.all, &ranges, wanted)?;
    let calendar = Calendar::of(dates, counted);
    if args.json {
        json::print(&calendar.json(fresh.is_complete))?;
    }
    if calendar.is_empty() {
        let whose = match &args.project {
            Some(project) => format!(" of project `{}`", printable(project)),
            None => String::new(),
        };
        writeln!(
            notes::stderr(),
            "no session{whose} in the last {} days\nhint: try a greater --days{}",
            args.days,
            if whose.is_empty() {
                ""
            } else {
                ", or another --project"
            }
        )?;
        return Ok(Found::Nothing);
    }
    if !args.json {
        write!(anstream::stdout(), "{}", calendar.text(layout::width()))?;
    }
    Ok(Found::Something)
}
