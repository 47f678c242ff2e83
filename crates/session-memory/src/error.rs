//! What can go wrong with memories.

use session_core::text::{clip, one_line, printable};
use std::path::{Path, PathBuf};

/// An error of the memories at rest.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A memory's file cannot be understood.
    #[error(transparent)]
    Damaged(#[from] Damage),
    /// No memory has this id.
    #[error("no memory is called `{0}`")]
    Unknown(String),
    /// Several memories begin so.
    #[error("`{id}` is the beginning of {}", found.join(", "))]
    Ambiguous {
        /// As typed.
        id: String,
        /// The candidates.
        found: Vec<String>,
    },
    /// Something in it cannot be kept.
    #[error("{0}")]
    Refused(String),
    /// Only projects are to keep memories, and this folder is in none.
    #[error("this folder belongs to no project, and only projects are to keep memories")]
    NoProject,
    /// Another process is writing, for longer than is waited for.
    #[error("another process is writing memories in `{}`", .0.display())]
    Locked(PathBuf),
    /// What is to be imported is not there.
    #[error("nothing to import in `{}`: {what}", path.display())]
    NothingToImport {
        /// Where it was looked for.
        path: PathBuf,
        /// What is missing.
        what: String,
    },
    /// A file cannot be read or written, or is not touched.
    #[error(transparent)]
    File(#[from] session_files::FileError),
    /// The model failed.
    #[error(transparent)]
    Embed(#[from] session_embed::EmbedError),
    /// The file system failed; the text carries the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// A file that is no memory, and where it stops to be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}, line {line}: {}", name(path), one_line(&printable(reason)))]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// From 1.
    pub line: usize,
    /// What is wrong there.
    pub reason: String,
}

/// Longest path that is told, in bytes.
const NAME: usize = 240;

/// A path on one line: a repository chooses the names of its files.
fn name(path: &Path) -> String {
    let name = one_line(&printable(&path.to_string_lossy()));
    match name.len() > NAME {
        true => format!("{}…", clip(&name, NAME)),
        false => name,
    }
}

impl MemoryError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Damaged(_) => Some("correct the file; every other memory is as before"),
            Self::Unknown(_) => Some("`session-search memory list --all` prints ids"),
            Self::Ambiguous { .. } => Some("write more of the id"),
            Self::NoProject => Some(
                "go to a folder below one with `.git`, take `--global`, or set storage.location",
            ),
            Self::Locked(_) => Some("wait for it to end, and try again"),
            Self::NothingToImport { .. } => Some("name the folder that holds it"),
            Self::File(error) => error.hint(),
            Self::Refused(_) | Self::Embed(_) | Self::Io(_) => None,
        }
    }
}

/// What this crate's functions give.
pub type Result<T> = std::result::Result<T, MemoryError>;
