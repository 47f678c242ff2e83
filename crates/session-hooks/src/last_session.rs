//! The line about the last session of a project, for the start of the next one.

use crate::history_line::{HistoryLine, shorten};
use crate::hook_call::HookCall;
use crate::project_sessions::ProjectDirectories;
use session_config::Home;
use session_display::SessionIds;
use session_memory::MemoryBlock;
use session_query::{REFRESH_BUDGET, SearchEngine};
use session_report::WorkSummary;
use session_store::{Reader, SessionRow};
use std::collections::BTreeMap;

/// The most characters of the line.
const MAX_CHARS: usize = 500;
/// The most bytes of an error.
const ERROR_BYTES: usize = 120;

impl HookCall {
    /// Formats the line about the last session of the project: its task, the outcome, the last error, and its id. The
    /// calling session is left out. There is no line where the index cannot be brought up to date in time: who does not
    /// search between two sessions would be told an older one as the last.
    pub(crate) fn describe_last_session(&self) -> Option<MemoryBlock> {
        let memories = &self.memories;
        let calling_session = self.input.session_id.as_deref();
        let project = ProjectDirectories::new(memories.project.as_ref()?, &memories.home.env.home);
        let index = open_fresh_index(&memories.home)?;
        let sessions = index.sessions().ok()?;
        let last = sessions
            .iter()
            .filter(|session| is_candidate(session, calling_session) && project.has(session))
            .max_by_key(|session| (session.ended_ms, &session.uid))?;
        let work = WorkSummary::read_last_task(&index, last.id).ok()?;
        let line = HistoryLine {
            label: "last session",
            text: describe_work(work)?,
            id: format!(
                "session-search show {}",
                SessionIds::new(&sessions).short_id(last)
            ),
            time_ms: last.ended_ms?,
            max_chars: MAX_CHARS,
        };
        line.into_block(&memories.home.config)
    }
}

/// Opens the index after what changed was read within [`REFRESH_BUDGET`]. None is made or migrated, nor is an empty one
/// filled or one redacted by other rules, which has no limit of time, nor one read by variables that no search had.
fn open_fresh_index(home: &Home) -> Option<Reader> {
    let index = home.index().ok()?;
    let is_slow = index.is_empty().ok()? || SearchEngine::awaits_redaction(home, &index);
    if is_slow || !SearchEngine::has_known_environment(home, &index) {
        return None;
    }
    drop(index);
    let engine = SearchEngine::new(home.clone()).ok()?;
    let refresh = engine.refresh_within(Some(REFRESH_BUDGET)).ok()?;
    refresh.is_complete().then(|| home.index().ok())?
}

fn is_candidate(session: &SessionRow, calling_session: Option<&str>) -> bool {
    session.parent.is_none() && session.turns > 0 && calling_session != Some(&session.uid)
}

/// Describes the work of a session in a line; `None` if it has no prompt.
fn describe_work(work: WorkSummary) -> Option<String> {
    let error = work.errors.last().filter(|_| !has_repeated_all(&work));
    let error = error.map(|line| format!("Last error: {}", shorten(line, ERROR_BYTES)));
    let problem = work.problem?;
    let outcome = work.solution.map(|text| format!("Outcome: {text}"));
    let parts = [Some(problem), outcome, error];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Some(parts.join(" — "))
}

/// Returns true if commands failed, and each of them succeeded when it ran last.
fn has_repeated_all(work: &WorkSummary) -> bool {
    let mut last_runs = BTreeMap::new();
    for run in &work.commands {
        last_runs.insert(run.command.as_str(), run.status.is_failed());
    }
    let has_failed = work.commands.iter().any(|run| run.status.is_failed());
    has_failed && !last_runs.values().any(|failed| *failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::CallStatus;
    use session_report::CommandRun;

    #[test]
    fn an_error_of_a_command_that_succeeded_later_is_left_out() {
        let run = |status| CommandRun {
            command: "go test ./...".to_owned(),
            status,
            turn: 0,
        };
        let (done, failed) = (CallStatus::Done, CallStatus::Failed);
        let line = |commands| {
            describe_work(WorkSummary {
                problem: Some("the tips are wrong".to_owned()),
                errors: vec!["lines_test.go:12: total = 1200, want 12.00".to_owned()],
                commands,
                ..WorkSummary::default()
            })
        };
        let has_error = |commands| line(commands).unwrap().contains("Last error");
        assert!(has_error(vec![run(done), run(failed)]));
        assert!(!has_error(vec![run(failed), run(done)]));
        assert!(has_error(Vec::new()));
    }

    #[test]
    fn the_parts_of_a_line_are_told_apart() {
        let work = WorkSummary {
            problem: Some("ok lets get back to the ferry".to_owned()),
            solution: Some("It sails. The bell rings".to_owned()),
            errors: vec!["error: no oil".to_owned(), "error: ".repeat(40)],
            ..WorkSummary::default()
        };
        let line = describe_work(work.clone()).unwrap();
        let (before, error) = line.split_once(" — Last error: ").unwrap();
        assert_eq!(
            before,
            "ok lets get back to the ferry — Outcome: It sails. The bell rings"
        );
        assert!(error.ends_with('…') && error.len() <= ERROR_BYTES + "…".len());
        let bare = WorkSummary {
            problem: None,
            ..work
        };
        assert_eq!(describe_work(bare), None);
    }
}
