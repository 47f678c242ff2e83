//! An index as a filter leaves it.

use crate::filter::Filter;
use rustc_hash::{FxHashMap, FxHashSet};
use session_core::path_matches;
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
        let passes = self.turns.as_ref().is_none_or(|all| all.contains(&turn));
        match self.sessions.get(&session).filter(|_| passes) {
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
        && filter
            .source
            .as_ref()
            .is_none_or(|source| *source == session.source)
        && filter
            .project
            .as_ref()
            .is_none_or(|wanted| is_of_project(session, wanted))
        && filter
            .since_ms
            .is_none_or(|since| session.ended_ms.is_some_and(|at| at >= since))
        && filter
            .until_ms
            .is_none_or(|until| session.started_ms.is_some_and(|at| at < until))
}

/// Returns true when a session is one of this project, named by its name or path or a
/// part of it.
pub fn is_of_project(session: &SessionRow, wanted: &str) -> bool {
    let mut paths = [&session.project, &session.cwd].into_iter().flatten();
    paths.any(|path| path_matches(path, wanted))
}

/// Returns the turns of these sessions that pass by time, branch and file.
fn passing_turns(
    index: &Reader,
    sessions: &FxHashMap<SessionId, &SessionRow>,
    filter: &Filter,
) -> Result<FxHashSet<TurnId>, StoreError> {
    let mut passing = FxHashSet::default();
    for session in sessions.values() {
        let turns = index.turns(session.id)?;
        let turns = turns
            .iter()
            .filter(|turn| turn_passes(filter, session, turn));
        let mut turns: Vec<TurnId> = turns.map(|turn| turn.id).collect();
        if let Some(file) = filter.file.as_ref().filter(|_| !turns.is_empty()) {
            let naming = turns_naming(index, session.id, file)?;
            turns.retain(|turn| naming.contains(turn));
        }
        passing.extend(turns);
    }
    Ok(passing)
}

fn turn_passes(filter: &Filter, session: &SessionRow, turn: &TurnRow) -> bool {
    let at = turn.started_ms.or(session.started_ms);
    let branch = turn.branch.as_ref().or(session.branch.as_ref());
    filter
        .since_ms
        .is_none_or(|since| at.is_some_and(|at| at >= since))
        && filter
            .until_ms
            .is_none_or(|until| at.is_some_and(|at| at < until))
        && filter
            .branch
            .as_ref()
            .is_none_or(|wanted| branch == Some(wanted))
}

/// Returns the turns of a session that name a file.
fn turns_naming(
    index: &Reader,
    session: SessionId,
    file: &str,
) -> Result<FxHashSet<TurnId>, StoreError> {
    let contents = index.contents(session)?;
    let naming = contents
        .iter()
        .filter(|(_, content)| content.files.iter().any(|named| path_matches(named, file)));
    Ok(naming.map(|(turn, _)| *turn).collect())
}
