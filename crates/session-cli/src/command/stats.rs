//! `stats`: how much was done over time.

use crate::Found;
use crate::args::{StatsArgs, TimeArgs};
use crate::command::{filter, refresh};
use crate::output::{json, notes, width};
use anyhow::Result;
use jiff::Zoned;
use session_config::{CalendarRange, Home};
use session_core::text::printable;
use session_output::Calendar;
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
        writeln!(notes::stderr(), "{}", nothing(args))?;
        return Ok(Found::Nothing);
    }
    if !args.json {
        write!(anstream::stdout(), "{}", calendar.text(width()))?;
    }
    Ok(Found::Something)
}

/// Days that are counted where no time is named.
const DAYS: u32 = 91;

/// The time that is counted.
fn time(args: &StatsArgs) -> TimeArgs {
    match args.time.is_given() {
        true => args.time.clone(),
        false => TimeArgs {
            days: Some(DAYS),
            ..TimeArgs::default()
        },
    }
}

fn nothing(args: &StatsArgs) -> String {
    let (whose, other) = match &args.project {
        Some(project) => {
            let whose = format!(" of project `{}`", printable(project));
            (whose, ", or another --project")
        }
        None => (String::new(), ""),
    };
    match time(args) {
        TimeArgs {
            days: Some(days),
            until: None,
            ..
        } => {
            format!("no session{whose} in the last {days} days\nhint: try a greater --days{other}")
        }
        _ => format!("no session{whose} in that time\nhint: try a longer one{other}"),
    }
}
