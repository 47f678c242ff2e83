//! The conditions on the hits of a search.

use session_core::{is_path_within, path_matches};
use session_store::{SessionId, SessionRow, TurnRow, with_subagents};
use std::ops::RangeInclusive;

/// Conditions on hits, all of which must hold. The default excludes subagents alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchFilter {
    /// The conditions on what a session or turn is.
    pub clauses: Vec<FilterClause>,
    /// The only sessions to search; empty for all.
    pub only_sessions: Vec<SessionId>,
    /// Sessions to leave out.
    pub excluded_sessions: Vec<SessionId>,
    /// Whether sessions of subagents pass.
    pub includes_subagents: bool,
}

/// A disjunction of conditions, or the negation of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterClause {
    /// The conditions, of which one has to hold.
    pub conditions: Vec<FilterCondition>,
    /// Whether, instead, none of them may hold.
    pub negated: bool,
}

/// A clause that no turn of the index meets by itself.
#[derive(Debug, Clone)]
pub struct UnmetClause {
    /// The clause.
    pub clause: FilterClause,
    /// Values that would be met: for a clause of a branch the git branches of the index, the latest first; for one of an
    /// agent its agents; none for other clauses.
    pub names: Vec<String>,
    /// The time at which the newest turn of the index began, in milliseconds since 1970.
    pub newest_ms: Option<i64>,
}

/// A condition on one property of a session or turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilterCondition {
    /// The session is of this project.
    Project(ProjectPattern),
    /// The session is of this agent, as its `Source::name`.
    Agent(String),
    /// The turn was on this git branch, whole.
    Branch(String),
    /// The turn names a file with this part of a path.
    File(String),
    /// The turn began within this range, either end of which may be open.
    Time {
        /// Its beginning, in milliseconds since 1970.
        since_ms: Option<i64>,
        /// Its end, which it does not include.
        until_ms: Option<i64>,
    },
    /// The turn is one of these of a session.
    Turns {
        /// The session.
        session: SessionId,
        /// The numbers of the turns, from 0.
        turns: RangeInclusive<u32>,
    },
}

/// A way to name a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectPattern {
    /// Its name or path or a part of it.
    Part(String),
    /// A folder: the project itself, or one above it.
    Folder(String),
}

/// The data that has to be read to check a clause, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ClauseScope {
    /// The row of a session.
    Session,
    /// The rows of its turns.
    Turn,
    /// The files that its turns name, which stand in their packed contents.
    Files,
}

impl SearchFilter {
    /// Returns true when a condition or a named session limits what is searched.
    pub fn is_narrowed(&self) -> bool {
        !self.clauses.is_empty() || !self.only_sessions.is_empty()
    }

    /// Returns true when a condition filters single turns, not whole sessions.
    pub fn filters_turns(&self) -> bool {
        let mut clauses = self.clauses.iter();
        clauses.any(|clause| clause.scope() > ClauseScope::Session)
    }

    /// Returns true when a condition is one on a time.
    pub fn limits_time(&self) -> bool {
        let mut conditions = self.clauses.iter().flat_map(|clause| &clause.conditions);
        conditions.any(|one| matches!(one, FilterCondition::Time { .. }))
    }

    /// Returns true when turns of a session may pass.
    pub fn passes_session(&self, session: &SessionRow) -> bool {
        (self.includes_subagents
            || session.parent.is_none()
            || self.only_sessions.contains(&session.id))
            && (self.only_sessions.is_empty() || self.only_sessions.contains(&session.id))
            && !self.excluded_sessions.contains(&session.id)
            && self.clauses.iter().all(|one| one.may_hold_in(session))
    }

    /// Returns the clauses that are checked by data of this scope.
    pub(crate) fn clauses_in_scope(
        &self,
        scope: ClauseScope,
    ) -> impl Iterator<Item = &FilterClause> {
        let clauses = self.clauses.iter();
        clauses.filter(move |clause| clause.scope() == scope)
    }

