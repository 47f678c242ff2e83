//! Whose words a memory holds.

use serde::Serialize;

/// Whether a memory may be put before a prompt. What came with a repository may not, until the
/// user has said so for that content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// The user saved or edited it on this machine, or it lies in their own home directory.
    Own,
    /// It came with the repository, and the user trusts this content.
    Trusted,
    /// It came with the repository, and nobody has trusted it.
    Waiting,
    /// Another content of it was known before: a pull or an edit by hand changed it.
    Changed,
}

impl Trust {
    /// True where it may be put before a prompt.
    pub fn is_given(self) -> bool {
        matches!(self, Self::Own | Self::Trusted)
    }

    /// Whose it is, as a block says it.
    pub fn origin(self) -> &'static str {
        match self {
            Self::Own => "yours",
            Self::Trusted | Self::Waiting | Self::Changed => "from the repository",
        }
    }
}
