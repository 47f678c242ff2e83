//! `stats`: how much was done over time.

use crate::Found;
use crate::args::{StatsArgs, TimeArgs};
use crate::command::{filter, refresh};
use crate::output::{json, notes, width};
use anyhow::Result;
use jiff::Zoned;
use session_config::{CalendarRange, Home};
use session_output::{Calendar, format_nothing_counted};
use session_report::count_by_day;
use std::io::Write;

/// Runs the command.
///
/// # Errors
/// When the index fails.
pub fn run(args: &StatsArgs) -> Result<Found> {
    let range = time(args).range(Zoned::now)?;
    let home = Home::from_process()?;
    let fresh = refresh::index(&home)?;
    let now = Zoned::now();
    let earliest = fresh
        .all
        .iter()
        .filter_map(|session| session.started_ms)
        .min();
    let earliest = earliest.unwrap_or(now.timestamp().as_millisecond());
    let days = CalendarRange::new(range, earliest, &now)?.days()?;
    let wanted = filter::matches_project(args.project.as_deref());
    let (dates, ranges): (Vec<_>, Vec<_>) = days
        .into_iter()
        .map(|day| (day.date, day.milliseconds))
        .unzip();
    let counted = count_by_day(&fresh.index, &fresh.all, &ranges, wanted)?;
    let calendar = Calendar::new(dates, counted);
    if args.json {
        json::print(&calendar.json(fresh.is_complete))?;
    }
    if calendar.is_empty() {
        let project = filter::named_project(args.project.as_deref());
        let nothing = || format_nothing_counted(project, last_days(args));
        let text = fresh.no_history(&home).unwrap_or_else(nothing);
        writeln!(notes::stderr(), "{text}")?;
        return Ok(Found::Nothing);
    }
    if !args.json {
        write!(anstream::stdout(), "{}", calendar.text(width()))?;
    }
    Ok(Found::Something)
}

/// Days that are counted where no time is named.
const DEFAULT_DAYS: u32 = 91;

/// The time that is counted.
fn time(args: &StatsArgs) -> TimeArgs {
    match args.time.is_given() {
        true => args.time.clone(),
        false => TimeArgs {
            days: Some(DEFAULT_DAYS),
            ..TimeArgs::default()
        },
    }
}

/// The number of days up to now that are counted, where the time is one.
fn last_days(args: &StatsArgs) -> Option<u32> {
    let time = time(args);
    time.days.filter(|_| time.until.is_none())
}
