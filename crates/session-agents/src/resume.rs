//! The command that resumes a session with its agent.

use crate::shell_quote::quote_word;
use serde::Serialize;
use session_core::text::{collapse_whitespace, path_line, sanitize_text};
use session_sources::{Env, FolderVariable, find_source};
use session_store::{Reader, SessionRow};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The command that resumes a session, in the form that `--json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResumeCommand<'a> {
    /// Name of the agent.
    pub source: &'a str,
    /// The agent's id of the session.
    pub session: &'a str,
    /// Directory to run it in, if the session has one.
    #[serde(rename = "path")]
    pub directory: Option<&'a str>,
    /// That directory exists.
    #[serde(rename = "path_exists")]
    pub directory_exists: bool,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables that the program needs to find the session; `None` for one that must not be set.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<&'static str, Option<String>>,
    /// Id of the session that repeats all turns of this one and goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continued_in: Option<&'a str>,
}

/// A session that cannot be resumed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .reason.describe(.session))]
pub struct ResumeError {
    /// Id of the session.
    pub session: String,
    /// Why it cannot be resumed.
    pub reason: ResumeObstacle,
}

/// The reason for which a session cannot be resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResumeObstacle {
    /// It is a subagent's: agents resume only the session that started it.
    Subagent {
        /// Id of the session that started it, or its address.
        parent: String,
    },
    /// It is a subagent's, and the session that started it is not in the index.
    OrphanedSubagent,
    /// Only its prompts are left.
    TranscriptDeleted,
    /// Its history is no longer on disk.
    HistoryGone,
    /// Its history lies in a folder that nothing names now, and no variable is known by which its agent finds it.
    UnnamedFolder,
    /// Its history lies in the home of another machine.
    OtherMachine,
    /// Its agent has no command for it.
    Unsupported,
    /// Its agent resumes it, but has no command that forks it.
    NoFork {
        /// Name of the agent as people write it.
        agent: &'static str,
    },
}

impl ResumeError {
    /// Returns what a user can do about it.
    pub fn hint(&self) -> String {
        self.reason.hint(&quote_line(&self.session))
    }

    /// Names the session by the address that hits use, where its id may be that of another session, too.
    #[must_use]
    pub fn with_address(mut self, address: String) -> Self {
        self.session = address;
        self
    }

    /// Names the session that started a subagent by its address, too. It is left out where it is not one of `all`.
    #[must_use]
    pub fn with_parent_address(
        mut self,
        all: &[SessionRow],
        address: impl Fn(&SessionRow) -> String,
    ) -> Self {
        if let ResumeObstacle::Subagent { parent } = &mut self.reason {
            match all.iter().find(|row| row.uid == *parent) {
                Some(row) => *parent = address(row),
                None => self.reason = ResumeObstacle::OrphanedSubagent,
            }
        }
        self
    }
}

impl ResumeObstacle {
    /// Formats why a session cannot be resumed.
    fn describe(&self, session: &str) -> String {
        match self {
            Self::Subagent { .. } => {
                format!("{session} is the session of a subagent, which cannot be resumed")
            }
            Self::OrphanedSubagent => format!(
                "{session} is the session of a subagent, and the one that started it is not in the index"
            ),
            Self::TranscriptDeleted => {
                format!("the transcript of {session} was deleted, so its agent cannot resume it")
            }
            Self::HistoryGone => {
                format!("the history of {session} is gone, so its agent cannot resume it")
            }
            Self::UnnamedFolder => format!(
                "the history of {session} is in a folder that no variable names now, so its agent does not find it"
            ),
            Self::OtherMachine => format!(
                "{session} is a session of another machine, so its agent cannot resume it here"
            ),
            Self::Unsupported => format!("{session} cannot be resumed by its id"),
            Self::NoFork { agent } => format!("{agent} has no command that forks a session"),
        }
    }

    /// Returns what a user can do about it. `session` is quoted for a shell.
    fn hint(&self, session: &str) -> String {
        match self {
            Self::Subagent { parent } => {
                let parent = quote_line(parent);
                format!("`session-search resume {parent}` resumes the session that started it")
            }
            Self::OrphanedSubagent => {
                format!("`session-search show {session}` has what was said in it")
            }
            Self::TranscriptDeleted => format!("`session-search show {session}` has its prompts"),
            Self::HistoryGone => {
                format!("`session-search show {session}` has what was indexed of it")
            }
            Self::UnnamedFolder => format!(
                "set the variable that named the folder, or `session-search show {session}` has what was said in it"
            ),
            Self::OtherMachine => format!(
                "`session-search export {session}` writes all that was said, for a new session to read"
            ),
            Self::NoFork { .. } => {
                format!("`session-search resume {session}` resumes the session itself")
            }
            Self::Unsupported => "`session-search show` has what was said in it".to_owned(),
        }
    }
}

/// The reason for which the command that resumes a session does not start here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartObstacle {
    /// The session's directory is gone.
    #[error("the session's folder `{}` is not there any more", path_line(Path::new(.0)))]
    MissingDirectory(String),
    /// The agent's program is not found.
    #[error("there is no `{0}` on PATH")]
    MissingProgram(String),
}

/// The reason for which a command is not printed: it would name another folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a folder of the session has invisible characters in its name, and cannot be printed")]
pub struct UnprintableFolder;

/// Returns an id as one word of a command on one line: a session chooses its own.
fn quote_line(id: &str) -> String {
    quote_word(&collapse_whitespace(id))
}

/// The way in which a session is resumed: itself, or as a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeMode {
    /// The session itself goes on.
    Continue,
    /// A new session begins as this one, which stays as it is.
    Fork,
}

impl<'a> ResumeCommand<'a> {
    /// Returns the command that takes a session up again.
    ///
    /// # Errors
    /// When the session cannot be resumed, or its agent has no such command.
    pub fn new(session: &'a SessionRow, mode: ResumeMode) -> Result<Self, ResumeError> {
        let refuse = |reason| ResumeError {
            session: session.uid.clone(),
            reason,
        };
        if let Some(obstacle) = find_obstacle(session) {
            return Err(refuse(obstacle));
        }
        let command = match mode {
            ResumeMode::Continue => resume_arguments(session),
            ResumeMode::Fork => fork_arguments(session),
        };
        let directory = session.cwd.as_deref().or(session.project.as_deref());
        Ok(Self {
            source: &session.source,
            session: &session.uid,
            directory,
            directory_exists: directory.is_some_and(|path| Path::new(path).is_dir()),
            command: command.ok_or_else(|| refuse(find_missing_command(session)))?,
            environment: BTreeMap::new(),
            continued_in: None,
        })
    }

    /// Names the session that repeats all turns of this one and goes on.
    #[must_use]
    pub fn with_continuation(mut self, continuation: Option<&'a SessionRow>) -> Self {
        self.continued_in = continuation.map(|row| row.uid.as_str());
        self
    }

    /// Adds the variables by which the agent finds a session in a folder that it does not search by itself, if the
    /// index knows where the session is. The path of a history that was not listed gives its folder.
    ///
    /// # Errors
    /// When the path does not tell it.
    pub fn with_folder_variables(
        mut self,
        session: &SessionRow,
        env: &Env,
        index: &Reader,
    ) -> Result<Self, ResumeError> {
        let variables = find_folder_variables(session, env, index);
        let variables = variables.map_err(|reason| ResumeError {
            session: session.uid.clone(),
            reason,
        })?;
        let to_text = |folder: PathBuf| folder.to_string_lossy().into_owned();
        let entries = variables.into_iter();
        let entries = entries.map(|variable| (variable.name, variable.folder.map(to_text)));
        self.environment.extend(entries);
        Ok(self)
    }

    /// Returns why the command does not start here, if it does not. `is_found` returns true for a program that is found.
    pub fn find_start_obstacle(
        &self,
        is_found: impl FnOnce(&str) -> bool,
    ) -> Option<StartObstacle> {
        if let Some(gone) = self.directory.filter(|_| !self.directory_exists) {
            return Some(StartObstacle::MissingDirectory(gone.to_owned()));
        }
        let program = self.command.first().filter(|program| !is_found(program))?;
        Some(StartObstacle::MissingProgram(program.clone()))
    }

    /// Returns an error where a folder of the command is another one without characters that are not printed.
    ///
    /// # Errors
    /// [`UnprintableFolder`].
    pub fn require_printable(&self) -> Result<(), UnprintableFolder> {
        let variables = self.environment.values().flatten().map(String::as_str);
        let mut folders = self.directory.into_iter().chain(variables);
        match folders.all(|folder| sanitize_text(folder) == folder) {
            true => Ok(()),
            false => Err(UnprintableFolder),
        }
    }

    /// Formats the command as it is typed in a POSIX shell, without control characters.
    ///
    /// # Errors
    /// As [`ResumeCommand::require_printable`].
    pub fn shell_line(&self) -> Result<String, UnprintableFolder> {
        self.require_printable()?;
        let command = self.shell_variables() + &self.command.join(" ");
        let Some(directory) = self.directory else {
            return Ok(command);
        };
        let quoted = quote_word(directory);
        let end_of_options = if directory.starts_with('-') {
            "-- "
        } else {
            ""
        };
        Ok(format!("cd {end_of_options}{quoted} && {command}"))
    }

    /// Formats what stands before the command to set and unset its variables.
    fn shell_variables(&self) -> String {
        let (mut unset, mut set) = (String::new(), String::new());
        for (name, value) in &self.environment {
            match value {
                Some(value) => set += &format!("{name}={} ", quote_word(value)),
                None => unset += &format!("-u {name} "),
            }
        }
        let program = if unset.is_empty() { "" } else { "env " };
        format!("{program}{unset}{set}")
    }
}

/// Returns the variables by which the agent of a session finds it.
fn find_folder_variables(
    session: &SessionRow,
    env: &Env,
    index: &Reader,
) -> Result<Vec<FolderVariable>, ResumeObstacle> {
    let history = index.file(session.file).ok().flatten();
    let Some((source, history)) = find_source(&session.source).zip(history) else {
        return Ok(Vec::new());
    };
    let (agent, path) = (source.agent(), Path::new(&history.path));
    let unlisted = || agent.unlisted_folder_variables(env, path);
    if history.gone {
        return unlisted().ok_or(ResumeObstacle::UnnamedFolder);
    }
    // Until a refresh that was not possible now, a history in a folder that nothing names is not marked as gone.
    let unnamed = (!agent.names_history(env, path)).then(unlisted).flatten();
    Ok(unnamed.unwrap_or_else(|| agent.folder_variables(env, path)))
}

/// Returns why a session has nothing that its agent could resume, if it has nothing.
fn find_obstacle(row: &SessionRow) -> Option<ResumeObstacle> {
    if let Some(parent) = row.parent.clone() {
        return Some(ResumeObstacle::Subagent { parent });
    }
    match (row.prompts_only, row.gone) {
        (true, _) => Some(ResumeObstacle::TranscriptDeleted),
        (false, true) => Some(ResumeObstacle::HistoryGone),
        (false, false) => row.is_elsewhere.then_some(ResumeObstacle::OtherMachine),
    }
}

/// Returns which command the agent of a session lacks: one that forks it where it has one that resumes it.
fn find_missing_command(session: &SessionRow) -> ResumeObstacle {
    match find_source(&session.source).filter(|_| resume_arguments(session).is_some()) {
        Some(source) => ResumeObstacle::NoFork {
            agent: source.agent().title,
        },
        None => ResumeObstacle::Unsupported,
    }
}

/// Formats the command that resumes a session, as it is typed; `None` if it cannot be resumed.
pub fn resume_line(session: &SessionRow) -> Option<String> {
    resume_arguments(session).map(|words| words.join(" "))
}

/// Returns the program that resumes a session and its arguments, all of them words that a shell
/// takes unquoted; `None` if it cannot be resumed.
fn resume_arguments(session: &SessionRow) -> Option<Vec<String>> {
    let source = find_source(&session.source)?;
    source.resume(&session.meta()).filter(|_| is_here(session))
}

/// Returns the arguments of the command that forks the session.
fn fork_arguments(session: &SessionRow) -> Option<Vec<String>> {
    let source = find_source(&session.source)?;
    source.fork(&session.meta()).filter(|_| is_here(session))
}

/// Returns true for a session that its agent finds on this machine.
fn is_here(session: &SessionRow) -> bool {
    !session.gone && !session.is_elsewhere
}
