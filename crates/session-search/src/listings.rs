//! Lists turns by what they hold, without ranking: files they accessed, commands they ran, errors they met.

use crate::filter::SearchFilter;
use crate::find_turns::{FoundTurn, find_turns};
use crate::line_pattern::LinePattern;
use serde::Serialize;
use session_core::{
    AccessedFile, CallStatus, FileAccess, TurnContent, pasted_path_readings, path_matches,
};
use session_store::{Reader, SessionRow, StoreError};
use std::path::Path;

/// Finds the turns that accessed a file, newest first. A path that was pasted is read without what surrounds it where it
/// finds nothing as typed.
///
/// # Errors
/// When the index fails.
pub fn find_file_turns(
    index: &Reader,
    sessions: &[SessionRow],
    filter: &SearchFilter,
    typed: &str,
) -> Result<Vec<FoundTurn<Vec<AccessedFile>>>, StoreError> {
    find_access_turns(index, sessions, filter, typed, |_| true)
}

/// Finds the turns that changed a file, as [`find_file_turns`] does those that accessed it.
///
/// # Errors
/// When the index fails.
pub fn find_change_turns(
    index: &Reader,
    sessions: &[SessionRow],
    filter: &SearchFilter,
    typed: &str,
) -> Result<Vec<FoundTurn<Vec<AccessedFile>>>, StoreError> {
    let is_change = |access| access != FileAccess::Read;
    find_access_turns(index, sessions, filter, typed, is_change)
}

fn find_access_turns(
    index: &Reader,
    sessions: &[SessionRow],
    filter: &SearchFilter,
    typed: &str,
    is_wanted: impl Fn(FileAccess) -> bool,
) -> Result<Vec<FoundTurn<Vec<AccessedFile>>>, StoreError> {
    for path in pasted_path_readings(typed) {
        let visit = |session: &SessionRow, content: &TurnContent| {
            let files = content.accessed_files();
            let files = files.filter(|file| {
                is_wanted(file.access) && session_path_matches(file.path, path, session)
            });
            non_empty(files.map(AccessedFile::from).collect())
        };
        let turns = find_turns(index, sessions, filter, visit)?;
        if !turns.is_empty() {
            return Ok(turns);
        }
    }
    Ok(Vec::new())
}

/// Returns true when a file of a session matches by its path. A relative path, as a patch names it,
/// is also tried below the session's folder.
fn session_path_matches(path: &str, wanted: &str, session: &SessionRow) -> bool {
    let matches = |path: &str| path_matches(path, wanted);
    let folder = session
        .cwd
        .as_deref()
        .filter(|_| Path::new(path).is_relative());
    matches(path) || folder.is_some_and(|folder| matches(&format!("{folder}/{path}")))
}

/// A command that a turn ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FoundCommand {
    /// The command line.
    pub command: String,
    /// How it ended.
    #[serde(flatten)]
    pub status: CallStatus,
    /// The first of [`TurnContent::ranked_errors_of_run`], where it failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    /// Index in [`TurnContent::runs`].
    #[serde(skip)]
    pub run: usize,
    /// True for a search that failed since it found nothing.
    #[serde(skip)]
    pub found_nothing: bool,
    /// True for a run that failed at some work, as [`TurnContent::has_failed`] says: errors of others have no cure.
    #[serde(skip)]
    pub has_failed: bool,
}

/// Most error lines of a command.
const MAX_ERRORS: usize = 3;

/// The commands that are looked for.
#[derive(Debug, Clone, Copy)]
pub struct CommandPattern<'a> {
    /// The pattern of the command line.
    pub line: &'a LinePattern,
    /// Whether only those that failed are.
    pub only_failed: bool,
}

/// Finds the turns that ran a command, those that ran its program before its mentions, then newest first.
///
/// # Errors
/// When the index fails.
pub fn find_command_turns(
    index: &Reader,
    sessions: &[SessionRow],
    filter: &SearchFilter,
    pattern: CommandPattern<'_>,
) -> Result<Vec<FoundTurn<Vec<FoundCommand>>>, StoreError> {
    let visit = |_: &SessionRow, content: &TurnContent| FoundCommand::find(content, &pattern);
    let mut turns = find_turns(index, sessions, filter, visit)?;
    sort_by_match(&mut turns, pattern.line);
    Ok(turns)
}

/// Sorts turns and the commands of each by how closely they match: runs of a program come first, then commands that
/// mention it as a word, then those that hold it as a part of a word. Commands that match alike keep their order.
fn sort_by_match(turns: &mut [FoundTurn<Vec<FoundCommand>>], pattern: &LinePattern) {
    let kind = |run: &FoundCommand| pattern.match_kind(&run.command);
    for turn in turns.iter_mut() {
        turn.found.sort_by_cached_key(kind);
    }
    turns.sort_by_cached_key(|turn| turn.found.first().map(kind));
}

