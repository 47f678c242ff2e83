//! Files of memories in their directories, read and written under a lock, and what is written from them.

pub(crate) mod conversation;
pub(crate) mod directory_records;
pub(crate) mod directory_writer;
pub(crate) mod field_change;
pub(crate) mod inherited_fields;
pub(crate) mod insertion;
pub(crate) mod life_cycle;
pub(crate) mod memory_directory;
pub(crate) mod memory_edit;
pub(crate) mod memory_file;
pub(crate) mod memory_store;
pub(crate) mod new_ids;
pub(crate) mod open_directory;
pub(crate) mod record_limit;
pub(crate) mod replacement_cycles;
pub(crate) mod state_change;
pub(crate) mod supersede;
pub(crate) mod vector_files;
pub(crate) mod views;
