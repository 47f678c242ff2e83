//! The search for cures of an error in the history.

use crate::error::QueryError;
use session_core::{ErrorSignature, TurnContent, WantedError};
use session_report::Cure;
use session_search::{ErrorSearch, FoundTurn, SearchFilter};
use session_store::{Reader, SessionId, SessionRow, StoreError, TurnId};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// A search for the cures of an error.
pub struct CureSearch<'a> {
    /// The error, or the output that holds it.
    pub error: &'a str,
    /// The command that failed of it, if it is known.
    pub command: Option<&'a str>,
    /// The sessions and turns that are searched.
    pub filter: &'a SearchFilter,
    /// True for a session of the project at hand: its cures come first.
    pub is_in_project: &'a dyn Fn(&SessionRow) -> bool,
    /// Greatest number of turns that are read for [`FoundCures::failed`]: 0 where cures alone are wanted.
    pub max_failed: usize,
}

/// A cure, with the session that found it.
#[derive(Debug, Clone)]
pub struct FoundCure {
    /// The session.
    pub session: SessionRow,
    /// True where it is one of the project at hand.
    pub is_in_project: bool,
    /// The cure.
    pub cure: Cure,
}

/// A turn in which a command failed with an error that has no known cure.
#[derive(Debug, Clone)]
pub struct FailedTurn {
    /// The session in which the turn is shown.
    pub session: SessionRow,
    /// Index of the turn in the session, from 0.
    pub turn: u32,
    /// Time of the turn, in milliseconds since 1970.
    pub time_ms: Option<i64>,
    /// The line of the error, as it was printed there.
    pub error: String,
    /// The command that printed it, where the history names it.
    pub command: Option<String>,
}

impl FailedTurn {
    /// Finds the error line of a turn and the command that printed it; `None` if the turn holds no such line.
    fn new(
        found: &FoundTurn<ErrorSignature>,
        content: &TurnContent,
        wanted: &[WantedError],
    ) -> Option<Self> {
        let is_wanted = |line: &&str| is_error_of(found, line, wanted);
        let runs = (0..content.runs.len()).filter(|run| content.has_failed(*run));
        let failure = runs
            .filter_map(|run| Some((run, content.errors_of_run(run).find(is_wanted)?)))
            .next();
        let mut lines = content.errors.iter().map(String::as_str);
        let (run, error) = match failure {
            Some((run, error)) => (Some(run), error),
            None => (None, lines.find(is_wanted)?),
        };
        let command = run.and_then(|run| content.commands.get(content.runs.get(run)?.command));
        Some(Self {
            session: found.session.clone(),
            turn: found.turn.index,
            time_ms: found.time_ms(),
            error: error.to_owned(),
            command: command.cloned(),
        })
    }
}

/// The cures of an error.
#[derive(Debug, Clone, Default)]
pub struct FoundCures {
    /// The cures, those of the project at hand first, then newest first.
    pub cures: Vec<FoundCure>,
    /// Number of turns in which a command failed with it; where cures alone are wanted, also with that of other names.
    pub turns: usize,
    /// Number of cures that [`CureSearch::command`] left out, where it left none; else 0.
    pub of_other_programs: usize,
    /// The newest of these turns, newest first, where no cure is known; else none.
    pub failed: Vec<FailedTurn>,
    /// The signatures of the text; none where nothing in it tells one error from others.
    pub signatures: Vec<ErrorSignature>,
    /// So many cures have the same signature that it says little.
    pub is_common: bool,
}

/// Greatest number of cures of one signature: an error with more says little of its cause.
const MAX_CURES: usize = 10;
/// The note if no turn failed with the error.
pub const UNKNOWN_ERROR: &str = "no command that does work failed with that error";
/// Greatest number of turns that are listed for an error without a cure.
pub const MAX_FAILED_TURNS: usize = 300;
/// Greatest number of turns that are searched for lines that hold a part of one.
const MAX_PART_TURNS: usize = 300;
/// Greatest number of sessions whose turns are read for an error, newest first.
const MAX_SESSIONS: usize = 50;

