//! The command that resumes a session with its agent.

use crate::shell_quote::quote_word;
use serde::Serialize;
use session_sources::{Env, find_source};
use session_store::{Reader, SessionRow};
use std::collections::BTreeMap;
use std::path::Path;

/// The command that resumes a session, in the form that `--json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResumeCommand<'a> {
    /// Name of the agent.
    pub source: &'a str,
    /// The agent's id of the session.
    pub session: &'a str,
    /// Directory to run it in, if the session has one.
    #[serde(rename = "folder")]
    pub directory: Option<&'a str>,
    /// That directory exists.
    #[serde(rename = "folder_exists")]
    pub directory_exists: bool,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Variables that the program needs to find the session.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<&'static str, String>,
}

/// The reason for which a session cannot be resumed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResumeError {
    /// It is a subagent's: agents resume only the session that started it.
    #[error("{session} is the session of a subagent, which cannot be resumed")]
    Subagent {
        /// Id of the session.
        session: String,
        /// Id of the session that started it.
        parent: String,
    },
    /// It is a subagent's, and the session that started it is not in the index.
    #[error(
        "{session} is the session of a subagent, and the one that started it is not in the index"
    )]
    OrphanedSubagent {
        /// Id of the session.
        session: String,
    },
    /// Only its prompts are left.
    #[error("the transcript of {session} was deleted, so its agent cannot resume it")]
    TranscriptDeleted {
        /// Id of the session.
        session: String,
    },
    /// Its history is no longer on disk.
    #[error("the history of {session} is gone, so its agent cannot resume it")]
    HistoryGone {
        /// Id of the session.
        session: String,
    },
    /// Its history lies in the home of another machine.
    #[error("{session} is a session of another machine, so its agent cannot resume it here")]
    OtherMachine {
        /// Id of the session.
        session: String,
    },
    /// Its agent has no command for it.
    #[error("{session} cannot be resumed by its id")]
    Unsupported {
        /// Id of the session.
        session: String,
    },
    /// Its agent resumes it, but has no command that forks it.
    #[error("{agent} has no command that forks a session")]
    NoFork {
        /// Name of the agent as people write it.
        agent: &'static str,
        /// Id of the session.
        session: String,
    },
}

