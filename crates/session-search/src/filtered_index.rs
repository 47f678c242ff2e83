//! An index as a filter leaves it.

use crate::filter::{ClauseScope, Filter, FilterClause};
use rustc_hash::{FxHashMap, FxHashSet};
use session_store::{Reader, SessionId, SessionRow, SessionTurn, StoreError, TurnId, TurnRow};

/// The sessions and turns that a filter lets through. It is computed once, and never changes.
pub(crate) struct FilteredIndex<'a> {
    sessions: FxHashMap<SessionId, &'a SessionRow>,
    /// The turns; `None` where the filter judges sessions alone.
    turns: Option<FxHashSet<TurnId>>,
    copies: Copies,
}

/// The copies of each turn.
type Copies = FxHashMap<TurnId, Vec<SessionTurn>>;

impl<'a> FilteredIndex<'a> {
    /// Applies a filter to `sessions`, all of the index's.
    pub(crate) fn new(
        index: &Reader,
        sessions: &'a [SessionRow],
        filter: &Filter,
    ) -> Result<Self, StoreError> {
        let sessions = sessions.iter().filter(|s| session_passes(filter, s));
        let sessions: FxHashMap<SessionId, &SessionRow> = sessions.map(|s| (s.id, s)).collect();
        let turns = match filter.by_turn() {
            true => Some(passing_turns(index, &sessions, filter)?),
            false => None,
        };
        Ok(Self {
            sessions,
            turns,
            copies: read_copies(index)?,
        })
    }

    /// Returns the sessions that the filter lets through.
    pub(crate) fn sessions(&self) -> &FxHashMap<SessionId, &'a SessionRow> {
        &self.sessions
    }

    /// Returns true when a turn of a session that passes does so, too.
    pub(crate) fn passes(&self, turn: TurnId) -> bool {
        self.turns.as_ref().is_none_or(|all| all.contains(&turn))
    }

    /// Returns true when single turns are judged, too.
    pub(crate) fn is_by_turn(&self) -> bool {
        self.turns.is_some()
    }

    /// Returns the turn as which a turn of the index is shown: itself if it passes, else a copy of
    /// it that does. A turn whose history exists is preferred.
    pub(crate) fn resolve_copy(&self, found: SessionTurn) -> Option<SessionTurn> {
        let own = self.visibility(found);
        if own == Visibility::Living {
            return Some(found);
        }
        let copies = || self.copies.get(&found.turn).into_iter().flatten().copied();
        let with = |wanted| copies().find(|copy| self.visibility(*copy) == wanted);
        let gone = || match own {
            Visibility::Gone => Some(found),
            _ => with(Visibility::Gone),
        };
        with(Visibility::Living).or_else(gone)
    }

    /// Returns the turn as which a turn of the word index is shown.
    pub(crate) fn resolve_turn(
        &self,
        index: &Reader,
        turn: TurnId,
    ) -> Result<Option<SessionTurn>, StoreError> {
        let session = index.session_of(turn)?;
        Ok(session.and_then(|session| self.resolve_copy(SessionTurn { turn, session })))
    }

    fn visibility(&self, SessionTurn { turn, session }: SessionTurn) -> Visibility {
        match self.sessions.get(&session).filter(|_| self.passes(turn)) {
            None => Visibility::FilteredOut,
            Some(row) if row.gone || row.prompts_only => Visibility::Gone,
            Some(_) => Visibility::Living,
        }
    }
}

/// Tells whether a turn can be shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visibility {
    Living,
    /// It passes, but its history is no longer on disk.
    Gone,
    FilteredOut,
}

fn read_copies(index: &Reader) -> Result<Copies, StoreError> {
    let mut copies = Copies::default();
    for copy in index.copies()? {
        copies.entry(copy.owner).or_default().push(SessionTurn {
            turn: copy.turn,
            session: copy.session,
        });
    }
    Ok(copies)
}

fn session_passes(filter: &Filter, session: &SessionRow) -> bool {
    (filter.subagents || session.parent.is_none() || filter.only.contains(&session.id))
        && (filter.only.is_empty() || filter.only.contains(&session.id))
        && !filter.exclude.contains(&session.id)
        && filter.clauses.iter().all(|one| one.may_hold_in(session))
}

/// Returns the turns of these sessions that pass by time, branch and file.
fn passing_turns(
    index: &Reader,
    sessions: &FxHashMap<SessionId, &SessionRow>,
    filter: &Filter,
) -> Result<FxHashSet<TurnId>, StoreError> {
    let mut passing = FxHashSet::default();
    for session in sessions.values() {
        let mut turns = index.turns(session.id)?;
        turns.retain(|turn| {
            let mut clauses = filter.in_scope(ClauseScope::Turn);
            clauses.all(|clause| clause.passes(session, turn, &[]))
        });
        if !turns.is_empty() {
            retain_by_files(index, filter, session, &mut turns)?;
        }
        passing.extend(turns.iter().map(|turn| turn.id));
    }
    Ok(passing)
}

/// Leaves the turns that pass by the files that they name. Contents are read only where a clause needs them.
fn retain_by_files(
    index: &Reader,
    filter: &Filter,
    session: &SessionRow,
    turns: &mut Vec<TurnRow>,
) -> Result<(), StoreError> {
    let clauses: Vec<&FilterClause> = filter.in_scope(ClauseScope::Files).collect();
    if clauses.is_empty() {
        return Ok(());
    }
    let contents: FxHashMap<_, _> = index.contents(session.id)?.into_iter().collect();
    turns.retain(|turn| {
        let files = contents
            .get(&turn.id)
            .map_or(&[][..], |content| &content.files);
        clauses
            .iter()
            .all(|clause| clause.passes(session, turn, files))
    });
    Ok(())
}
