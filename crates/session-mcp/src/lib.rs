//! A server of the Model Context Protocol on stdin and stdout, for the agents whose sessions are indexed.
//!
//! [`serve_stdio`] answers one client until it goes away. Its five tools are listed in `tools.rs`:
//! `search`, `show` and `history` read the index, `recall` finds saved memories, `remember` saves one.
//! The protocol is `rmcp`'s; its runtime has one thread, and stays in this crate.
//!
//! # Work
//!
//! A handshake only lists the tools. A call becomes a `ToolJob` for the one `ToolWorker`
//! thread, which opens configuration, models and index at the first call and keeps them. Between two
//! calls it holds no lock and no transaction, and the next call sees an index that replaced the old one
//! ([`session_query::OpenIndex`]). A refresh runs beside each answer, with progress notifications if the
//! client asked for them. A call that is cancelled before the worker takes it is not answered.
//!
//! # Answers
//!
//! An answer is plain text of at most 10,000 characters. Session text stands in a fence that marks it as
//! data, and no text can close that fence (`FencedText`). The last line is the call that continues: the
//! turns around the best hit, or the next page. At the end of a session there is none.
//!
//! # End
//!
//! The server ends with its client: when stdin ends, and on Unix also when the parent process does.
//!
//! The program gives it the function that starts to embed:
//!
//! ```no_run
//! session_mcp::serve_stdio(|_home| ())?;
//! # Ok::<(), session_mcp::ServerError>(())
//! ```

mod answer;
mod arguments;
mod call_error;
mod digest_scope;
mod filter_arguments;
mod fix_items;
mod heap;
mod history_calls;
mod history_tool;
mod index_view;
mod memory_item;
mod memory_tools;
mod parent_watch;
mod progress;
mod search_calls;
mod search_tool;
mod server;
mod server_error;
mod show_tool;
mod tools;
mod work_digest;
mod worker;

pub use server::serve_stdio;
pub use server_error::ServerError;
