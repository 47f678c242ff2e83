//! The shared types of session-search and its pure algorithms. No IO happens here.
//!
//! A history is a list of [`Turn`]s grouped in sessions ([`SessionMeta`]). A
//! source builds them. [`TurnContent`] is the part of a turn that is searched, with the
//! commands and files of its work ([`CommandRunRef`], [`FileAccess`], [`TurnStats`]).
//! [`document`] makes of contents the texts that are embedded, [`prompt_content`] decides
//! which prompts have content of their own, [`Query`] reads what a user typed, and [`fuse`]
//! merges the lexical and the dense list into one ranking.
//!
//! ```
//! use session_core::{TurnPart, Turn, TurnContent};
//!
//! let turn = Turn {
//!     prompt: "Why does the server not start?".into(),
//!     parts: vec![TurnPart::Text { text: "Process 4711 holds port 8080.".into() }],
//!     ..Turn::default()
//! };
//! let content = TurnContent::from_turn(&turn);
//! let document = session_core::document::build_turn_document(&content, 900).unwrap();
//! assert!(document.contains("port 8080"));
//! ```

mod call_status;
mod code_fence;
mod code_printing_commands;
mod command_work;
mod commit_trailer;
mod confidence_band;
mod content;
mod cosine_scale;
mod cut_note;
pub mod diff;
pub mod document;
mod error_lines;
mod error_marker;
mod error_signature;
mod failed_run;
mod file_stamp;
mod fusion;
mod grep_line;
mod idf;
mod iso_date;
mod issue_number;
mod known_turns;
mod missing_command;
pub mod parallel;
pub mod paste;
mod path_join;
mod path_match;
mod progress;
pub mod prompt_content;
mod prompt_kind;
pub mod pull_request;
mod qualified_names;
mod query;
mod query_word;
mod question_words;
mod quotation_marks;
pub mod safe_json;
mod session;
mod session_reference;
pub mod shell;
pub mod slash_command;
mod stop_words;
pub mod text;
pub mod title;
mod top_k;
mod turn_address;
mod turn_stats;
mod turn_window;
mod wanted_error;

/// Address of the folder of the documentation in the repository, for hints: a program that was installed has no `docs`.
pub const DOCS_URL: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs");

/// Most components of a vector that an index holds.
pub const MAX_DIMS: usize = u16::MAX as usize;

pub use call_status::CallStatus;
pub use code_fence::{CodeFences, FencedLine};
pub use command_work::{CommandWork, reads_heredoc};
pub use commit_trailer::{is_agent_trailer_term, without_agent_trailers};
pub use confidence_band::{BandThresholds, ConfidenceBand};
pub use content::{
    AccessedFile, AccessedFileRef, CommandRunEntry, CommandRunRef, FileEntry, RunError, TurnContent,
};
pub use cosine_scale::CosineScale;
pub use cut_note::{CutOutput, cut_output, split_cut_note};
pub use error_lines::find_error_lines;
pub use error_marker::may_hold_errors;
pub use error_signature::{ErrorPart, ErrorSignature, find_error_names};
pub use file_stamp::FileStamp;
pub use fusion::{BestScores, FusedItem, ListScore, Normalization, ScoredItem, fuse};
pub use idf::idf;
pub use iso_date::is_iso_date;
pub use issue_number::IssueNumber;
pub use known_turns::KnownTurns;
pub use path_join::{join_path, resolve_path};
pub use path_match::{
    contains_in_order, is_path_within, is_project_named, pasted_path_readings, path_matches,
    rule_names_path,
};
pub use progress::Progress;
pub use prompt_kind::{PromptAuthor, PromptKind};
pub use query::{MIN_PREFIX_CHARS, MIN_RUN_WORDS, Query, QueryLanguage, Term};
pub use query_word::{is_commit_hash, is_dot_name, other_version_spelling};
pub use question_words::without_question_words;
pub use session::{
    CallDialog, DeliveredCall, FileAccess, ReadDetail, SessionMeta, TEXT_LIMIT, ToolCall, Turn,
    TurnPart, TurnSpan,
};
pub use session_reference::{SessionReference, is_uuid};
pub use stop_words::is_stop_word;
pub use top_k::TopK;
pub use turn_address::{TurnAddress, TurnAddressError, TurnRange};
pub use turn_stats::{PAUSE_MS, PauseClock, TokenTotals, TurnStats};
pub use turn_window::TurnWindow;
pub use wanted_error::WantedError;
