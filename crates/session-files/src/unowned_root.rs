//! Why a project's root is not read.

use session_core::text::path_line;
use std::path::PathBuf;

/// A root that others own or can write: what lies there may be anybody's, at any time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}, so nothing of the project is read", self.cause())]
pub struct UnownedRoot {
    /// The root, or the part of it that is not the user's alone.
    pub(crate) path: PathBuf,
    pub(crate) reason: UnownedReason,
}

impl UnownedRoot {
    /// Formats the error with its hint.
    pub fn message(&self) -> String {
        format!("{self}\nhint: {}", self.hint())
    }

    /// Formats what is wrong with the root.
    pub fn cause(&self) -> String {
        format!("`{}` {}", path_line(&self.path), self.reason.describe())
    }

    /// Returns what a user can do about it.
    pub fn hint(&self) -> &'static str {
        self.reason.hint()
    }
}

/// The reason for which a root is not trusted.
#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "access lists are the system's matter")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnownedReason {
    /// Another user owns it.
    OtherOwner,
    /// Every user can write there.
    WritableByAll,
    /// A group that is not the user's own can write there.
    WritableByGroup,
}

impl UnownedReason {
    fn describe(self) -> &'static str {
        match self {
            Self::OtherOwner => "belongs to another user",
            Self::WritableByAll => "can be written by every user",
            Self::WritableByGroup => "can be written by a group that is not your own",
        }
    }

    /// Returns what a user can do about it.
    fn hint(self) -> &'static str {
        match self {
            Self::OtherOwner => {
                "work in a copy of your own, or change the owner; in a container, run as the owner"
            }
            Self::WritableByAll => {
                "`chmod o-w` on it, if it is yours; a drive that keeps no modes is mounted with `umask=22` instead (`/mnt/c` in WSL: `metadata,umask=22`)"
            }
            Self::WritableByGroup => {
                "`chmod g-w` on it, if it is yours; a drive that keeps no modes is mounted with `umask=22` instead (`/mnt/c` in WSL: `metadata,umask=22`)"
            }
        }
    }
}
