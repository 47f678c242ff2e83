//! The content of a memory's file: its fields, drafts of new ones, changes, and redaction.

pub(crate) mod draft;
pub(crate) mod draft_input;
pub(crate) mod frontmatter;
pub(crate) mod frontmatter_time;
pub(crate) mod imported_memory;
pub(crate) mod key_info;
pub(crate) mod keywords;
pub(crate) mod memory;
pub(crate) mod memory_change;
pub(crate) mod memory_id;
pub(crate) mod redaction;
pub(crate) mod replaced_secrets;
