//! The search for runs of commands that failed, with what came of them.

use crate::error::QueryError;
use serde::Serialize;
use session_report::{LaterSuccess, LaterSuccesses};
use session_search::{
    CommandPattern, FoundCommand, FoundTurn, LinePattern, SearchFilter, find_command_turns,
};
use session_store::{Reader, SessionId, SessionRow};
use std::collections::BTreeMap;

/// A search for runs of commands that failed.
pub struct FailedCommandSearch<'a> {
    /// The pattern of the command line.
    pub line: &'a LinePattern,
    /// The sessions and turns that are searched.
    pub filter: &'a SearchFilter,
    /// Whether searches that failed since they found nothing are counted and left out.
    pub skips_empty_searches: bool,
    /// Number of turns, the first ones, of which later successes are looked for.
    pub max_followed: usize,
}

/// A run of a command that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedCommand {
    /// The run.
    #[serde(flatten)]
    pub run: FoundCommand,
    /// The later success of the same work in the session, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cured: Option<LaterSuccess>,
}

/// The runs of commands that failed.
pub struct FailedCommands {
    /// The turns, in the order of [`find_command_turns`].
    pub turns: Vec<FoundTurn<Vec<FailedCommand>>>,
    /// Number of searches that were left out.
    pub empty_searches: usize,
}

impl FailedCommandSearch<'_> {
    /// Finds the runs.
    ///
    /// # Errors
    /// When the index fails.
    pub fn find(
        &self,
        index: &Reader,
        sessions: &[SessionRow],
    ) -> Result<FailedCommands, QueryError> {
        let pattern = CommandPattern {
            line: self.line,
            only_failed: true,
        };
        let mut found = find_command_turns(index, sessions, self.filter, pattern)?;
        let empty_searches = if self.skips_empty_searches {
            remove_empty_searches(&mut found)
        } else {
            0
        };
        let mut turns: Vec<_> = found.into_iter().map(to_failed).collect();
        let followed = turns.len().min(self.max_followed);
        follow_to_successes(index, &mut turns[..followed])?;
        Ok(FailedCommands {
            turns,
            empty_searches,
        })
    }
}

/// Removes the searches that found nothing, and returns their number.
fn remove_empty_searches(turns: &mut Vec<FoundTurn<Vec<FoundCommand>>>) -> usize {
    let mut removed = 0;
    turns.retain_mut(|turn| {
        let before = turn.found.len();
        turn.found.retain(|run| !run.found_nothing);
        removed += before - turn.found.len();
        !turn.found.is_empty()
    });
    removed
}

fn to_failed(turn: FoundTurn<Vec<FoundCommand>>) -> FoundTurn<Vec<FailedCommand>> {
    let failed = |run| FailedCommand { run, cured: None };
    FoundTurn {
        session: turn.session,
        turn: turn.turn,
        found: turn.found.into_iter().map(failed).collect(),
    }
}

/// Looks for the later success of each run. The turns of a session are read once.
fn follow_to_successes(
    index: &Reader,
    turns: &mut [FoundTurn<Vec<FailedCommand>>],
) -> Result<(), QueryError> {
    let mut by_session: BTreeMap<SessionId, Vec<&mut FoundTurn<Vec<FailedCommand>>>> =
        BTreeMap::new();
    for turn in turns {
        by_session.entry(turn.session.id).or_default().push(turn);
    }
    for (session, turns) in by_session {
        let records = index.turn_records(session, |turn| !turn.is_excluded())?;
        let successes = LaterSuccesses::new(&records);
        for turn in turns {
            for failed in &mut turn.found {
                failed.cured = successes.find(turn.turn.index, failed.run.run);
            }
        }
    }
    Ok(())
}
