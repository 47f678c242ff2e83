//! The answers to an agent's hooks: memories that concern what it is about to do, and what its history knows of it.
//!
//! A [`HookCall`] is a hook with the memories of its directory. It is answered in two steps:
//! [`HookCall::compare_prompt`] decides which memories are put before a prompt, and [`HookCall::answer`] records and
//! formats the answer to an event. [`run_with_timeout`] takes both in a thread, the first within the user's timeout, and
//! has no answer where one fails.
//!
//! | event | answer |
//! | --- | --- |
//! | session start | the list of memories, and by choice the last session of the project |
//! | prompt | memories that match it |
//! | call of a tool | memories whose triggers match its paths or commands |
//! | failed command | memories whose triggers match its errors, and what cured them before |
//!
//! Which memories these are is decided in `session-memory`; the events are parsed in `session-agents`. Cures are read from
//! the index as it is: a hook does not wait for a refresh, which its front end begins with the session. The last session
//! alone is read after one, within a budget of time.
//!
//! ```
//! use session_agents::HookInput;
//! use session_hooks::{HookCall, HookOrigin, HookPurpose};
//! use session_project_memories::ProjectMemories;
//! use std::time::Instant;
//!
//! # fn main() -> Result<(), session_project_memories::ProjectMemoriesError> {
//! let project = tempfile::tempdir()?;
//! let call = HookCall {
//!     input: HookInput {
//!         hook_event_name: "PreCompact".to_owned(),
//!         ..HookInput::default()
//!     },
//!     memories: ProjectMemories::for_directory(project.path())?,
//!     origin: HookOrigin::Settings,
//!     started: Instant::now(),
//!     deadline: None,
//!     purpose: HookPurpose::Answer,
//! };
//! let outcome = call.compare_prompt()?;
//! assert!(outcome.is_none(), "it has no prompt");
//! assert!(call.answer(outcome.as_ref()).is_none());
//! # Ok(())
//! # }
//! ```

mod earlier_cure;
mod history_line;
mod hook_call;
mod hook_run;
mod hook_session;
mod last_session;
mod memory_injection;
mod past_turns;
mod project_sessions;
mod reading_commands;
mod shown_memories;

pub use hook_call::{HookCall, HookOrigin, HookPurpose};
pub use hook_run::{ComparedCall, HookCallbacks, run_with_timeout};
pub use hook_session::{HookSessionError, find_hook_session_id};