    /// Lets the sessions of subagents through, and includes or excludes those of a named session with it.
    #[must_use]
    pub fn with_subagents_of_named(mut self, all: &[SessionRow]) -> Self {
        self.includes_subagents = true;
        for named in [&mut self.only_sessions, &mut self.excluded_sessions] {
            let roots = named.iter().copied().collect();
            *named = with_subagents(&roots, all).into_iter().collect();
        }
        self
    }
}

impl FilterClause {
    /// Makes a clause that holds where this condition does.
    pub fn new(condition: FilterCondition) -> Self {
        Self {
            conditions: vec![condition],
            negated: false,
        }
    }

    fn scope(&self) -> ClauseScope {
        let scopes = self.conditions.iter().map(FilterCondition::scope);
        scopes.max().unwrap_or(ClauseScope::Session)
    }

    /// Returns false when no turn of a session can pass.
    pub(crate) fn may_hold_in(&self, session: &SessionRow) -> bool {
        if self.negated {
            self.conditions.iter().all(|one| one.may_fail_in(session))
        } else {
            self.conditions.iter().any(|one| one.may_hold_in(session))
        }
    }

    /// Returns false when all turns of a session pass.
    pub(crate) fn may_fail_in(&self, session: &SessionRow) -> bool {
        if self.negated {
            self.conditions.iter().any(|one| one.may_hold_in(session))
        } else {
            self.conditions.iter().all(|one| one.may_fail_in(session))
        }
    }

    /// Returns true when a turn passes; `files` are those that it names, read in
    /// [`ClauseScope::Files`] alone.
    pub(crate) fn passes(&self, session: &SessionRow, turn: &TurnRow, files: &[String]) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|one| one.holds(session, turn, files)) != self.negated
    }
}

impl FilterCondition {
    /// Makes a condition on turns that began at a time or later, in milliseconds since 1970.
    pub fn since(since_ms: i64) -> Self {
        Self::Time {
            since_ms: Some(since_ms),
            until_ms: None,
        }
    }

    /// Makes a condition on turns that began before a time, in milliseconds since 1970.
    pub fn until(until_ms: i64) -> Self {
        Self::Time {
            since_ms: None,
            until_ms: Some(until_ms),
        }
    }

    fn scope(&self) -> ClauseScope {
        match self {
            Self::Project(_) | Self::Agent(_) => ClauseScope::Session,
            Self::Branch(_) | Self::Time { .. } | Self::Turns { .. } => ClauseScope::Turn,
            Self::File(_) => ClauseScope::Files,
        }
    }

    fn may_hold_in(&self, session: &SessionRow) -> bool {
        let (started, ended) = (session.started_ms, session.ended_ms);
        match self {
            Self::Project(project) => project.matches(session),
            Self::Agent(agent) => session.source == *agent,
            Self::Time { since_ms, until_ms } => {
                since_ms.is_none_or(|since| ended.is_some_and(|at| at >= since))
                    && until_ms.is_none_or(|until| started.is_some_and(|at| at < until))
            }
            Self::Turns {
                session: wanted, ..
            } => session.id == *wanted,
            Self::Branch(_) | Self::File(_) => true,
        }
    }

    /// Returns false when the condition holds for all turns of a session.
    fn may_fail_in(&self, session: &SessionRow) -> bool {
        let (started, ended) = (session.started_ms, session.ended_ms);
        match self {
            Self::Project(_) | Self::Agent(_) => !self.may_hold_in(session),
            Self::Time { since_ms, until_ms } => {
                since_ms.is_some_and(|since| started.is_none_or(|at| at < since))
                    || until_ms.is_some_and(|until| ended.is_none_or(|at| at >= until))
            }
            Self::Branch(_) | Self::File(_) | Self::Turns { .. } => true,
        }
    }