impl CureSearch<'_> {
    /// Finds the cures. Of a text with several errors those count that few cures share.
    ///
    /// # Errors
    /// When the index fails.
    pub fn find(&self, index: &Reader, sessions: &[SessionRow]) -> Result<FoundCures, QueryError> {
        let mut wanted = WantedError::read_all(self.error);
        let mut errors = list_signatures(&wanted);
        let search = ErrorSearch::new(index, sessions, self.filter)?;
        let mut turns = search.find_turns(&errors)?;
        let of_part = if turns.is_empty() {
            search.find_errors_with_part(self.error, MAX_PART_TURNS)?
        } else {
            Vec::new()
        };
        if !of_part.is_empty() {
            turns = search.find_turns(&of_part)?;
            let of_part = of_part.into_iter();
            wanted = of_part
                .map(|error| WantedError::new(error, self.error))
                .collect();
            errors = list_signatures(&wanted);
        }
        let reads_all = self.max_failed > 0;
        remove_turns_of_other_names(&mut turns, &wanted, reads_all, |turn| index.content(turn))?;
        let all = self.find_in_sessions(index, &turns, &wanted)?;
        let is_apt = |found: &FoundCure| self.command.is_none_or(|it| found.cure.may_cure(it));
        let (mut cures, mut others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_apt);
        let is_common = remove_common_cures(&mut cures);
        cures.sort_by_key(|found| Reverse((found.is_in_project, found.cure.time_ms)));
        remove_repeated_cures(&mut cures);
        if !cures.is_empty() {
            others.clear();
        }
        remove_repeated_cures(&mut others);
        let failed = if cures.is_empty() && others.is_empty() {
            read_failed_turns(index, &turns, &wanted, self.max_failed)?
        } else {
            Vec::new()
        };
        let distinct: HashSet<TurnId> = turns.iter().map(|found| found.turn.id).collect();
        Ok(FoundCures {
            cures,
            turns: distinct.len(),
            of_other_programs: others.len(),
            failed,
            signatures: errors,
            is_common,
        })
    }

    /// Finds the cures in the sessions of these turns.
    fn find_in_sessions(
        &self,
        index: &Reader,
        turns: &[FoundTurn<ErrorSignature>],
        wanted: &[WantedError],
    ) -> Result<Vec<FoundCure>, QueryError> {
        let address = |found: &FoundTurn<ErrorSignature>| (found.session.id, found.turn.index);
        let shown: HashSet<(SessionId, u32)> = turns.iter().map(address).collect();
        let mut seen: Vec<SessionId> = Vec::new();
        let mut cures = Vec::new();
        for found in turns {
            let session = &found.session;
            if seen.contains(&session.id) || seen.len() >= MAX_SESSIONS {
                continue;
            }
            seen.push(session.id);
            let records = index.turn_records(session.id, |turn| !turn.is_excluded())?;
            let in_session = Cure::find_all(&records, wanted);
            let is_shown = |cure: &Cure| shown.contains(&(session.id, cure.failed_turn));
            let in_session = in_session.into_iter().filter(is_shown);
            cures.extend(in_session.map(|cure| FoundCure {
                session: session.clone(),
                is_in_project: (self.is_in_project)(session),
                cure,
            }));
        }
        Ok(cures)
    }
}

/// Lists the signatures of errors, each once.
fn list_signatures(errors: &[WantedError]) -> Vec<ErrorSignature> {
    let mut signatures: Vec<ErrorSignature> = Vec::new();
    for error in errors {
        if !signatures.contains(&error.signature) {
            signatures.push(error.signature);
        }
    }
    signatures
}

/// Returns true for the line of one of the errors by which a turn was found.
fn is_error_of(found: &FoundTurn<ErrorSignature>, line: &str, wanted: &[WantedError]) -> bool {
    ErrorSignature::new(line) == Some(found.found)
        && wanted.iter().any(|error| error.is_in(found.found, line))
}

