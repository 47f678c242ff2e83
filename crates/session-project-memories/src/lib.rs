//! The memories of a directory's project, joined with its configuration, the model that embeds them and the history.
//!
//! [`ProjectMemories`] opens the store of the memories as it is configured, and saves, lists and searches them.
//! [`ProjectMemories::save`] proposes triggers for a new memory, from the turns that it comes from or from the files that
//! its text names ([`SavedMemory`]); [`ProjectMemories::note_changed_triggers`] notes those that match too much.
//! After a change [`ProjectMemories::finish_change`] updates the skill, whose description has keywords
//! of memories. [`FoundSourceMemories`] finds the memories that were saved from sessions which are forgotten.
//!
//! A [`ToolContext`] holds the paths, commands and errors of a tool's call in the form that triggers match. Proposals make
//! it of calls in the history, hooks of the call that they are about.
//!
//! ```
//! use session_project_memories::ProjectMemories;
//!
//! # fn main() -> Result<(), session_project_memories::ProjectMemoriesError> {
//! let project = tempfile::tempdir()?;
//! # fs_err::create_dir(project.path().join(".git"))?;
//! let memories = ProjectMemories::for_directory(project.path())?;
//! assert!(memories.project.is_some());
//! # Ok(())
//! # }
//! ```

mod best_memories;
mod broad_triggers;
mod error;
mod project_memories;
mod proposed_triggers;
mod replacement;
mod saved_memory;
mod skill_keywords;
mod source_memories;
mod source_turns;
mod tool_context;
mod trigger_survey;

pub use best_memories::BestMemories;
pub use error::ProjectMemoriesError;
pub use project_memories::ProjectMemories;
pub use replacement::{SupersededMemory, describe_inherited_fields};
pub use saved_memory::{SavedMemory, SavedMemoryNote, describe_moved_memories};
pub use skill_keywords::offered_keywords;
pub use source_memories::{FoundSourceMemories, SourceMemories, SourceQuery};
pub use tool_context::ToolContext;
