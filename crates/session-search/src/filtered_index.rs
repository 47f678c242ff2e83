//! An index as a filter leaves it.

use rustc_hash::{FxHashMap, FxHashSet};
use session_core::{Filter, path_matches};
use session_store::{Reader, SessionRow, StoreError, TurnRow};

/// The sessions and turns that a filter lets through. It is computed once, and never changes.
pub(crate) struct FilteredIndex<'a> {
    sessions: FxHashMap<i64, &'a SessionRow>,
    /// Ids of the turns; `None` where the filter judges sessions alone.
    turns: Option<FxHashSet<i64>>,
    copies: Copies,
}

/// The copies of each turn, as turn and session.
type Copies = FxHashMap<i64, Vec<(i64, i64)>>;

impl<'a> FilteredIndex<'a> {
    /// Applies a filter to `sessions`, all of the index's.
    pub(crate) fn new(
        index: &Reader,
        sessions: &'a [SessionRow],
        filter: &Filter,
    ) -> Result<Self, StoreError> {
        let sessions = sessions.iter().filter(|s| session_passes(filter, s));
        let sessions: FxHashMap<i64, &SessionRow> = sessions.map(|s| (s.id, s)).collect();
        let turns = match filter.by_turn() {
            true => Some(passing_turns(index, &sessions, filter)?),
            false => None,
        };
        Ok(Self {
            sessions,
            turns,
            copies: copies(index)?,
        })
    }

    /// The sessions that pass.
    pub(crate) fn sessions(&self) -> &FxHashMap<i64, &'a SessionRow> {
        &self.sessions
    }

    /// Returns true when single turns are judged, too.
    pub(crate) fn is_by_turn(&self) -> bool {
        self.turns.is_some()
    }

    /// Returns where a turn that was found is to be shown, as turn and session: itself if it
    /// passes, else a copy of it that does. A living history goes before one that is gone.
    pub(crate) fn resolve_copy(&self, found: (i64, i64)) -> Option<(i64, i64)> {
        let own = self.visibility(found);
        if own == Visibility::Living {
            return Some(found);
        }
        let copies = || self.copies.get(&found.0).into_iter().flatten().copied();
        let with = |wanted| copies().find(|copy| self.visibility(*copy) == wanted);
        let gone = || match own {
            Visibility::Gone => Some(found),
            _ => with(Visibility::Gone),
        };
        with(Visibility::Living).or_else(gone)
    }

    /// Returns where the turn of a row of the word index is to be shown.
    pub(crate) fn resolve_turn(
        &self,
        index: &Reader,
        turn: i64,
    ) -> Result<Option<(i64, i64)>, StoreError> {
        let session = index.session_of(turn)?;
        Ok(session.and_then(|session| self.resolve_copy((turn, session))))
    }

    fn visibility(&self, (turn, session): (i64, i64)) -> Visibility {
        let passes = self.turns.as_ref().is_none_or(|all| all.contains(&turn));
        match self.sessions.get(&session).filter(|_| passes) {
            None => Visibility::FilteredOut,
            Some(row) if row.gone || row.prompts_only => Visibility::Gone,
            Some(_) => Visibility::Living,
        }
    }
}

/// Whether a turn can be shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visibility {
    Living,
    /// It passes, but its history is no longer on disk.
    Gone,
    FilteredOut,
}

fn copies(index: &Reader) -> Result<Copies, StoreError> {
    let mut copies = Copies::default();
    for copy in index.copies()? {
        let known = copies.entry(copy.owner).or_default();
        known.push((copy.turn, copy.session));
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

/// The turns of the sessions that pass by time, branch and file.
fn passing_turns(
    index: &Reader,
    sessions: &FxHashMap<i64, &SessionRow>,
    filter: &Filter,
) -> Result<FxHashSet<i64>, StoreError> {
    let mut passing = FxHashSet::default();
    for session in sessions.values() {
        let turns = index.turns(session.id)?;
        let turns = turns
            .iter()
            .filter(|turn| turn_passes(filter, session, turn));
        let mut turns: Vec<i64> = turns.map(|turn| turn.id).collect();
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

/// The turns of a session that name a file.
fn turns_naming(index: &Reader, session: i64, file: &str) -> Result<FxHashSet<i64>, StoreError> {
    let contents = index.contents(session)?;
    let naming = contents
        .iter()
        .filter(|(_, content)| content.files.iter().any(|named| path_matches(named, file)));
    Ok(naming.map(|(turn, _)| *turn).collect())
}
