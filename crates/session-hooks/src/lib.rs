//! The answers to an agent's hooks: memories and earlier cures that concern what the agent is about to do.
//!
//! A [`HookCall`] is a hook with the memories of its directory. It is answered in two steps:
//! [`HookCall::compare_prompt`] decides which memories are put before a prompt, and [`HookCall::answer`] records and
//! formats the answer to an event. [`run_with_timeout`] runs both in a thread, the first within the user's timeout. There
//! is no answer if one of them fails.
//!
//! | event | answer |
//! | --- | --- |
//! | session start | the list of memories, and by choice the last session of the project |
//! | prompt | memories that match it |
//! | call of a tool | memories whose triggers match its paths or commands |
//! | failed command | memories whose triggers match its errors, and what cured them before |
//!
//! `session-memory` decides which memories are given; `session-agents` parses the events. Cures are read from the index as
//! it is: the front end starts a refresh when a session begins, and no hook waits for it. Only the last session of the
//! project is read after a refresh, within a budget of time.
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
