//! An index as a filter leaves it.

use crate::filter::{ClauseScope, FilterClause, FilterCondition, SearchFilter};
use rustc_hash::{FxHashMap, FxHashSet};
use session_core::{pasted_path_readings, path_matches};
use session_store::{
    Reader, SessionId, SessionRow, SessionTurn, StoreError, TurnColumns, TurnId, TurnRecord,
    TurnRow,
};

/// The sessions and turns that a filter lets through. It is computed once, and never changes.
pub(crate) struct FilteredIndex<'a> {
    /// The sessions that it lets through, in the order of the index.
    sessions: Vec<&'a SessionRow>,
    /// The same, indexed by their numbers; `None` for those that do not pass.
    passing_sessions: Vec<Option<PassingSession<'a>>>,
    /// The turns that pass of sessions that are filtered turn by turn.
    passing_turns: FxHashSet<TurnId>,
    filters_turns: bool,
    /// The sessions of all turns, filtered or not.
    turn_columns: TurnColumns,
    copies: TurnCopies,
}

/// A session that a filter lets through.
#[derive(Debug, Clone, Copy)]
struct PassingSession<'a> {
    row: &'a SessionRow,
    /// Whether its turns are filtered one by one, since some may not pass.
    filters_turns: bool,
    /// Whether its history is no longer on disk. Copied from the row, since it is read for each turn.
    is_gone: bool,
}

/// The copies of each turn.
type TurnCopies = FxHashMap<TurnId, Vec<SessionTurn>>;

impl<'a> FilteredIndex<'a> {
    /// Applies a filter to `sessions`, all of the index's.
    pub(crate) fn new(
        index: &Reader,
        sessions: &'a [SessionRow],
        filter: &SearchFilter,
    ) -> Result<Self, StoreError> {
        let sessions = sessions.iter().filter(|s| filter.passes_session(s));
        let mut sessions: Vec<&SessionRow> = sessions.collect();
        let filter = &resolve_pasted_paths(index, &sessions, filter)?;
        let mut passing_sessions = index_passing_sessions(&sessions, filter);
        let mut passing_turns = FxHashSet::default();
        for passing in &mut passing_sessions {
            let Some(session) = passing.filter(|session| session.filters_turns) else {
                continue;
            };
            let turns = find_passing_turns(index, session.row, filter)?;
            if turns.is_empty() {
                *passing = None;
            }
            passing_turns.extend(turns);
        }
        sessions.retain(|session| passing_sessions[session.id.as_index()].is_some());
        Ok(Self {
            passing_turns,
            filters_turns: filter.filters_turns(),
            turn_columns: index.turn_columns()?,
            sessions,
            passing_sessions,
            copies: read_copies(index)?,
        })
    }

    /// Returns the sessions that the filter lets through, in the order of the index.
    pub(crate) fn sessions(&self) -> &[&'a SessionRow] {
        &self.sessions
    }

    /// Returns a session that the filter lets through.
    pub(crate) fn session(&self, id: SessionId) -> Option<&'a SessionRow> {
        self.find_passing_session(id).map(|session| session.row)
    }

    /// Returns the sessions of all turns, filtered or not.
    pub(crate) fn turn_columns(&self) -> &TurnColumns {
        &self.turn_columns
    }

    /// Returns true when turns of a session pass.
    pub(crate) fn passes_session(&self, session: SessionId) -> bool {
        self.find_passing_session(session).is_some()
    }

    /// Returns true when a turn passes.
    pub(crate) fn passes(&self, SessionTurn { turn, session }: SessionTurn) -> bool {
        self.find_passing_session(session)
            .is_some_and(|session| self.passes_in_session(session, turn))
    }

    fn passes_in_session(&self, session: PassingSession<'_>, turn: TurnId) -> bool {
        !session.filters_turns || self.passing_turns.contains(&turn)
    }

    fn find_passing_session(&self, session: SessionId) -> Option<PassingSession<'a>> {
        self.passing_sessions
            .get(session.as_index())
            .copied()
            .flatten()
    }

    /// Returns true if some clause filters single turns, not whole sessions.
    pub(crate) fn filters_turns(&self) -> bool {
        self.filters_turns
    }

    /// Returns the turn as which a turn of the index is shown: itself if it passes, else a copy of
    /// it that does. A turn whose history exists is preferred.
    pub(crate) fn resolve_copy(&self, found: SessionTurn) -> Option<SessionTurn> {
        let own = self.visibility(found);
        if own == TurnVisibility::Living {
            return Some(found);
        }
        let copies = || self.copies.get(&found.turn).into_iter().flatten().copied();
        let with = |wanted| copies().find(|copy| self.visibility(*copy) == wanted);
        let gone = || match own {
            TurnVisibility::Gone => Some(found),
            _ => with(TurnVisibility::Gone),
        };
        with(TurnVisibility::Living).or_else(gone)
    }

    /// Returns the turn as which a turn of the word index is shown.
    pub(crate) fn resolve_turn(&self, turn: TurnId) -> Option<SessionTurn> {
        let session = self.turn_columns.session_of(turn)?;
        self.resolve_copy(SessionTurn { turn, session })
    }

    fn visibility(&self, SessionTurn { turn, session }: SessionTurn) -> TurnVisibility {
        let session = self.find_passing_session(session);
        match session.filter(|session| self.passes_in_session(*session, turn)) {
            None => TurnVisibility::FilteredOut,
            Some(session) if session.is_gone => TurnVisibility::Gone,
            Some(_) => TurnVisibility::Living,
        }
    }
}

