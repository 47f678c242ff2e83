//! Trust in the content of a memory.

use serde::Serialize;

/// The trust in a memory's content. Content from a repository may not be injected until the user
/// has trusted it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// The user saved or edited it on this machine, or it is in their home directory.
    Own,
    /// It came with the repository, and the user trusts this content.
    Trusted,
    /// It came with the repository, and nobody has trusted it.
    Waiting,
    /// A pull or an edit by hand changed it after another content of it was trusted.
    Changed,
}

impl Trust {
    /// Returns true if it may be injected.
    pub fn is_trusted(self) -> bool {
        matches!(self, Self::Own | Self::Trusted)
    }

    /// Returns the owner of the words for a block; `None` if the user is.
    pub(crate) fn origin_label(self) -> Option<&'static str> {
        match self {
            Self::Own => None,
            Self::Trusted | Self::Waiting | Self::Changed => Some("from the repository"),
        }
    }
}
