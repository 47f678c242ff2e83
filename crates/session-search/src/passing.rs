//! Which sessions and turns a filter lets through.

use session_core::{Filter, path_matches, project_matches};
use session_store::{Reader, SessionRow, StoreError, TurnRow};
use std::collections::HashMap;

/// A filter applied to an index. Sessions are judged at once, turns when they
/// are met, each once.
pub(crate) struct Passing<'a> {
    index: &'a Reader,
    filter: &'a Filter,
    sessions: HashMap<i64, SessionRow>,
    turns: HashMap<i64, Option<TurnRow>>,
}

impl<'a> Passing<'a> {
    pub(crate) fn new(index: &'a Reader, filter: &'a Filter) -> Result<Self, StoreError> {
        let sessions = index
            .sessions()?
            .into_iter()
            .filter(|s| passes(filter, s))
            .map(|s| (s.id, s))
            .collect();
        Ok(Self {
            index,
            filter,
            sessions,
            turns: HashMap::new(),
        })
    }

    /// The sessions that pass.
    pub(crate) fn sessions(&self) -> &HashMap<i64, SessionRow> {
        &self.sessions
    }

    pub(crate) fn into_sessions(self) -> HashMap<i64, SessionRow> {
        self.sessions
    }

    /// True when single turns are judged, too.
    pub(crate) fn by_turn(&self) -> bool {
        self.filter.by_turn()
    }

    /// The session of a turn, if both pass.
    pub(crate) fn turn(&mut self, id: i64) -> Result<Option<i64>, StoreError> {
        if let Some(known) = self.turns.get(&id) {
            return Ok(known.as_ref().map(|t| t.session));
        }
        let row = match self.index.turn(id)? {
            Some(row) if self.turn_passes(&row)? => Some(row),
            _ => None,
        };
        let session = row.as_ref().map(|t| t.session);
        self.turns.insert(id, row);
        Ok(session)
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
