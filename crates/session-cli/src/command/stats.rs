//! `stats`: how much was done over time.

use crate::CommandOutcome;
use crate::args::{StatsArgs, TimeArgs};
use crate::command::{filter, refresh};
use crate::output::{json, notes, terminal_width};
use anyhow::Result;
use jiff::Zoned;
use session_config::{CalendarDay, CalendarRange, Home};
use session_output::{Calendar, NothingCounted};
use session_report::{ReportScope, count_by_day};
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
    let range = CalendarRange::new(range, fresh.earliest_ms(&now), &now)?;
    let days = range.days()?;
    let includes_root = filter::session_test(&args.filter)?;
    let scope = ReportScope {
        includes_root: &includes_root,
        branch: filter::wanted_branch(&args.filter),
    };
    let range_of = |day: &CalendarDay| day.milliseconds.clone();
    let counted = count_by_day(&fresh.index, &fresh.sessions, days, range_of, scope)?;
    let calendar = Calendar::new(counted);
    if args.json {
        json::print(&calendar.to_json(fresh.is_complete))?;
    }
    if calendar.is_empty() {
        let project = filter::non_empty_project(args.filter.project.as_deref());
        let nothing = || {
            let from_ms = range.from.timestamp().as_millisecond();
            let last_ms = scope.last_end_before(&fresh.sessions, from_ms);
            let counted = NothingCounted {
                project,
                is_narrow: filter::names_agent_or_branch(&args.filter),
                last_days: last_days(args),
                last_day: last_ms.and_then(|ms| filter::day_in_zone_of(ms, &range.from)),
            };
            filter::format_unknown_project_named(project, &fresh.sessions)
                .unwrap_or_else(|| counted.format())
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
    if args.filter.time.is_given() {
        args.filter.time.clone()
    } else {
        TimeArgs {
            days: Some(DEFAULT_DAYS),
            ..TimeArgs::default()
        }
    }
}

/// Returns the number of days up to now that are counted, where the time is one.
fn last_days(args: &StatsArgs) -> Option<u32> {
    let time = time_args(args);
    time.days.filter(|_| time.until.is_none())
}
