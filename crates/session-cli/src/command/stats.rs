//! `stats`: how much was done over time.

use crate::Found;
use crate::args::StatsArgs;
use crate::command::{fresh, search};
use crate::home::Home;
use crate::models::Models;
use crate::output::calendar::Calendar;
use crate::output::{json, layout};
use crate::when::last_days;
use anyhow::Result;
use jiff::Zoned;
use session_report::stats;
use session_search::is_of_project;
use session_store::SessionRow;
use std::io::Write;

/// Runs the command.
///
/// # Errors
/// When the index fails.
pub fn run(args: &StatsArgs) -> Result<Found> {
    let days = last_days(args.days, &Zoned::now())?;
    let home = Home::from_process()?;
    fresh::before_search(&home, &Models::of(&home)?)?;
    let index = home.index()?;
    let all = index.sessions()?;
    let project = args.project.as_deref().map(search::project);
    let wanted = |row: &SessionRow| project.as_ref().is_none_or(|p| is_of_project(row, p));
    let (dates, ranges): (Vec<_>, Vec<_>) = days.into_iter().unzip();
    let counted = stats(&index, &all, &ranges, wanted)?;
    let calendar = Calendar::of(dates, counted);
    if args.json {
        json::print(&calendar.json())?;
    }
    if calendar.is_empty() {
        writeln!(
            anstream::stderr(),
            "no session in the last {} days\nhint: try a greater --days",
            args.days
        )?;
        return Ok(Found::Nothing);
    }
    if !args.json {
        write!(anstream::stdout(), "{}", calendar.text(layout::width()))?;
    }
    Ok(Found::Something)
}