/// Removes the turns that failed with the error of other names alone. Only where names are wanted are they read, each once;
/// without `reads_all` only until it is known which sessions are searched for cures.
fn remove_turns_of_other_names(
    turns: &mut Vec<FoundTurn<ErrorSignature>>,
    wanted: &[WantedError],
    reads_all: bool,
    mut read: impl FnMut(TurnId) -> Result<TurnContent, StoreError>,
) -> Result<(), QueryError> {
    let mut sessions = HashSet::new();
    let mut last: Option<(TurnId, TurnContent)> = None;
    let mut kept = Vec::new();
    for found in turns.drain(..) {
        let mut same = wanted.iter().filter(|it| it.signature == found.found);
        let is_known = sessions.contains(&found.session.id) || sessions.len() == MAX_SESSIONS;
        let is_kept = (is_known && !reads_all) || !same.all(WantedError::shares_signature) || {
            let id = found.turn.id;
            let content = match last.take().filter(|(read, _)| *read == id) {
                Some((_, content)) => content,
                None => read(id)?,
            };
            let mut lines = content.errors.iter();
            let is_same = lines.any(|line| is_error_of(&found, line, wanted));
            last = Some((id, content));
            is_same
        };
        if is_kept {
            sessions.insert(found.session.id);
            kept.push(found);
        }
    }
    *turns = kept;
    Ok(())
}

/// Removes the cures of errors that many cures share. Where there are no others it keeps them and returns true.
fn remove_common_cures(cures: &mut Vec<FoundCure>) -> bool {
    let mut counts: HashMap<ErrorSignature, usize> = HashMap::new();
    for found in cures.iter() {
        *counts.entry(found.cure.signature).or_default() += 1;
    }
    let is_common = |found: &FoundCure| counts.get(&found.cure.signature) > Some(&MAX_CURES);
    let all_common = !cures.is_empty() && cures.iter().all(is_common);
    if !all_common {
        cures.retain(|found| !is_common(found));
    }
    all_common
}

/// Keeps one of the cures of a failure that a turn failed with in several lines, and one of those of an error that ended in
/// the same turn, where several commands failed with it.
fn remove_repeated_cures(cures: &mut Vec<FoundCure>) {
    let (mut failures, mut ends) = (HashSet::new(), HashSet::new());
    cures.retain(|FoundCure { session, cure, .. }| {
        let failure = (
            session.id,
            cure.failed_turn,
            cure.turn,
            cure.command.clone(),
        );
        failures.insert(failure) && ends.insert((session.id, cure.turn, cure.signature))
    });
}

/// Reads the error lines of the newest turns. A turn with several of the errors is returned once.
fn read_failed_turns(
    index: &Reader,
    turns: &[FoundTurn<ErrorSignature>],
    wanted: &[WantedError],
    limit: usize,
) -> Result<Vec<FailedTurn>, QueryError> {
    let mut known = HashSet::new();
    let distinct = turns.iter().filter(|found| known.insert(found.turn.id));
    let mut failed = Vec::new();
    for found in distinct.take(limit) {
        failed.extend(FailedTurn::new(
            found,
            &index.content(found.turn.id)?,
            wanted,
        ));
    }
    Ok(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_store::TurnRow;

    const ERROR: &str = "Error: Cannot find module '@acme/lamp'";

    /// Returns the turns that are left of those in these sessions, and those that were read. Turn 1 failed of another name.
    fn remove_others(sessions: &[i64], reads_all: bool) -> (Vec<usize>, Vec<usize>) {
        let wanted = WantedError::read_all(ERROR);
        let turns = (0..).zip(sessions);
        let turns = turns.map(|(turn, session)| FoundTurn {
            session: SessionRow {
                id: SessionId::new(*session),
                ..SessionRow::default()
            },
            turn: TurnRow {
                id: TurnId::new(turn / 2),
                ..TurnRow::default()
            },
            found: wanted[0].signature,
        });
        let mut turns: Vec<_> = turns.collect();
        let mut read = Vec::new();
        remove_turns_of_other_names(&mut turns, &wanted, reads_all, |turn| {
            read.push(turn.as_index());
            let line = if turn.as_index() == 1 {
                "Error: Cannot find module '@acme/oil'"
            } else {
                ERROR
            };
            Ok(TurnContent {
                errors: vec![line.to_owned()],
                ..TurnContent::default()
            })
        })
        .unwrap();
        (
            turns.iter().map(|found| found.turn.id.as_index()).collect(),
            read,
        )
    }

    #[test]
    fn a_turn_is_read_once_and_where_cures_alone_are_wanted_until_its_session_is_known() {
        let sessions = [1, 1, 2, 2, 1, 1, 2, 2];
        let all = remove_others(&sessions, true);
        assert_eq!(all, (vec![0, 0, 2, 2, 3, 3], vec![0, 1, 2, 3]));
        let (_, read) = remove_others(&sessions, false);
        assert_eq!(read, [0, 1, 3]);
    }
}
