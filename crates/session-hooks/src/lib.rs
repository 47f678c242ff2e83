//! The memories of a directory, and the answers to an agent's hooks.
//!
//! [`Memories`] joins the store of the memories with the configuration of a directory's project, the model that
//! embeds them and the index of the history: it saves, lists and searches them. [`Memories::save`] proposes
//! triggers for a new memory, from the turns that it comes from or from the files that its text names
//! ([`SavedMemory`]); [`Memories::note_changed_triggers`] notes those that match too much. After a change
//! [`Memories::finish_change`] updates the skill, whose description has keywords of memories.
//!
//! A hook is answered in two steps: [`HookCall::compare_prompt`] decides which memories are put before a prompt, and
//! [`HookCall::answer`] records and formats the answer to an event. [`run_with_timeout`] takes both in a thread, the first
//! within the user's timeout, and has no answer where one fails.
//!
//! | event | answer |
//! | --- | --- |
//! | session start | the list of memories, and by choice the last session of the project |
//! | prompt | memories that match it |
//! | call of a tool | memories whose triggers match its paths or commands |
//! | failed command | memories whose triggers match its errors, and what cured them before |
//!
//! Which memories these are is decided in `session-memory`; the events are parsed in `session-agents`. Only the
//! index as it is is read: a hook does not wait for a refresh.
//!
//! ```
//! use session_hooks::Memories;
//!
//! # fn main() -> Result<(), session_hooks::MemoriesError> {
//! let project = tempfile::tempdir()?;
//! # fs_err::create_dir(project.path().join(".git"))?;
//! let memories = Memories::for_folder(project.path())?;
//! assert!(memories.project.is_some());
//! # Ok(())
//! # }
//! ```

mod best_memories;
mod broad_triggers;
mod command_forms;
mod command_runners;
mod earlier_cure;
mod error;
mod history_line;
mod hook_call;
mod hook_run;
mod hook_session;
mod last_session;
mod memories;
mod memory_injection;
mod past_turns;
mod project_sessions;
mod proposed_triggers;
mod reading_commands;
mod saved_memory;
mod shown_memories;
mod skill_keywords;
mod source_memories;
mod source_turns;
mod tool_event;
mod trigger_survey;

pub use best_memories::BestMemories;
pub use broad_triggers::{BroadTrigger, TriggerKind, TriggerShare};
pub use error::MemoriesError;
pub use hook_call::{HookCall, HookOrigin};
pub use hook_run::run_with_timeout;
pub use hook_session::{HookSessionError, find_hook_session_id};
pub use memories::Memories;
pub use saved_memory::{SavedMemory, SavedMemoryNote, describe_moved_memories};
pub use skill_keywords::offered_keywords;
pub use source_memories::{FoundSourceMemories, SourceMemories, SourceQuery};