impl FoundCommand {
    /// Finds the commands of a turn that match; `None` if none does.
    fn find(content: &TurnContent, pattern: &CommandPattern<'_>) -> Option<Vec<Self>> {
        let runs = 0..content.runs.len();
        let found = runs.filter_map(|run| Self::read(content, run, pattern));
        non_empty(found.collect())
    }

    /// Reads a run of a turn; `None` if it does not match.
    fn read(content: &TurnContent, run: usize, pattern: &CommandPattern<'_>) -> Option<Self> {
        let status = content.runs.get(run)?.status;
        let command = content.commands.get(content.runs.get(run)?.command)?;
        let may_match = !pattern.only_failed || status.is_failed();
        if !may_match || !pattern.line.matches(command) {
            return None;
        }
        let errors = match status.is_failed() {
            true => content.ranked_errors_of_run(run),
            false => Vec::new(),
        };
        let errors = errors.into_iter().take(MAX_ERRORS);
        Some(Self {
            command: command.clone(),
            status,
            errors: errors.map(str::to_owned).collect(),
            run,
            found_nothing: content.found_nothing(run),
            has_failed: content.has_failed(run),
        })
    }
}

/// Finds the turns that met an error, each with the lines of their errors that match, newest first.
///
/// # Errors
/// When the index fails.
pub fn find_error_turns(
    index: &Reader,
    sessions: &[SessionRow],
    filter: &SearchFilter,
    pattern: &LinePattern,
) -> Result<Vec<FoundTurn<Vec<String>>>, StoreError> {
    let visit = |_: &SessionRow, content: &TurnContent| find_matching_errors(content, pattern);
    find_turns(index, sessions, filter, visit)
}

/// Finds the error lines of a turn that match; `None` if none does.
fn find_matching_errors(content: &TurnContent, pattern: &LinePattern) -> Option<Vec<String>> {
    let lines = content.errors.iter().flat_map(|error| error.lines());
    let lines = lines.filter(|line| pattern.matches(line));
    non_empty(lines.map(str::to_owned).collect())
}

fn non_empty<T>(found: Vec<T>) -> Option<Vec<T>> {
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::{CommandRunEntry, RunError};
    use session_store::TurnRow;

    fn run(command: &str) -> FoundCommand {
        FoundCommand {
            command: command.to_owned(),
            ..FoundCommand::default()
        }
    }

    #[test]
    fn a_run_that_failed_has_its_error_lines() {
        let run = |command, status| CommandRunEntry {
            command,
            status,
            changes_before: 0,
        };
        let content = TurnContent {
            commands: vec!["make lamp".into(), "grep oil lamp.c".into()],
            errors: vec!["lamp.c:7: error: no wick".into()],
            runs: vec![
                run(0, CallStatus::Failed),
                run(1, CallStatus::Failed),
                run(0, CallStatus::Done),
            ],
            run_errors: [0, 2].map(|run| RunError { run, error: 0 }).into(),
            ..TurnContent::default()
        };
        let find = |only_failed| {
            let line = &LinePattern::new("*");
            FoundCommand::find(&content, &CommandPattern { line, only_failed }).unwrap()
        };
        let failed = find(true);
        let runs: Vec<_> = failed
            .iter()
            .map(|run| (run.run, run.found_nothing, run.has_failed))
            .collect();
        assert_eq!(runs, [(0, false, true), (1, true, false)]);
        assert_eq!(failed[0].errors, ["lamp.c:7: error: no wick"]);
        let all = find(false);
        assert_eq!((all.len(), &all[2].errors), (3, &Vec::new()));
    }

    #[test]
    fn a_program_comes_before_its_mentions() {
        let turn = |commands: &[&str]| FoundTurn {
            session: SessionRow::default(),
            turn: TurnRow::default(),
            found: commands.iter().map(|command| run(command)).collect(),
        };
        let mut turns = [
            turn(&["git add Dockerfile"]),
            turn(&["sed -n 1p docker-entrypoint.sh", "grep -n docker README.md"]),
            turn(&[
                "cat > notes <<EOF\ndocker build\nEOF",
                "cd app && sudo docker build .",
            ]),
            turn(&["/usr/bin/docker build ."]),
        ];
        sort_by_match(&mut turns, &LinePattern::new("docker"));
        let firsts = turns.each_ref().map(|turn| turn.found[0].command.as_str());
        assert_eq!(
            firsts,
            [
                "cd app && sudo docker build .",
                "/usr/bin/docker build .",
                "grep -n docker README.md",
                "git add Dockerfile",
            ]
        );
    }

    #[test]
    fn error_lines_are_found_one_by_one() {
        let content = TurnContent {
            errors: vec!["error: EMFILE\nerror: too many open files".into()],
            ..TurnContent::default()
        };
        let find = |pattern: &str| find_matching_errors(&content, &LinePattern::new(pattern));
        assert_eq!(find("emfile").unwrap(), ["error: EMFILE"]);
        assert_eq!(find("error").unwrap().len(), 2);
        assert_eq!(find("EMFILE * too"), None);
    }
}
