//! `stats`: how much was done over time.

use crate::CommandOutcome;
use crate::args::StatsArgs;
use crate::output::{self, terminal_width};
use crate::shared::work_history::WorkHistory;
use anyhow::Result;
use session_output::{Calendar, NothingCounted};
use session_query::Snapshot;
use session_report::count_by_day;

/// Runs the command.
pub fn run(args: &StatsArgs) -> Result<CommandOutcome> {
    let history = WorkHistory::open(&args.filter, &args.time_args())?;
    let Snapshot { index, sessions } = &history.refreshed.snapshot;
    let days = history.range.days(sessions)?;
    let counted = count_by_day(index, sessions, days, history.scope())?;
    let calendar = Calendar::new(counted);
    let explain = |last_day| {
        let nothing = NothingCounted {
            project: history.project(),
            is_narrow: history.names_agent_or_branch(),
            last_days: last_days(args),
            first_day: history.range.from.date(),
            last_day,
        };
        nothing.format()
    };
    let is_missing = calendar.is_empty();
    let missing = is_missing.then(|| history.explain_no_work(|_| true, explain));
    let missing = missing.transpose()?;
    history.refreshed.note_unread_paths(args.json)?;
    output::print_or_explain(
        missing.as_ref(),
        args.json,
        |hints| {
            let refreshed = &history.refreshed;
            calendar.to_json(refreshed.is_complete, refreshed.add_unread(hints))
        },
        || calendar.format(terminal_width()),
    )?;
    Ok(CommandOutcome::from_found(missing.is_none()))
}

/// Returns the number of days up to now that are counted, where the time is one.
fn last_days(args: &StatsArgs) -> Option<u32> {
    let time = args.time_args();
    time.days
        .filter(|_| time.until.is_none() && time.before.is_none())
}
