//! The sessions and turns that a report covers.

use crate::counted_turns::CountedTurns;
use session_store::{Reader, SessionRow, StoreError, TurnRecord, TurnRow};
use std::cmp::Reverse;

/// The sessions and turns that a report covers, within its time.
#[derive(Clone, Copy)]
pub struct ReportScope<'a> {
    /// Accepts the sessions that a person started; their subagents follow them.
    pub includes_root: &'a dyn Fn(&SessionRow) -> bool,
    /// The only git branch; `None` for all.
    pub branch: Option<&'a str>,
}

impl ReportScope<'_> {
    /// Returns true for a turn of the branch: its own, else that of its session.
    pub(crate) fn covers_turn(&self, session: &SessionRow, turn: &TurnRow) -> bool {
        let branch = session.branch_of(turn);
        self.branch.is_none_or(|wanted| branch == Some(wanted))
    }

    /// Returns the sessions of the scope that a person started.
    pub(crate) fn roots<'s>(
        &self,
        sessions: &'s [SessionRow],
    ) -> impl Iterator<Item = &'s SessionRow> {
        let roots = sessions.iter().filter(|session| session.parent.is_none());
        roots.filter(|session| (self.includes_root)(session))
    }

    /// Returns when the last turn of the scope began that `counts` and lies before a time, both in milliseconds since 1970.
    ///
    /// # Errors
    /// When the index fails.
    pub fn last_turn_before(
        &self,
        index: &Reader,
        sessions: &[SessionRow],
        before_ms: i64,
        counts: fn(&TurnRecord) -> bool,
    ) -> Result<Option<i64>, StoreError> {
        let mut covered: Vec<&SessionRow> = self.roots(sessions).collect();
        covered.sort_by_key(|session| Reverse(session.ended_ms.or(session.started_ms)));
        let mut last_ms = None;
        for session in covered {
            if session.ended_ms.or(session.started_ms) <= last_ms {
                break;
            }
            let may_be_last = |turn: &TurnRow, at: i64| {
                at < before_ms && Some(at) > last_ms && self.covers_turn(session, turn)
            };
            let turns = CountedTurns::read(index, session, may_be_last)?.turns;
            let counted = turns.iter().filter(|turn| counts(turn));
            last_ms = last_ms.max(counted.filter_map(|turn| turn.row.timestamp_ms()).max());
        }
        Ok(last_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_without_a_branch_has_that_of_its_session() {
        let session = SessionRow {
            branch: Some("main".to_owned()),
            ..SessionRow::default()
        };
        let turn = |branch: Option<&str>| TurnRow {
            branch: branch.map(str::to_owned),
            ..TurnRow::default()
        };
        let covers = |wanted, branch| {
            let scope = ReportScope {
                includes_root: &|_| true,
                branch: wanted,
            };
            scope.covers_turn(&session, &turn(branch))
        };
        assert!(covers(None, Some("fix")));
        assert!(covers(Some("fix"), Some("fix")) && !covers(Some("main"), Some("fix")));
        assert!(covers(Some("main"), None) && !covers(Some("fix"), None));
    }
}
