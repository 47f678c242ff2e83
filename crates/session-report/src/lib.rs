//! Summaries of sessions, reports by project, counts by day, and parsing of the time ranges that they cover.
//!
//! [`WorkSummary::from_turns`] summarizes turns: the problem and the solution in a sentence
//! or two, commands and whether they failed, files and how they were accessed, errors, pull
//! requests, active time and tokens. It is a pure function. [`report_projects`] does this
//! for the sessions of a [`ReportScope`] in a range of time, grouped by project, each with the turns of its
//! subagents. [`Cure::find_all`] finds what was done between the failure of a command and its
//! success, [`LaterSuccesses`] whether a command succeeded later. [`count_by_day`] counts sessions and turns per day.
//!
//! [`TimeRange::parse`] reads the times that a user types, in the local time zone; a [`CalendarRange`]
//! has the days of such a range.
//!
//! ```
//! use session_core::{PromptKind, TurnContent};
//! use session_report::WorkSummary;
//! use session_store::{TurnRecord, TurnRow};
//!
//! let content = TurnContent {
//!     prompt: "The tests die with EMFILE, too many open files.".into(),
//!     answer: "Let me look.\n\nThe watcher leaked a handle a file. It closes them now.".into(),
//!     last_message_start: 14,
//!     ..TurnContent::default()
//! };
//! let minutes = |n: i64| Some(n * 60_000);
//! let row = TurnRow { kind: PromptKind::Typed, started_ms: minutes(0), ended_ms: minutes(5), ..TurnRow::default() };
//! let work = WorkSummary::from_turns(&[TurnRecord { row, content }]);
//! assert_eq!(work.solution.unwrap(), "The watcher leaked a handle a file. It closes them now.");
//! assert_eq!(work.active_ms, 5 * 60_000);
//! ```

mod active_time;
mod announcement;
mod calendar_range;
mod counted_turns;
mod cure;
mod day_stats;
mod duration;
mod inline_markup;
mod later_success;
mod named_date;
mod placed_work;
mod project_report;
mod prose_excerpt;
mod range_before;
mod receipt;
mod report_scope;
mod session_run;
mod task;
#[cfg(test)]
mod test_turns;
mod time_beginning;
mod time_error;
mod time_range;
mod work_summary;

pub use calendar_range::{CalendarDay, CalendarRange};
pub use cure::Cure;
pub use day_stats::{CountedDay, DayStats, count_by_day};
pub use duration::parse_whole_days;
pub use later_success::{LaterSuccess, LaterSuccesses};
pub use project_report::{ProjectReport, SessionReport, WorkReport, report_projects};
pub use report_scope::ReportScope;
pub use time_beginning::begins_time;
pub use time_error::TimeError;
pub use time_range::{TimeRange, TypedRange};
pub use work_summary::{CommandRun, WorkScope, WorkSummary, is_reported};
