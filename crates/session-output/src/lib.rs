//! The shape of what the command line prints. A formatter that another front end uses, too, is in `session-display`.
//!
//! Each answer of the program has two shapes: text for a terminal, and a JSON document. Both are pure
//! functions of data here. Nothing is read, nothing is written to stdout or stderr, and no option of the
//! command line is known: the caller hands over data with the columns to fill, and prints what it gets.
//!
//! - **JSON**: types named `Json…` with [`serde::Serialize`]. `docs/cli.md` is their schema; fields are only
//!   ever added. They borrow from the data that they show. Strings are kept as they are: the caller prints
//!   them by `session_core::safe_json`, which escapes what a terminal would obey.
//! - **Text**: functions and methods named `format…`. Session text is an attacker's; it passes
//!   through `sanitize_text` or [`session_display::sanitize_line`] before it stands in an answer. Colours are codes
//!   in the text, of one list of styles; a stream that is no terminal drops them.
//!
//! An answer that needs several things beside each other is a struct that holds them:
//!
//! | answer | text | JSON |
//! | --- | --- | --- |
//! | [`SearchListing`] | [`SearchListing::format`] | [`JsonSearch`]; [`SearchListing::compact_json`] |
//! | [`TurnListing`] of files or commands | [`TurnListing::format`] | [`JsonListing`] |
//! | turns of a session | [`format_session_heading`], [`format_exchange`], [`format_items`] | [`JsonItems`] |
//! | [`Digest`], [`Calendar`] | [`Digest::format_markdown`], [`Digest::format_brief`], [`Calendar::format`] | [`JsonDigest`], [`JsonStats`] |
//! | memories | [`format_memories`], [`format_matches`], [`format_memory_stats`] | [`JsonMemory`] and its lists |
//! | a prompt's injection | [`format_decision`] | [`JsonInjection`] |
//! | [`StatusReport`], findings, models, settings | [`StatusReport::format`], [`format_findings`], [`format_models`], [`SettingsListing::format`] | [`JsonStatus`], [`JsonDoctor`], [`JsonModels`], [`SettingsListing`] |
//!
//! All of them are laid out by a few functions: fields side by side that wrap where a line is full, commands
//! as they are typed ([`format_command`], [`quote_query`]).
//!
//! ```
//! use session_output::{format_command, quote_query};
//!
//! let typed = ["search".to_owned(), quote_query("docker bridge"), "--depth".to_owned(), "2".to_owned()];
//! assert_eq!(format_command(&typed, 0, 80), "session-search search \"docker bridge\" --depth 2");
//! assert_eq!(
//!     format_command(&typed, 0, 40),
//!     "session-search search \"docker bridge\" \\\n    --depth 2"
//! );
//! ```

mod brief_digest;
mod calendar;
mod compact;
mod demo;
mod diff;
mod digest;
mod doctor_report;
mod error_hint;
mod eval_report;
mod exchange_text;
mod explanation;
mod failed_command;
mod fix_listing;
mod forget_json;
mod forget_report;
mod hook_status;
mod index_notes;
mod injection_report;
mod json_session;
mod layout;
mod memory_json;
mod memory_notes;
mod memory_stats;
mod memory_text;
mod model_change;
mod model_table;
mod no_history;
mod preview;
mod prose_lines;
mod search_json;
mod search_listing;
mod searched_scope;
mod session_items;
mod session_label;
mod settings_text;
mod shell;
mod skill_report;
mod status_report;
mod style;
mod trust_report;
mod turn_heading;
mod turn_listing;
mod units;
mod work;

pub use calendar::{Calendar, JsonStats, NothingCounted};
pub use compact::compact_json_without_history;
pub use demo::{JsonDemo, format_demo_command, format_step};
pub use diff::format_diff;
pub use digest::{Digest, DigestDetail, JsonDigest, NothingDone};
pub use doctor_report::{JsonDoctor, describe_fix, format_findings};
pub use error_hint::{error_hint, format_error};
pub use eval_report::{format_partly_embedded, format_report, format_set_notes};
pub use exchange_text::{ExchangeLayout, TERMINAL_LIMIT, format_exchange, format_session_heading};
pub use fix_listing::{FixListing, JsonFixes};
pub use forget_json::{JsonForgetRecords, JsonForgotten};
pub use forget_report::{
    ForgetListing, ForgetOutcome, MemoryFate, RestoreObstacles, format_forget_counts,
    format_forget_records, format_index_readers, format_restored,
};
pub use hook_status::{format_hook_status, format_injection_switch, format_unmatched_tools};
pub use index_notes::{
    NoteReader, format_index_outcome, format_marked_sessions, format_old_database,
    format_open_directory, format_redacted, format_refresh_notes, format_unembedded_sessions,
    format_unfinished_refresh, format_unreadable_paths,
};
pub use injection_report::{
    JsonInjection, JsonTriggerDecision, format_decision, format_trigger_decision,
};
pub use memory_json::{
    JsonContextSheet, JsonImportedMemories, JsonMemories, JsonMemory, JsonMemoryChange,
    JsonMemoryMatch, JsonMemorySearch, JsonSavedMemory, JsonShownMemory, JsonSupersededMemory,
};
pub use memory_notes::{
    ShownPart, format_damaged_file, format_import_notes, format_import_report,
    format_left_out_note, format_no_conversation_note, format_shown_notes, format_waiting_note,
    format_without_project_note,
};
pub use memory_stats::{JsonMemoryStats, format_memory_stats};
pub use memory_text::{format_matches, format_memories};
pub use model_change::{
    JsonDeletedVectors, JsonModelChange, ModelChange, format_deleted_vectors, format_used_model,
};
pub use model_table::{JsonModels, format_models};
pub use no_history::{MissingHistory, format_no_history, format_unread_history};
pub use search_json::JsonSearch;
pub use search_listing::SearchListing;
pub use searched_scope::{SearchedScope, format_same_filters};
pub use session_items::{
    JsonItems, TurnItemKind, find_turn_with_items, format_items, format_no_items, has_items,
};
pub use settings_text::SettingsListing;
pub use shell::{format_command, quote_query, quote_word};
pub use skill_report::format_skill_report;
pub use status_report::{JsonStatus, StatusReport};
pub use trust_report::{JsonTrusted, TrustListing, format_for_review};
pub use turn_listing::{EVERYTHING, JsonListing, PrintedFinding, TurnListing};
pub use work::WorkPart;
