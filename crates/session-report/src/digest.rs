//! What was done in a stretch of time: by project, then by session.

use crate::told::{Told, turns};
use crate::work::Work;
use session_core::project_name;
use session_store::{Reader, SessionRow, StoreError};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// A project with what was done in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its short name.
    pub name: String,
    /// Its folder, where it is known.
    pub path: Option<String>,
    /// Its sessions, by the time they began in this stretch.
    pub sessions: Vec<Session>,
}

impl Project {
    /// Milliseconds of work.
    pub fn active_ms(&self) -> i64 {
        self.sessions.iter().map(|s| s.work.active_ms).sum()
    }
}

/// A session with what was done in it in this stretch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The session.
    pub row: SessionRow,
    /// What was done in its turns of this stretch, and in those of its
    /// subagents.
    pub work: Work,
    /// How many subagents worked for it.
    pub subagents: usize,
}

/// The turns of this stretch, of a session and of its subagents.
#[derive(Default)]
struct Gathered {
    own: Vec<Told>,
    subagents: Vec<Vec<Told>>,
}

/// What was done from the beginning of `range` to before its end, both in
/// milliseconds since 1970, in those of `sessions`, all of the index's, that
/// `wanted` lets through. A turn belongs to the time at which it began; copies
/// of turns are left to the sessions that own them. Projects come by their
/// names, and sessions of which nothing is to be told are left out.
///
/// # Errors
/// When the index fails.
pub fn digest(
    index: &Reader,
    sessions: &[SessionRow],
    range: &Range<i64>,
    wanted: impl Fn(&SessionRow) -> bool,
) -> Result<Vec<Project>, StoreError> {
    let roots = Roots::of(sessions);
    let mut found: BTreeMap<i64, Gathered> = BTreeMap::new();
    for session in sessions.iter().filter(|s| may_be_in(s, range)) {
        let root = roots.of_session(session);
        // Of a subagent whose parent is lost nobody knows what it worked for.
        if root.parent.is_some() || !wanted(root) {
            continue;
        }
        let mut told = turns(index, session.id)?;
        told.retain(|turn| is_in(turn, range));
        if told.is_empty() {
            continue;
        }
        let gathered = found.entry(root.id).or_default();
        match root.id == session.id {
            true => gathered.own = told,
            false => gathered.subagents.push(told),
        }
    }
    let done = sessions
        .iter()
        .filter_map(|row| Some(session(row, found.remove(&row.id)?)));
    Ok(by_project(done.filter(|s| !s.work.is_empty())))
}

fn may_be_in(session: &SessionRow, range: &Range<i64>) -> bool {
    let begins = session.started_ms.or(session.ended_ms);
    let ends = session.ended_ms.or(session.started_ms);
    begins.is_some_and(|at| at < range.end) && ends.is_some_and(|at| at >= range.start)
}

fn is_in(turn: &Told, range: &Range<i64>) -> bool {
    turn.row.owner.is_none() && turn.at().is_some_and(|at| range.contains(&at))
}

fn session(row: &SessionRow, gathered: Gathered) -> Session {
    let mut work = Work::of(&gathered.own);
    let subagents = gathered.subagents.len();
    let theirs = gathered.subagents.concat();
    work.add_subagents(&gathered.own, &theirs);
    work.branch = work.branch.or_else(|| row.branch.clone());
    Session {
        row: row.clone(),
        work,
        subagents,
    }
}

fn by_project(done: impl Iterator<Item = Session>) -> Vec<Project> {
    let mut projects: BTreeMap<(String, Option<String>), Vec<Session>> = BTreeMap::new();
    for session in done {
        let path = session.row.project.clone();
        let name = path.as_deref().map(project_name).unwrap_or_default();
        let key = (name.to_owned(), path);
        projects.entry(key).or_default().push(session);
    }
    let projects = projects.into_iter().map(|((name, path), mut sessions)| {
        sessions.sort_by_key(|s| (s.work.started_ms, s.row.id));
        Project {
            name,
            path,
            sessions,
        }
    });
    projects.collect()
}

/// Who sent whom: each session's outermost parent.
struct Roots<'s> {
    by_id: HashMap<&'s str, &'s SessionRow>,
}

/// Deepest nesting of subagents that is followed.
const DEPTH: usize = 32;

impl<'s> Roots<'s> {
    fn of(sessions: &'s [SessionRow]) -> Self {
        let by_id = sessions.iter().map(|s| (s.uid.as_str(), s)).collect();
        Self { by_id }
    }

    fn of_session(&self, session: &'s SessionRow) -> &'s SessionRow {
        let mut root = session;
        for _ in 0..DEPTH {
            let parent = root.parent.as_deref().and_then(|id| self.by_id.get(id));
            match parent {
                Some(parent) if parent.id != root.id => root = parent,
                _ => break,
            }
        }
        root
    }
}