/// Tells whether a turn can be shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TurnVisibility {
    /// It passes, and its history exists.
    Living,
    /// It passes, but its history is no longer on disk.
    Gone,
    /// It does not pass.
    FilteredOut,
}

/// Returns the filter with each path of a file as the first of its readings by which a turn of the sessions names a file.
fn resolve_pasted_paths(
    index: &Reader,
    sessions: &[&SessionRow],
    filter: &SearchFilter,
) -> Result<SearchFilter, StoreError> {
    let mut filter = filter.clone();
    for condition in filter
        .clauses
        .iter_mut()
        .flat_map(|one| &mut one.conditions)
    {
        if let FilterCondition::File(path) = condition {
            *path = resolve_pasted_path(index, sessions, path)?.to_owned();
        }
    }
    Ok(filter)
}

/// Returns the reading of a pasted path that names a file, or the last reading if none does. Contents are read only if
/// there are several readings.
fn resolve_pasted_path<'p>(
    index: &Reader,
    sessions: &[&SessionRow],
    typed: &'p str,
) -> Result<&'p str, StoreError> {
    let mut readings = pasted_path_readings(typed).into_iter().peekable();
    while let Some(path) = readings.next() {
        if readings.peek().is_none() || is_file_named(index, sessions, path)? {
            return Ok(path);
        }
    }
    Ok(typed)
}

fn is_file_named(
    index: &Reader,
    sessions: &[&SessionRow],
    wanted: &str,
) -> Result<bool, StoreError> {
    for session in sessions {
        let contents = index.contents(session.id)?;
        let mut files = contents.iter().flat_map(|stored| &stored.content.files);
        if files.any(|named| path_matches(named, wanted)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn read_copies(index: &Reader) -> Result<TurnCopies, StoreError> {
    let mut copies = TurnCopies::default();
    for copy in index.copies()? {
        copies.entry(copy.owner).or_default().push(SessionTurn {
            turn: copy.turn,
            session: copy.session,
        });
    }
    Ok(copies)
}

/// Returns the sessions that pass, each at its number.
fn index_passing_sessions<'a>(
    sessions: &[&'a SessionRow],
    filter: &SearchFilter,
) -> Vec<Option<PassingSession<'a>>> {
    let greatest = sessions.iter().map(|session| session.id.as_index()).max();
    let mut passing = vec![None; greatest.map_or(0, |greatest| greatest + 1)];
    for session in sessions {
        let mut clauses = filter.clauses.iter();
        if let Some(at_number) = passing.get_mut(session.id.as_index()) {
            *at_number = Some(PassingSession {
                row: session,
                filters_turns: clauses.any(|clause| clause.may_fail_in(session)),
                is_gone: session.gone || session.prompts_only,
            });
        }
    }
    passing
}

/// Returns the turns of a session that pass by time, branch and file. Contents are read only where a clause needs them, and
/// only those of turns that pass by time and branch.
fn find_passing_turns(
    index: &Reader,
    session: &SessionRow,
    filter: &SearchFilter,
) -> Result<Vec<TurnId>, StoreError> {
    let passes_by_row = |turn: &TurnRow| {
        let mut clauses = filter.clauses_in_scope(ClauseScope::Turn);
        clauses.all(|clause| clause.passes(session, turn, &[]))
    };
    let by_files: Vec<&FilterClause> = filter.clauses_in_scope(ClauseScope::Files).collect();
    if by_files.is_empty() {
        let turns = index.turns(session.id)?.into_iter().filter(passes_by_row);
        return Ok(turns.map(|turn| turn.id).collect());
    }
    let passes_by_files = |TurnRecord { row, content }: &TurnRecord| {
        let mut clauses = by_files.iter();
        clauses.all(|clause| clause.passes(session, row, &content.files))
    };
    let turns = index.turn_records(session.id, passes_by_row)?.into_iter();
    let turns = turns.filter(passes_by_files);
    Ok(turns.map(|turn| turn.row.id).collect())
}
