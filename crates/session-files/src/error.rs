//! Why a file is not touched.

use std::io;
use std::path::PathBuf;

/// An access that was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A link stands where a file or a directory is expected. It is never followed below a root.
    #[error("`{}` is a link to somewhere else, and is not followed", .0.display())]
    Link(PathBuf),
    /// A directory, FIFO, device or socket stands where a regular file is expected.
    #[error("`{}` is not a regular file", .0.display())]
    NotRegular(PathBuf),
    /// A file stands where a directory is expected.
    #[error("`{}` is not a directory", .0.display())]
    NotDirectory(PathBuf),
    /// The file is larger than what is read of such a file.
    #[error("`{}` is larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Most bytes that are read of it.
        limit: u64,
    },
    /// A path that leaves its root, or is empty.
    #[error("`{}` does not lie below its root", .0.display())]
    Outside(PathBuf),
    /// The target of a rename exists.
    #[error("`{}` is there already and would be lost", .0.display())]
    Exists(PathBuf),
    /// Another program changed the file after it was read.
    #[error("`{}` was changed by another program meanwhile", .0.display())]
    Changed(PathBuf),
    /// Another process held the lock for too long.
    #[error("another process is writing in `{}`", .0.display())]
    Locked(PathBuf),
    /// The file system failed; the text names the path.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl FileError {
    /// Returns the hint: what a user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Link(_) => Some("put the file itself there, or remove the link"),
            Self::NotRegular(_) | Self::NotDirectory(_) => Some("move it away"),
            Self::TooLarge { .. } => Some("make it smaller, or move it away"),
            Self::Exists(_) => Some("compare both, and remove one of them"),
            Self::Changed(_) => Some("try again"),
            Self::Locked(_) => Some("wait for it to end, and try again"),
            Self::Outside(_) | Self::Io(_) => None,
        }
    }

    /// An I/O error that names the path.
    pub(crate) fn io(what: &str, path: &std::path::Path, error: &io::Error) -> Self {
        let text = format!("cannot {what} `{}`: {error}", path.display());
        Self::Io(io::Error::new(error.kind(), text))
    }
}

/// An I/O error of the same sentence, for callers that know no other.
impl From<FileError> for io::Error {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Io(error) => error,
            FileError::Exists(_) => Self::new(io::ErrorKind::AlreadyExists, error),
            other => Self::new(io::ErrorKind::InvalidInput, other),
        }
    }
}

/// The result of this crate's functions.
pub type Result<T> = std::result::Result<T, FileError>;
