//! Which sessions and turns a filter lets through.

use rustc_hash::FxHashMap;
use session_core::{Filter, path_matches};
use session_store::{Reader, SessionRow, StoreError, TurnRow};
use std::cell::OnceCell;

/// A filter applied to an index. Sessions are judged at once, turns when they
/// are met, each once.
pub(crate) struct Passing<'a> {
    index: &'a Reader,
    filter: &'a Filter,
    sessions: FxHashMap<i64, &'a SessionRow>,
    turns: FxHashMap<i64, bool>,
    copies: OnceCell<Copies>,
}

/// The copies of each turn, as turn and session.
type Copies = FxHashMap<i64, Vec<(i64, i64)>>;

impl<'a> Passing<'a> {
    pub(crate) fn new(index: &'a Reader, sessions: &'a [SessionRow], filter: &'a Filter) -> Self {
        let passing = sessions.iter().filter(|s| passes(filter, s));
        Self {
            index,
            filter,
            sessions: passing.map(|s| (s.id, s)).collect(),
            turns: FxHashMap::default(),
            copies: OnceCell::new(),
        }
    }

    /// The sessions that pass.
    pub(crate) fn sessions(&self) -> &FxHashMap<i64, &'a SessionRow> {
        &self.sessions
    }

    /// True when single turns are judged, too.
    pub(crate) fn by_turn(&self) -> bool {
        self.filter.by_turn()
    }

    /// Where a turn that was found is to be shown, as turn and session: itself
    /// if it passes, else a copy of it that does. What a living history holds
    /// goes before what is gone.
    pub(crate) fn place(&mut self, found: (i64, i64)) -> Result<Option<(i64, i64)>, StoreError> {
        let own = self.standing(found)?;
        if own == Standing::Passes {
            return Ok(Some(found));
        }
        let mut gone = (own == Standing::Gone).then_some(found);
        for at in 0.. {
            let Some(copy) = self.copy(found.0, at)? else {
                break;
            };
            match self.standing(copy)? {
                Standing::Passes => return Ok(Some(copy)),
                Standing::Gone => gone = gone.or(Some(copy)),
                Standing::Out => {}
            }
        }
        Ok(gone)
    }

    fn standing(&mut self, (turn, session): (i64, i64)) -> Result<Standing, StoreError> {
        if !self.turn(turn, session)? {
            return Ok(Standing::Out);
        }
        let gone = self
            .sessions
            .get(&session)
            .is_some_and(|row| row.gone || row.prompts_only);
        Ok(if gone {
            Standing::Gone
        } else {
            Standing::Passes
        })
    }

    /// One of the copies of a turn. They are read when the first is asked for:
    /// most searches need none.
    fn copy(&self, turn: i64, at: usize) -> Result<Option<(i64, i64)>, StoreError> {
        let copies = match self.copies.get() {
            Some(known) => known,
            None => {
                let read = copies(self.index)?;
                self.copies.get_or_init(|| read)
            }
        };
        Ok(copies.get(&turn).and_then(|c| c.get(at)).copied())
    }

    /// As [`Passing::place`], for a turn whose session is to be looked up.
    pub(crate) fn place_of(&mut self, turn: i64) -> Result<Option<(i64, i64)>, StoreError> {
        match self.index.session_of(turn)? {
            Some(session) => self.place((turn, session)),
            None => Ok(None),
        }
    }

    /// Whether a turn of a session passes.
    fn turn(&mut self, id: i64, session: i64) -> Result<bool, StoreError> {
        if !self.sessions.contains_key(&session) || !self.by_turn() {
            return Ok(self.sessions.contains_key(&session));
        }
        if let Some(known) = self.turns.get(&id) {
            return Ok(*known);
        }
        let passes = match self.index.turn(id)? {
            Some(row) => self.turn_passes(&row)?,
            None => false,
        };
        self.turns.insert(id, passes);
        Ok(passes)
    }

    fn turn_passes(&self, turn: &TurnRow) -> Result<bool, StoreError> {
        let Some(session) = self.sessions.get(&turn.session) else {
            return Ok(false);
        };
        let filter = self.filter;
        let at = turn.started_ms.or(session.started_ms);
        let in_time = filter
            .since_ms
            .is_none_or(|since| at.is_some_and(|at| at >= since))
            && filter
                .until_ms
                .is_none_or(|until| at.is_some_and(|at| at < until));
        let branch = turn.branch.as_ref().or(session.branch.as_ref());
        let on_branch = filter
            .branch
            .as_ref()
            .is_none_or(|wanted| branch == Some(wanted));
        if !(in_time && on_branch) {
            return Ok(false);
        }
        match &filter.file {
            None => Ok(true),
            Some(file) => Ok(self
                .index
                .content(turn.id)?
                .files
                .iter()
                .any(|f| path_matches(f, file))),
        }
    }
}

/// Whether a turn can be shown.
#[derive(PartialEq, Eq)]
enum Standing {
    Passes,
    /// It passes, but its history is no longer on disk.
    Gone,
    Out,
}

fn copies(index: &Reader) -> Result<Copies, StoreError> {
    let mut copies = Copies::default();
    for copy in index.copies()? {
        let known = copies.entry(copy.owner).or_default();
        known.push((copy.turn, copy.session));
    }
    Ok(copies)
}

fn passes(filter: &Filter, session: &SessionRow) -> bool {
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

/// True when a session is one of this project, named by its name or path or a
/// part of it.
pub fn is_of_project(session: &SessionRow, wanted: &str) -> bool {
    let mut paths = [&session.project, &session.cwd].into_iter().flatten();
    paths.any(|path| path_matches(path, wanted))
}
