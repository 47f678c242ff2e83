//! Reports of the work in a range of time, grouped by project and session.

use crate::active_time::UncountedTime;
use crate::counted_turns::CountedTurns;
use crate::report_scope::ReportScope;
use crate::work_summary::{WorkSummary, find_problem_prompt};
use session_core::text::file_name;
use session_core::title::{PromptOpening, template_titles};
use session_store::{Reader, SessionId, SessionRow, SessionTree, StoreError, TurnRecord};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The work in a range of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkReport {
    /// The work by project, sorted by the projects' names.
    pub projects: Vec<ProjectReport>,
    /// Number of sessions with a turn in the range that are left out, since their summary is empty.
    pub unreported_sessions: usize,
}

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
    /// Sums the active time of the sessions, in milliseconds: of each its whole seconds, so that the sum is that of the
    /// times which are shown.
    pub fn active_ms(&self) -> i64 {
        let seconds = self.sessions.iter().map(|s| s.work.active_ms / 1000);
        seconds.sum::<i64>() * 1000
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
    /// All turns of the session that are no copies, whenever they began.
    starts: Vec<TurnStart>,
    subagents: Vec<Vec<TurnRecord>>,
    uncounted: UncountedTime,
}

/// The beginning of a turn in milliseconds since 1970.
struct TurnStart {
    time_ms: i64,
    /// Whether the turn is of the branch that is reported.
    is_of_branch: bool,
}

impl SessionTurns {
    /// Removes the subagents that began in turns of another branch, and all of a session that has no turn.
    fn remove_subagents_of_other_branches(&mut self) {
        let (starts, uncounted) = (&self.starts, &mut self.uncounted);
        self.subagents.retain(|turns| {
            let began_ms = begin_ms(turns);
            let before = starts.iter().filter(|turn| Some(turn.time_ms) <= began_ms);
            let starting = before.max_by_key(|turn| turn.time_ms).or(starts.first());
            let is_of_branch = starting.is_some_and(|turn| turn.is_of_branch);
            if !is_of_branch {
                uncounted.add(turns);
            }
            is_of_branch
        });
    }
}

/// Reports the work of all projects in `range`.
///
/// `range` is half-open, in milliseconds since 1970; a turn belongs to the time at which
/// it started. `sessions` are all sessions of the index; the report covers those of
/// `scope`. Copies of another session's turns and sessions whose summary is
/// empty are left out.
///
/// # Errors
/// When the index fails.
pub fn report_projects(
    index: &Reader,
    sessions: &[SessionRow],
    range: &Range<i64>,
    scope: ReportScope<'_>,
) -> Result<WorkReport, StoreError> {
    let mut turns_by_root = read_turns_by_root(index, sessions, range, scope)?;
    let mut openings = Vec::new();
    let mut reports = Vec::new();
    let mut unreported_sessions = 0;
    for row in sessions {
        let Some(turns) = turns_by_root.remove(&row.id) else {
            continue;
        };
        let prompt = find_problem_prompt(&turns.own).unwrap_or_default();
        let opening = PromptOpening::new(prompt);
        let report = report_session(row, turns);
        if !report.work.is_empty() {
            openings.push(opening);
            reports.push(report);
        } else if report.work.turns > 0 {
            unreported_sessions += 1;
        }
    }
    remove_problem_templates(&mut reports, &openings);
    remove_shared_problems(&mut reports);
    Ok(WorkReport {
        projects: group_by_project(reports.into_iter()),
        unreported_sessions,
    })
}

/// Reads the turns in the range, by the root of their sessions.
fn read_turns_by_root(
    index: &Reader,
    sessions: &[SessionRow],
    range: &Range<i64>,
    scope: ReportScope<'_>,
) -> Result<BTreeMap<SessionId, SessionTurns>, StoreError> {
    let tree = SessionTree::new(sessions);
    let overlapping = sessions.iter().filter(|s| overlaps_range(s, range));
    let roots: BTreeSet<SessionId> = overlapping.map(|s| tree.find_root(s).id).collect();
    let mut turns_by_root: BTreeMap<SessionId, SessionTurns> = BTreeMap::new();
    // A root that ended before the range has the branch of its subagents.
    let is_read = |s: &&SessionRow| roots.contains(&s.id) || overlaps_range(s, range);
    for session in sessions.iter().filter(is_read) {
        let root = tree.find_root(session);
        // A subagent whose parent is missing cannot be assigned to a session.
        if root.parent.is_some() || !(scope.includes_root)(root) {
            continue;
        }
        let mut starts = Vec::new();
        let is_subagent = session.parent.is_some();
        let read = CountedTurns::read(index, session, |turn, time_ms| {
            let is_of_branch = is_subagent || scope.covers_turn(session, turn);
            starts.push(TurnStart {
                time_ms,
                is_of_branch,
            });
            is_of_branch && range.contains(&time_ms)
        })?;
        let session_turns = turns_by_root.entry(root.id).or_default();
        let is_root = root.id == session.id;
        if is_root {
            session_turns.starts = starts;
        }
        if read.turns.is_empty() {
            continue;
        }
        if is_root {
            session_turns.own = read.turns;
            session_turns.uncounted = read.uncounted;
        } else {
            session_turns.subagents.push(read.turns)
        }
    }
    if scope.branch.is_some() {
        // Subagents follow the turn that started them, whatever branch they name.
        let turns = turns_by_root.values_mut();
        turns.for_each(SessionTurns::remove_subagents_of_other_branches);
    }
    Ok(turns_by_root)
}

