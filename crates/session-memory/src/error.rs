//! Errors of stored memories.

use crate::content::memory::MemoryScope;
use crate::import::ImportFormat;
use session_core::text::{clip, collapse_whitespace, path_line, sanitize_text};
use session_files::io_hint;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The most ids that an error lists.
const MAX_LISTED_IDS: usize = 5;
/// The longest path in a message, in bytes.
const MAX_PATH_BYTES: usize = 240;

/// An error of reading, writing or importing memories.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A memory's file cannot be parsed.
    #[error(transparent)]
    Damaged(#[from] DamagedFile),
    /// No memory has this id.
    #[error("no memory is called `{0}`")]
    Unknown(String),
    /// Several ids begin with the given text.
    #[error("`{id}` is the beginning of {}", list_first(found))]
    Ambiguous {
        /// The prefix as typed.
        id: String,
        /// The ids that begin with it.
        found: Vec<String>,
    },
    /// A memory would have no topic.
    #[error("a memory needs a topic")]
    NoTopic,
    /// A memory would have neither key information nor notes.
    #[error("a memory needs something to remember")]
    NoContent,
    /// The operation would lose data or is not allowed; the text says why.
    #[error("{reason}")]
    Refused {
        /// The reason, as a sentence without a full stop.
        reason: String,
        /// The hint, where there is one.
        hint: Option<String>,
    },
    /// A memory that nobody trusts would be replaced by an agent.
    #[error("{0} waits for trust, so that its user alone replaces it")]
    WaitsForTrust(String),
    /// The replacement of a memory is in the trash.
    #[error("{0} is in the trash")]
    ReplacementInTrash(String),
    /// A memory would replace itself.
    #[error("a memory cannot replace itself")]
    ReplacedByItself,
    /// The replacement is itself replaced by the memory.
    #[error("{replacement} is superseded by {by} already")]
    ReplacementIsReplaced {
        /// The id of the replacement.
        replacement: String,
        /// The id of the memory that was to be replaced.
        by: String,
    },
    /// Another memory replaces the memory that was to be replaced.
    #[error("{id} is superseded by {by}")]
    AlreadySuperseded {
        /// The id of the memory.
        id: String,
        /// The id of its replacement.
        by: String,
    },
    /// Only projects keep memories by configuration, and the directory is in none.
    #[error(
        "this folder belongs to no project, and `storage.location` keeps memories in projects alone"
    )]
    NoProject,
    /// The configuration keeps no memories of a scope.
    #[error("`storage.location` keeps no {} memories", .0.label())]
    ScopeNotKept(MemoryScope),
    /// Another process held the lock for too long.
    #[error("another process is writing memories in `{}`", .0.display())]
    Locked(PathBuf),
    /// The files to import are missing or cannot be read.
    #[error("nothing to import in `{}`: {what}", path.display())]
    NothingToImport {
        /// The format that was to be read.
        format: ImportFormat,
        /// The path that was searched.
        path: PathBuf,
        /// The missing or unreadable part.
        what: String,
    },
    /// A file cannot be opened, read or written.
    #[error(transparent)]
    File(#[from] session_files::FileError),
    /// The model failed.
    #[error(transparent)]
    Embed(#[from] session_embed::EmbedError),
    /// The file system failed; the text carries the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// A file that is no valid memory, with the line of the first mistake, or a file or directory that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {}", format_path(path), format_line(*line), collapse_whitespace(&sanitize_text(reason)))]
pub struct DamagedFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The line, counted from 1; `None` if nothing could be read.
    pub line: Option<usize>,
    /// The mistake.
    pub reason: String,
    /// The remedy, where it is another than to correct the file.
    pub hint: Option<String>,
}

impl DamagedFile {
    /// Makes the damage of a file or directory that cannot be read.
    pub(crate) fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> Self {
        Self {
            path: path.to_owned(),
            line: None,
            reason: reason.to_string(),
            hint: None,
        }
    }

    /// Makes the damage of a file that git could not merge, with the line of its first mark.
    pub(crate) fn in_conflict(path: &Path, line: usize) -> Self {
        Self {
            path: path.to_owned(),
            line: Some(line),
            reason: "it has an unresolved git conflict".to_owned(),
            hint: Some(
                "keep one version and remove git's marks; then `session-search trust`".to_owned(),
            ),
        }
    }

    /// Makes the damage of a directory that cannot be opened.
    pub(crate) fn unopened(path: &Path, error: &MemoryError) -> Self {
        Self::of_directory(path, "its memories are left out", error)
    }

    /// Makes the damage of a directory whose record cannot be read.
    pub(crate) fn without_record(path: &Path, error: &MemoryError) -> Self {
        Self::of_directory(path, "none of its memories counts as trusted", error)
    }

    fn of_directory(path: &Path, consequence: &str, error: &MemoryError) -> Self {
        Self {
            hint: error.hint().map(Cow::into_owned),
            ..Self::unreadable(path, &format_args!("{consequence}: {error}"))
        }
    }
}

impl MemoryError {
    /// Makes the error of an operation that would lose data or is not allowed.
    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused {
            reason: reason.into(),
            hint: None,
        }
    }

    /// Makes the same with the hint that says what to do.
    pub(crate) fn refused_with_hint(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused {
            reason: reason.into(),
            hint: Some(hint.into()),
        }
    }

    /// Returns the hint that says what to do.
    pub fn hint(&self) -> Option<Cow<'static, str>> {
        let hint = match self {
            Self::ReplacementInTrash(id) => {
                return Some(format!("`session-search memory activate {id}` first").into());
            }
            Self::AlreadySuperseded { id, by } => {
                let hint = format!(
                    "replace {by}, or take {id} back by `session-search memory activate {id}`"
                );
                return Some(hint.into());
            }
            Self::Damaged(DamagedFile {
                hint: Some(hint), ..
            }) => {
                return Some(hint.clone().into());
            }
            Self::Damaged(_) => Some("correct the file; every other memory is as before"),
            Self::Unknown(_) => Some("`session-search memory list --all` prints ids"),
            Self::Ambiguous { .. } => Some("write more of the id"),
            Self::WaitsForTrust(_) => Some("`session-search trust` shows what waits and asks"),
            Self::NoTopic => Some("say in one line what it is about"),
            Self::NoContent => Some("give key information: what to remember"),
            Self::NoProject => Some("run it inside a project, or set it to \"project-first\""),
            Self::ScopeNotKept(_) => Some(
                "leave the scope out, or set it to \"project-first\"; `session-search config` says who set it",
            ),
            Self::Locked(_) => Some("wait for it to end, and try again"),
            Self::NothingToImport { format, .. } => Some(match format {
                ImportFormat::SessionSearch => {
                    "name a file that `session-search memory export -o FILE` wrote"
                }
                ImportFormat::CursorMemory | ImportFormat::ConversationMemory => {
                    "name the folder that holds it"
                }
            }),
            Self::File(error) => error.hint(),
            Self::ReplacedByItself | Self::ReplacementIsReplaced { .. } => None,
            Self::Refused { hint, .. } => return hint.clone().map(Cow::Owned),
            Self::Embed(error) => error.hint(),
            Self::Io(error) => io_hint(error),
        };
        hint.map(Cow::Borrowed)
    }
}

/// Formats the first ids, and the number of the others.
fn list_first(ids: &[String]) -> String {
    let (first, rest) = ids.split_at(ids.len().min(MAX_LISTED_IDS));
    match rest.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn format_line(line: Option<usize>) -> String {
    line.map(|line| format!(", line {line}"))
        .unwrap_or_default()
}

/// Formats a path on one printable line: a repository chooses the names of its files.
fn format_path(path: &Path) -> String {
    let name = path_line(path);
    if name.len() > MAX_PATH_BYTES {
        format!("{}…", clip(&name, MAX_PATH_BYTES))
    } else {
        name
    }
}

/// The result of this crate's fallible functions.
pub type Result<T> = std::result::Result<T, MemoryError>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_ids_the_first_are_listed() {
        let describe = |count: usize| {
            let error = MemoryError::Ambiguous {
                id: "mem".into(),
                found: (0..count).map(|n| format!("mem-{n}")).collect(),
            };
            error.to_string()
        };
        assert_eq!(describe(2), "`mem` is the beginning of mem-0, mem-1");
        assert!(describe(5).ends_with("mem-3, mem-4"));
        assert!(describe(38).ends_with("mem-3, mem-4 and 33 more"));
    }
}