impl ResumeError {
    /// Returns what a user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Subagent { parent, .. } => {
                format!("`session-search resume {parent}` resumes the session that started it")
            }
            Self::OrphanedSubagent { session } => {
                let session = quote_word(session);
                format!("`session-search show {session}` has what was said in it")
            }
            Self::TranscriptDeleted { session } => {
                let session = quote_word(session);
                format!("`session-search show {session}` has its prompts")
            }
            Self::HistoryGone { session } => {
                let session = quote_word(session);
                format!("`session-search show {session}` has what was indexed of it")
            }
            Self::OtherMachine { session } => {
                let session = quote_word(session);
                format!(
                    "`session-search export {session}` writes all that was said, for a new session to read"
                )
            }
            Self::NoFork { session, .. } => {
                let session = quote_word(session);
                format!("`session-search resume {session}` resumes the session itself")
            }
            Self::Unsupported { .. } => "`session-search show` has what was said in it".to_owned(),
        }
    }

    /// Names the session by the address that hits use, where its id may be that of another session, too.
    #[must_use]
    pub fn with_address(mut self, address: String) -> Self {
        let (Self::Subagent { session, .. }
        | Self::OrphanedSubagent { session }
        | Self::TranscriptDeleted { session }
        | Self::HistoryGone { session }
        | Self::OtherMachine { session }
        | Self::NoFork { session, .. }
        | Self::Unsupported { session }) = &mut self;
        *session = address;
        self
    }

    /// Leaves out the session that started a subagent where it is not one of `all`.
    #[must_use]
    pub fn without_unknown_parent(self, all: &[SessionRow]) -> Self {
        match self {
            Self::Subagent { session, parent } if !all.iter().any(|row| row.uid == parent) => {
                Self::OrphanedSubagent { session }
            }
            other => other,
        }
    }
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
    pub fn for_mode(session: &'a SessionRow, mode: ResumeMode) -> Result<Self, ResumeError> {
        match mode {
            ResumeMode::Continue => Self::new(session),
            ResumeMode::Fork => Self::fork(session),
        }
    }

    /// Returns the command that resumes a session.
    ///
    /// # Errors
    /// When the session cannot be resumed.
    pub fn new(session: &'a SessionRow) -> Result<Self, ResumeError> {
        Self::from_arguments(session, resume_arguments)
    }

    /// Returns the command that resumes a session as a new one: the session itself stays as it is.
    ///
    /// # Errors
    /// When the session cannot be resumed, or its agent has no such command.
    pub fn fork(session: &'a SessionRow) -> Result<Self, ResumeError> {
        Self::from_arguments(session, fork_arguments).map_err(|error| {
            match find_source(&session.source) {
                Some(source) if resume_arguments(session).is_some() => ResumeError::NoFork {
                    agent: source.agent().title,
                    session: session.uid.clone(),
                },
                _ => error,
            }
        })
    }

    fn from_arguments(
        session: &'a SessionRow,
        arguments: impl Fn(&SessionRow) -> Option<Vec<String>>,
    ) -> Result<Self, ResumeError> {
        check_resumable(session)?;
        let unsupported = || ResumeError::Unsupported {
            session: session.uid.clone(),
        };
        let directory = session.cwd.as_deref().or(session.project.as_deref());
        Ok(Self {
            source: &session.source,
            session: &session.uid,
            directory,
            directory_exists: directory.is_some_and(|path| Path::new(path).is_dir()),
            command: arguments(session).ok_or_else(unsupported)?,
            environment: BTreeMap::new(),
        })
    }

    /// Adds the variable by which the agent finds a session in a folder that it does not look in by itself, as far as
    /// the index tells where the session is.
    #[must_use]
    pub fn with_folder_variable(mut self, session: &SessionRow, env: &Env, index: &Reader) -> Self {
        let history = index.file(session.file).ok().flatten();
        let variable = find_source(&session.source)
            .zip(history)
            .and_then(|(source, history)| {
                source
                    .agent()
                    .folder_variable(env, Path::new(&history.path))
            });
        let variable = variable.map(|(name, folder)| (name, folder.to_string_lossy().into_owned()));
        self.environment.extend(variable);
        self
    }

    /// Formats the command as it is typed in a POSIX shell, without control characters.
    pub fn shell_line(&self) -> String {
        let variables = self.environment.iter();
        let variables = variables.map(|(name, value)| format!("{name}={} ", quote_word(value)));
        let command = variables.collect::<String>() + &self.command.join(" ");
        let Some(directory) = self.directory else {
            return command;
        };
        let quoted = quote_word(directory);
        let end_of_options = if directory.starts_with('-') {
            "-- "
        } else {
            ""
        };
        format!("cd {end_of_options}{quoted} && {command}")
    }
}

fn check_resumable(row: &SessionRow) -> Result<(), ResumeError> {
    let session = row.uid.clone();
    if let Some(parent) = &row.parent {
        let parent = parent.clone();
        return Err(ResumeError::Subagent { session, parent });
    }
    match (row.prompts_only, row.gone) {
        (true, _) => Err(ResumeError::TranscriptDeleted { session }),
        (false, true) => Err(ResumeError::HistoryGone { session }),
        (false, false) if row.is_elsewhere => Err(ResumeError::OtherMachine { session }),
        (false, false) => Ok(()),
    }
}

/// Formats the command that resumes a session, as it is typed; `None` where it cannot be resumed.
pub fn resume_line(session: &SessionRow) -> Option<String> {
    resume_arguments(session).map(|words| words.join(" "))
}

/// Returns the program that resumes a session and its arguments, all of them words that a shell
/// takes unquoted; `None` where it cannot be resumed.
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