/// Replaces the problem of each session whose prompt begins with a template by what follows the template, as in titles.
fn remove_problem_templates(reports: &mut [SessionReport], openings: &[PromptOpening]) {
    for (report, title) in reports.iter_mut().zip(template_titles(openings)) {
        let title = title.map(|title| title.title);
        report.work.problem = title.or_else(|| report.work.problem.take());
    }
}

/// Removes a problem that several sessions have: it tells none of them from the others.
fn remove_shared_problems(reports: &mut [SessionReport]) {
    let mut seen = BTreeSet::new();
    let problems = reports
        .iter()
        .filter_map(|report| report.work.problem.clone());
    let shared: BTreeSet<String> = problems
        .filter(|problem| !seen.insert(problem.clone()))
        .collect();
    for report in reports {
        report
            .work
            .problem
            .take_if(|problem| shared.contains(problem));
    }
}

fn overlaps_range(session: &SessionRow, range: &Range<i64>) -> bool {
    let started_ms = session.started_ms.or(session.ended_ms);
    let ended_ms = session.ended_ms.or(session.started_ms);
    started_ms.is_some_and(|at| at < range.end) && ended_ms.is_some_and(|at| at >= range.start)
}

fn report_session(row: &SessionRow, mut turns: SessionTurns) -> SessionReport {
    // Numbers of sessions depend on when they were indexed.
    turns.subagents.sort_by_key(|turns| begin_ms(turns));
    let subagent_turns = turns.subagents.concat();
    let mut work =
        WorkSummary::from_own_and_subagents(&turns.own, &subagent_turns, &turns.uncounted);
    work.branch = work.branch.or_else(|| row.branch.clone());
    SessionReport {
        row: row.clone(),
        work,
        subagents: turns.subagents.len(),
    }
}

fn begin_ms(turns: &[TurnRecord]) -> Option<i64> {
    turns.first().and_then(|turn| turn.row.timestamp_ms())
}

fn group_by_project(reports: impl Iterator<Item = SessionReport>) -> Vec<ProjectReport> {
    let mut projects: BTreeMap<(String, Option<String>), Vec<SessionReport>> = BTreeMap::new();
    for report in reports {
        let path = report.row.project.clone();
        let name = path.as_deref().map(file_name).unwrap_or_default();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn report(problem: &str, active_ms: i64) -> SessionReport {
        SessionReport {
            row: SessionRow::default(),
            work: WorkSummary {
                problem: Some(problem.to_owned()),
                active_ms,
                ..WorkSummary::default()
            },
            subagents: 0,
        }
    }

    fn problems(reports: &[SessionReport]) -> Vec<Option<&str>> {
        let problems = reports.iter().map(|report| report.work.problem.as_deref());
        problems.collect()
    }

    #[test]
    fn problems_of_one_template_are_what_differs() {
        let template = "Your name is Dori. You are executing tasks from a Playbook.";
        let prompts = ["lamp.md", "gate.md", "gauge.md"].map(|task| format!("{template} {task}"));
        let prompts = prompts.iter().map(String::as_str);
        let (mut reports, openings): (Vec<_>, Vec<_>) = prompts
            .chain(["Mend the boiler"])
            .map(|prompt| (report(prompt, 0), PromptOpening::new(prompt)))
            .unzip();
        remove_problem_templates(&mut reports, &openings);
        let rests = ["… lamp.md", "… gate.md", "… gauge.md", "Mend the boiler"];
        assert_eq!(problems(&reports), rests.map(Some));
    }

    #[test]
    fn a_problem_that_sessions_share_is_left_out() {
        let mut reports = ["Oil it", "Mend the boiler", "Oil it"].map(|problem| report(problem, 0));
        remove_shared_problems(&mut reports);
        assert_eq!(problems(&reports), [None, Some("Mend the boiler"), None]);
    }

    #[test]
    fn the_time_of_a_project_is_the_sum_of_whole_seconds() {
        let sessions = vec![report("Oil it", 1_900), report("Mend it", 2_900)];
        let project = ProjectReport {
            name: String::new(),
            path: None,
            sessions,
        };
        assert_eq!(project.active_ms(), 3_000);
    }
}
