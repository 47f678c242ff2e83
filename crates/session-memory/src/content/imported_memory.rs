//! A memory that an import brings.

use crate::content::memory::{Frontmatter, MemoryScope, MemoryState};
use crate::trust::Trust;

/// A memory from another program or an export.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedMemory {
    /// The frontmatter; an empty id is replaced by a generated one.
    pub front: Frontmatter,
    /// The body.
    pub body: String,
    /// The whole file of an export, kept to the byte where the id is free.
    pub text: Option<String>,
    /// The conversation that it was saved from.
    pub raw: Option<String>,
    /// The state.
    pub state: MemoryState,
    /// The trust in its content.
    pub trust: Trust,
    /// The scope, if the other program records one.
    pub scope: Option<MemoryScope>,
}
