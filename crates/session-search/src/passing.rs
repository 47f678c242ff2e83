//! Which sessions and turns a filter lets through.

use session_core::{Filter, path_matches, project_matches};
use session_store::{Reader, SessionRow, StoreError, TurnRow};
use std::collections::HashMap;

/// A filter applied to an index. Sessions are judged at once, turns when they
/// are met, each once.
pub(crate) struct Passing<'a> {
    index: &'a Reader,
    filter: &'a Filter,
    sessions: HashMap<i64, &'a SessionRow>,
    turns: HashMap<i64, bool>,
    /// The copies of a turn, as turn and session.
    copies: HashMap<i64, Vec<(i64, i64)>>,
}

impl<'a> Passing<'a> {
    pub(crate) fn new(
        index: &'a Reader,
        sessions: &'a [SessionRow],
        filter: &'a Filter,
    ) -> Result<Self, StoreError> {
        let passing = sessions.iter().filter(|s| passes(filter, s));
        let mut copies: HashMap<i64, Vec<(i64, i64)>> = HashMap::new();
        for copy in index.copies()? {
            let known = copies.entry(copy.owner).or_default();
            known.push((copy.turn, copy.session));
        }
        Ok(Self {
            index,
            filter,
            sessions: passing.map(|s| (s.id, s)).collect(),
            turns: HashMap::new(),
            copies,
        })
    }

    /// The sessions that pass.
    pub(crate) fn sessions(&self) -> &HashMap<i64, &'a SessionRow> {
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
        let copies = self.copies.get(&found.0).cloned().unwrap_or_default();
        let mut gone = None;
        for (turn, session) in std::iter::once(found).chain(copies) {
            if self.turn(turn, session)? {
                match self.sessions.get(&session) {
                    Some(row) if row.gone => gone = gone.or(Some((turn, session))),
                    _ => return Ok(Some((turn, session))),
                }
            }
        }
        Ok(gone)
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

fn passes(filter: &Filter, session: &SessionRow) -> bool {
    let of_project = |wanted: &String| {
        let paths = [&session.project, &session.cwd];
        paths
            .into_iter()
            .flatten()
            .any(|path| project_matches(path, wanted))
    };
    (filter.subagents || session.parent.is_none() || filter.session == Some(session.id))
        && filter.session.is_none_or(|id| id == session.id)
        && !filter.exclude.contains(&session.id)
        && filter
            .source
            .as_ref()
            .is_none_or(|source| *source == session.source)
        && filter.project.as_ref().is_none_or(of_project)
        && filter
            .since_ms
            .is_none_or(|since| session.ended_ms.is_some_and(|at| at >= since))
        && filter
            .until_ms
            .is_none_or(|until| session.started_ms.is_some_and(|at| at < until))
}
