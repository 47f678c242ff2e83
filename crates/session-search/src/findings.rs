//! Findings by which turns are listed: files they accessed, commands they ran, errors they met.

use crate::filter::SearchFilter;
use crate::find_turns::{FoundTurn, find_turns};
use crate::line_pattern::LinePattern;
use serde::Serialize;
use session_core::{
    CallStatus, CommandRunRef, TouchedFile, TurnContent, path_matches, read_pasted_path,
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
) -> Result<Vec<FoundTurn<Vec<TouchedFile>>>, StoreError> {
    for path in read_pasted_path(typed) {
        let visit = |session: &SessionRow, content: &TurnContent| {
            find_matching_files(session, content, path)
        };
        let turns = find_turns(index, sessions, filter, visit)?;
        if !turns.is_empty() {
            return Ok(turns);
        }
    }
    Ok(Vec::new())
}

/// Finds the files of a turn whose paths match; `None` where none does.
fn find_matching_files(
    session: &SessionRow,
    content: &TurnContent,
    wanted: &str,
) -> Option<Vec<TouchedFile>> {
    let files = content.accessed_files();
    let files = files.filter(|file| session_path_matches(file.path, wanted, session));
    non_empty(files.map(TouchedFile::from).collect())
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundCommand {
    /// The command line.
    pub command: String,
    /// How it ended.
    #[serde(flatten)]
    pub status: CallStatus,
}

impl From<CommandRunRef<'_>> for FoundCommand {
    fn from(run: CommandRunRef<'_>) -> Self {
        Self {
            command: run.command.to_owned(),
            status: run.status,
        }
    }
}

/// The commands that are looked for.
#[derive(Debug, Clone, Copy)]
pub struct CommandPattern<'a> {
    /// The pattern of the command line.
    pub line: &'a LinePattern,
    /// Whether only those that failed are.
    pub failed: bool,
}

impl FoundCommand {
    /// Finds the turns that ran a command, those that ran its program before its mentions, then newest first.
    ///
    /// # Errors
    /// When the index fails.
    pub fn find_turns(
        index: &Reader,
        sessions: &[SessionRow],
        filter: &SearchFilter,
        pattern: CommandPattern<'_>,
    ) -> Result<Vec<FoundTurn<Vec<Self>>>, StoreError> {
        let visit = |_: &SessionRow, content: &TurnContent| Self::find(content, &pattern);
        let mut turns = find_turns(index, sessions, filter, visit)?;
        pattern.line.sort_turns(&mut turns);
        Ok(turns)
    }

    /// Finds the commands of a turn that match; `None` where none does.
    fn find(content: &TurnContent, pattern: &CommandPattern<'_>) -> Option<Vec<Self>> {
        let runs = content.command_runs();
        let runs = runs.filter(|run| pattern.line.matches(run.command));
        let runs = runs.filter(|run| !pattern.failed || run.status.is_failed());
        non_empty(runs.map(Self::from).collect())
    }
}

/// Finds the error lines of a turn that match; `None` where none does.
pub fn find_matching_errors(content: &TurnContent, pattern: &LinePattern) -> Option<Vec<String>> {
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
