//! Parts that several commands share: how the index is opened (`refreshed_index`, `filtered_history`, `work_history`) and waited
//! for, or opened for writing (`lock_wait`), filters as typed (`filter`), the session that asks (`caller`), consent (`dialog`), text from stdin
//! (`stdin`) and the processes in the background (`background`, `detached_process`).

pub mod background;
pub mod caller;
pub mod detached_process;
pub mod dialog;
pub mod filter;
pub mod filtered_history;
pub mod lock_wait;
pub mod refreshed_index;
pub mod stdin;
pub mod work_history;