    fn holds(&self, session: &SessionRow, turn: &TurnRow, files: &[String]) -> bool {
        let at = session.time_of(turn);
        match self {
            Self::Project(_) | Self::Agent(_) => self.may_hold_in(session),
            Self::Branch(wanted) => session.branch_of(turn) == Some(wanted),
            Self::File(wanted) => files.iter().any(|named| path_matches(named, wanted)),
            Self::Turns { turns, .. } => self.may_hold_in(session) && turns.contains(&turn.index),
            Self::Time { since_ms, until_ms } => {
                since_ms.is_none_or(|since| at.is_some_and(|at| at >= since))
                    && until_ms.is_none_or(|until| at.is_some_and(|at| at < until))
            }
        }
    }
}

impl ProjectPattern {
    /// Returns true when a session is one of this project.
    pub fn matches(&self, session: &SessionRow) -> bool {
        let mut paths = [&session.project, &session.cwd].into_iter().flatten();
        match self {
            Self::Part(part) => paths.any(|path| path_matches(path, part)),
            Self::Folder(folder) => paths.any(|path| is_path_within(path, folder)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_project_with_all_below_it() {
        let matches = |folder: &str, cwd: &str| {
            let session = SessionRow {
                cwd: Some(cwd.into()),
                ..SessionRow::default()
            };
            ProjectPattern::Folder(folder.into()).matches(&session)
        };
        assert!(matches("/home/ann/app", "/home/ann/app"));
        assert!(matches("/home/ann/app/", "/home/ann/app/src"));
        assert!(matches(r"C:\Users\ann\app", "c:/users/ann/app/src"));
        assert!(matches("/", "/home"));
        assert!(!matches("/home/ann/app", "/home/ann/app2"));
        assert!(!matches("/home/ann/app", "/srv/home/ann/app"));
    }

    #[test]
    fn turns_are_filtered_where_some_may_fail() {
        let session = SessionRow {
            started_ms: Some(10),
            ended_ms: Some(20),
            source: "claude".into(),
            ..SessionRow::default()
        };
        let may_fail = |condition: FilterCondition, negated: bool| {
            let clause = FilterClause {
                negated,
                ..FilterClause::new(condition)
            };
            clause.may_fail_in(&session)
        };
        assert!(!may_fail(FilterCondition::since(10), false));
        assert!(may_fail(FilterCondition::since(11), false));
        assert!(
            may_fail(FilterCondition::since(20), true),
            "its last turn began then"
        );
        assert!(!may_fail(FilterCondition::since(21), true));
        assert!(!may_fail(FilterCondition::until(21), false));
        assert!(may_fail(FilterCondition::until(20), false));
        assert!(!may_fail(FilterCondition::Agent("claude".into()), false));
        assert!(!may_fail(FilterCondition::Agent("codex".into()), true));
        assert!(may_fail(FilterCondition::Branch("main".into()), false));
    }

    #[test]
    fn turns_are_of_their_session_alone() {
        let condition = FilterCondition::Turns {
            session: SessionId::new(1),
            turns: 2..=3,
        };
        let holds = |id: i64, index: u32| {
            let session = SessionRow {
                id: SessionId::new(id),
                ..SessionRow::default()
            };
            let turn = TurnRow {
                index,
                ..TurnRow::default()
            };
            condition.holds(&session, &turn, &[])
        };
        assert_eq!(
            [1, 2, 3, 4].map(|turn| holds(1, turn)),
            [false, true, true, false]
        );
        assert!(!holds(2, 2));
    }

    #[test]
    fn a_session_that_is_left_out_takes_its_subagents_along() {
        let session = |id: i64, parent: Option<&str>| SessionRow {
            id: SessionId::new(id),
            uid: format!("session-{id}"),
            parent: parent.map(Into::into),
            ..SessionRow::default()
        };
        let all = [
            session(1, None),
            session(2, Some("session-1")),
            session(3, None),
        ];
        let filter = SearchFilter {
            excluded_sessions: vec![SessionId::new(1)],
            ..SearchFilter::default()
        };
        let filter = filter.with_subagents_of_named(&all);
        assert!(filter.includes_subagents && filter.only_sessions.is_empty());
        assert_eq!(
            filter.excluded_sessions,
            [SessionId::new(1), SessionId::new(2)]
        );
    }
}
