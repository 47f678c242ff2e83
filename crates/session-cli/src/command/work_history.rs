//! The history that a report of work is made of.

use crate::args::{TimeArgs, WorkFilterArgs};
use crate::command::filter;
use crate::command::refresh::{self, RefreshedIndex};
use anyhow::Result;
use jiff::civil::Date;
use jiff::{Timestamp, Zoned};
use session_config::Home;
use session_display::format_unknown_project;
use session_report::{CalendarRange, ReportScope};
use session_search::SearchFilter;
use session_store::SessionRow;

/// The index with the time and the sessions that `digest` and `stats` report on.
pub struct WorkHistory<'a> {
    /// The index.
    pub refreshed: RefreshedIndex,
    /// The time.
    pub range: CalendarRange,
    args: &'a WorkFilterArgs,
    filter: SearchFilter,
    includes_root: Box<dyn Fn(&SessionRow) -> bool>,
}

impl<'a> WorkHistory<'a> {
    /// Opens the index, brought up to date. `time` stands for that of the arguments.
    pub fn open(args: &'a WorkFilterArgs, time: &TimeArgs) -> Result<Self> {
        let range = time.parse_range(Zoned::now)?;
        let refreshed = refresh::open_index_with_sessions(&Home::from_process()?, &[])?;
        let now = Zoned::now();
        let range = CalendarRange::new(range, refreshed.earliest_ms(&now), &now)?;
        let filter = filter::parse_root_filter(args)?;
        let roots = filter.clone();
        Ok(Self {
            includes_root: Box::new(move |row| roots.passes_session(row)),
            refreshed,
            range,
            args,
            filter,
        })
    }

    /// Returns the sessions and turns that are reported.
    pub fn scope(&self) -> ReportScope<'_> {
        ReportScope {
            includes_root: &*self.includes_root,
            branch: self.branch(),
        }
    }

    /// Returns when the time begins, in milliseconds since 1970.
    pub fn begin_ms(&self) -> i64 {
        self.range.from.timestamp().as_millisecond()
    }

    /// Returns the project that is asked for.
    pub fn project(&self) -> Option<&str> {
        filter::non_empty(&self.args.project)
    }

    fn branch(&self) -> Option<&str> {
        filter::non_empty(&self.args.branch)
    }

    /// Returns true where the agent or the branch is asked for.
    pub fn names_agent_or_branch(&self) -> bool {
        filter::non_empty(&self.args.source).is_some() || self.branch().is_some()
    }

    /// Returns the day of a time in milliseconds since 1970, in the time zone of the range.
    pub fn day_of(&self, time_ms: i64) -> Option<Date> {
        let time = Timestamp::from_millisecond(time_ms).ok()?;
        Some(time.to_zoned(self.range.from.time_zone().clone()).date())
    }

    /// Returns why nothing is reported: there is no history, or none of the project, or what `otherwise` says.
    pub fn explain_nothing(&self, otherwise: impl FnOnce() -> String) -> String {
        let RefreshedIndex {
            snapshot,
            no_history,
            ..
        } = &self.refreshed;
        let unknown = || format_unknown_project(&self.filter.clauses, &snapshot.sessions);
        let known = no_history.clone().or_else(unknown);
        known.unwrap_or_else(otherwise)
    }
}
