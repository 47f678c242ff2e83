//! The content of a memory's file: its fields, drafts of new ones, changes, and redaction.

pub(crate) mod draft;
pub(crate) mod draft_input;
pub(crate) mod frontmatter;
pub(crate) mod frontmatter_time;
pub(crate) mod key_info;
pub(crate) mod memory_change;
pub(crate) mod memory_edit;
pub(crate) mod redaction;
pub(crate) mod replaced_secrets;
pub(crate) mod string_list;
