//! Reports of the work in a range of time, grouped by project and session.

use crate::turn_record::{TurnRecord, read_turns};
use crate::work_summary::WorkSummary;
use session_core::project_name;
use session_store::{Reader, SessionId, SessionRow, SessionTree, StoreError};
use std::collections::BTreeMap;
use std::ops::Range;

/// A project and the reports of its sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectReport {
    /// Short name of the project.
    pub name: String,
    /// Directory of the project, where it is known.
    pub path: Option<String>,
    /// Reports of the sessions, sorted by their first turn in the range.
    pub sessions: Vec<SessionReport>,
}

impl ProjectReport {
    /// Sums the active time of the sessions, in milliseconds.
    pub fn active_ms(&self) -> i64 {
        self.sessions.iter().map(|s| s.work.active_ms).sum()
    }
}

/// A session and the summary of its work in the range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionReport {
    /// The session's row in the index.
    pub row: SessionRow,
    /// Summary of the session's turns and its subagents' turns in the range.
    pub work: WorkSummary,
    /// Number of subagents with a turn in the range.
    pub subagents: usize,
}

/// Turns in the range of a root session and of its subagents.
#[derive(Default)]
struct SessionTurns {
    own: Vec<TurnRecord>,
    subagents: Vec<Vec<TurnRecord>>,
}

/// Reports the work of all projects in `range`, sorted by the projects' names.
///
/// `range` is half-open, in milliseconds since 1970; a turn belongs to the time at which
/// it started. `sessions` are all sessions of the index; the report covers those roots
/// that `include_root` accepts. Copies of another session's turns and sessions whose summary is
/// empty are left out.
///
/// # Errors
/// When the index fails.
pub fn report_projects(
    index: &Reader,
    sessions: &[SessionRow],
    range: &Range<i64>,
    include_root: impl Fn(&SessionRow) -> bool,
) -> Result<Vec<ProjectReport>, StoreError> {
    let tree = SessionTree::new(sessions);
    let mut turns_by_root: BTreeMap<SessionId, SessionTurns> = BTreeMap::new();
    for session in sessions.iter().filter(|s| overlaps_range(s, range)) {
        let root = tree.find_root(session);
        // A subagent whose parent is missing cannot be assigned to a session.
        if root.parent.is_some() || !include_root(root) {
            continue;
        }
        let mut turns = read_turns(index, session.id)?;
        turns.retain(|turn| is_original_in_range(turn, range));
        if turns.is_empty() {
            continue;
        }
        let session_turns = turns_by_root.entry(root.id).or_default();
        match root.id == session.id {
            true => session_turns.own = turns,
            false => session_turns.subagents.push(turns),
        }
    }
    let reports = sessions
        .iter()
        .filter_map(|row| Some(report_session(row, turns_by_root.remove(&row.id)?)));
    Ok(group_by_project(reports.filter(|s| !s.work.is_empty())))
}

fn overlaps_range(session: &SessionRow, range: &Range<i64>) -> bool {
    let started_ms = session.started_ms.or(session.ended_ms);
    let ended_ms = session.ended_ms.or(session.started_ms);
    started_ms.is_some_and(|at| at < range.end) && ended_ms.is_some_and(|at| at >= range.start)
}

/// Returns true for a turn that is no copy and that started in the range.
fn is_original_in_range(turn: &TurnRecord, range: &Range<i64>) -> bool {
    turn.row.owner.is_none() && turn.timestamp_ms().is_some_and(|at| range.contains(&at))
}

fn report_session(row: &SessionRow, mut turns: SessionTurns) -> SessionReport {
    // Numbers of sessions depend on when they were indexed.
    let begin = |turns: &Vec<TurnRecord>| turns.first().and_then(TurnRecord::timestamp_ms);
    turns.subagents.sort_by_key(begin);
    let mut work = WorkSummary::from_turns(&turns.own);
    let subagents = turns.subagents.len();
    work.add_subagent_turns(&turns.own, &turns.subagents.concat());
    work.branch = work.branch.or_else(|| row.branch.clone());
    SessionReport {
        row: row.clone(),
        work,
        subagents,
    }
}

fn group_by_project(reports: impl Iterator<Item = SessionReport>) -> Vec<ProjectReport> {
    let mut projects: BTreeMap<(String, Option<String>), Vec<SessionReport>> = BTreeMap::new();
    for report in reports {
        let path = report.row.project.clone();
        let name = path.as_deref().map(project_name).unwrap_or_default();
        let key = (name.to_owned(), path);
        projects.entry(key).or_default().push(report);
    }
    let projects = projects.into_iter().map(|((name, path), mut sessions)| {
        sessions.sort_by_key(|s| (s.work.started_ms, s.row.id));
        ProjectReport {
            name,
            path,
            sessions,
        }
    });
    projects.collect()
}
