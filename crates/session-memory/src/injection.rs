//! Which memories a hook gives to an agent, and the block that it gives.

pub(crate) mod block_fence;
pub(crate) mod context_id;
pub(crate) mod escaped_text;
pub(crate) mod injection_decision;
pub(crate) mod injection_gate;
pub(crate) mod injection_log;
pub(crate) mod injector;
pub(crate) mod memory_block;
pub(crate) mod memory_overview;
pub(crate) mod prompt_parts;
pub(crate) mod session_start;
pub(crate) mod session_state;
pub(crate) mod session_state_file;
pub(crate) mod topic_change;
pub(crate) mod trigger_injection;
pub(crate) mod trigger_paths;
pub(crate) mod trigger_relevance;
pub(crate) mod untrusted_memories;
