//! The history that a report of work is made of.

use crate::args::{TimeArgs, WorkFilterArgs};
use crate::shared::filter;
use crate::shared::refreshed_index::{self, RefreshedIndex};
use anyhow::Result;
use jiff::Timestamp;
use jiff::civil::Date;
use session_config::Home;
use session_display::{Note, now_without_zone_name};
use session_query::Snapshot;
use session_report::{CalendarRange, ReportScope};
use session_search::{FilterClause, FilterCondition, SearchFilter};
use session_store::{SessionRow, TurnRecord};

/// The index with the time and the sessions that `digest` and `stats` report on.
pub struct WorkHistory<'a> {
    /// The index.
    pub refreshed: RefreshedIndex,
    /// The time.
    pub range: CalendarRange,
    args: &'a WorkFilterArgs,
    roots: SearchFilter,
    includes_root: Box<dyn Fn(&SessionRow) -> bool>,
}

impl<'a> WorkHistory<'a> {
    /// Opens the index, brought up to date. `time` stands for that of the arguments.
    pub fn open(args: &'a WorkFilterArgs, time: &TimeArgs) -> Result<Self> {
        let range = time.parse_range(now_without_zone_name)?;
        let refreshed = refreshed_index::open_index_with_sessions(&Home::from_process()?, &[])?;
        let now = now_without_zone_name();
        let range = CalendarRange::new(range, refreshed.earliest_ms(&now), &now)?;
        let roots = filter::parse_root_filter(args)?;
        let passing = roots.clone();
        Ok(Self {
            includes_root: Box::new(move |row| passing.passes_session(row)),
            refreshed,
            range,
            args,
            roots,
        })
    }

    /// Returns the sessions and turns that are reported.
    pub fn scope(&self) -> ReportScope<'_> {
        ReportScope {
            includes_root: &*self.includes_root,
            branch: self.branch(),
        }
    }

    /// Returns the project that is asked for.
    pub fn project(&self) -> Option<&str> {
        filter::non_empty(&self.args.project)
    }

    fn branch(&self) -> Option<&str> {
        filter::non_empty(&self.args.branch)
    }

    /// Returns true if the agent or the branch is asked for.
    pub fn names_agent_or_branch(&self) -> bool {
        filter::non_empty(&self.args.source).is_some() || self.branch().is_some()
    }

    /// Returns why nothing is reported: there is no history, or a filter that no turn passes, or what `otherwise` says,
    /// given the last day before that time with a turn that `counts`.
    pub fn explain_no_work(
        &self,
        counts: fn(&TurnRecord) -> bool,
        otherwise: impl FnOnce(Option<Date>) -> Note,
    ) -> Result<Note> {
        let Snapshot { index, sessions } = &self.refreshed.snapshot;
        let begin_ms = self.range.from.timestamp().as_millisecond();
        let last_ms = self
            .scope()
            .last_turn_before(index, sessions, begin_ms, counts)?;
        let last = last_ms.and_then(|ms| Timestamp::from_millisecond(ms).ok());
        let last_day = last.map(|at| at.to_zoned(self.range.from.time_zone().clone()).date());
        let mut clauses = self.roots.clauses.clone();
        let branch = self.branch().map(str::to_owned);
        clauses.extend(branch.map(|name| FilterClause::new(FilterCondition::Branch(name))));
        let explained = self
            .refreshed
            .explain_no_turn(&clauses, || otherwise(last_day));
        Ok(explained)
    }
}
