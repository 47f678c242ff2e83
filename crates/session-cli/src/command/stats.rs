//! `stats`: how much was done over time.

use crate::CommandOutcome;
use crate::args::{StatsArgs, TimeArgs};
use crate::command::{filter, refresh};
use crate::output::{json, notes, terminal_width};
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
pub fn run(args: &StatsArgs) -> Result<CommandOutcome> {
    let range = time_args(args).parse_range(Zoned::now)?;
    let home = Home::from_process()?;
    let fresh = refresh::open_refreshed_index(&home)?;
    let now = Zoned::now();
    let days = CalendarRange::new(range, fresh.earliest_ms(&now), &now)?.days()?;
    let wanted = filter::matches_project(args.project.as_deref());
    let (dates, ranges): (Vec<_>, Vec<_>) = days
        .into_iter()
        .map(|day| (day.date, day.milliseconds))
        .unzip();
    let counted = count_by_day(&fresh.index, &fresh.sessions, &ranges, wanted)?;
    let calendar = Calendar::new(dates, counted);
    if args.json {
        json::print(&calendar.to_json(fresh.is_complete))?;
    }
    if calendar.is_empty() {
        let project = filter::non_empty_project(args.project.as_deref());
        let nothing = || {
            filter::format_unknown_project_named(project, &fresh.sessions)
                .unwrap_or_else(|| format_nothing_counted(project, last_days(args)))
        };
        let text = fresh.format_no_history_of(&home).unwrap_or_else(nothing);
        writeln!(notes::open_stderr(), "{text}")?;
        return Ok(CommandOutcome::Nothing);
    }
    if !args.json {
        write!(anstream::stdout(), "{}", calendar.format(terminal_width()))?;
    }
    Ok(CommandOutcome::Something)
}

/// Days that are counted where no time is named.
const DEFAULT_DAYS: u32 = 91;

/// Returns the time that is counted.
fn time_args(args: &StatsArgs) -> TimeArgs {
    match args.time.is_given() {
        true => args.time.clone(),
        false => TimeArgs {
            days: Some(DEFAULT_DAYS),
            ..TimeArgs::default()
        },
    }
}

/// Returns the number of days up to now that are counted, where the time is one.
fn last_days(args: &StatsArgs) -> Option<u32> {
    let time = time_args(args);
    time.days.filter(|_| time.until.is_none())
}
