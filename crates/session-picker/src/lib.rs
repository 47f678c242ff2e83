//! The picker: a full screen on which sessions are searched as one types, read, and chosen.
//!
//! [`pick`] takes the terminal, and gives it back with a [`PickerChoice`]: a session, to resume or to fork.
//! Nothing is resumed here; the caller does that, or prints the command.
//!
//! One thread owns the state (`App`) and draws it. It never waits for the index: a thread for each kind
//! of work sends it messages.
//!
//! - The searching thread answers the last request that was made, and drops those before it.
//! - The reading thread reads the turns of the preview and of the open conversation.
//! - The refreshing thread brings the index up to date step by step, and each step asks the list anew.
//! - Copying, exporting and saving run in a thread each.
//!
//! The index stays open between questions, without a lock ([`session_query::OpenIndex`]), and so do the
//! models. Another thread reads what a refresh wrote; until it has, lists are answered from what was read
//! before.
//!
//! The text of sessions is an attacker's: it is made printable and cut by `session-display` before it is
//! drawn, and what is typed or pasted loses what no terminal shows. A turn is laid out as lines with
//! roles (`TextLine`), from which a theme takes styles of the sixteen colours, or without colour.
//!
//! ```no_run
//! use session_config::Home;
//! use session_picker::{PickerCallbacks, PickerChoice, PickerError, PickerOptions, pick};
//! use session_query::SearchEngine;
//!
//! let engine = SearchEngine::new(Home::from_process()?)?;
//! let callbacks = PickerCallbacks {
//!     start_embedding: |_home| (),
//!     describe_error: |error: PickerError| error.to_string(),
//! };
//! let options = PickerOptions { query: "docker project:.".into(), colours: true, is_shell_waiting: false, callbacks };
//! if let Some(PickerChoice { session, .. }) = pick(engine, &options)? {
//!     println!("{}", session.uid);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod action;
mod app;
mod app_effect;
mod clipboard;
mod conversation;
mod deferred_keys;
mod error;
#[cfg(unix)]
mod job_control;
mod jobs;
mod latest;
mod list;
mod list_answer;
mod marked;
mod match_count;
mod memory_destination;
mod memory_form;
mod message;
mod named_sessions;
mod overlay;
mod picker;
mod preview_pane;
mod query_line;
mod request;
mod terminal;
mod text_blocks;
mod text_lines;
mod text_pane;
mod theme;
mod thread_priority;
mod turn_position;
mod typing_pause;
mod uncertain_rows;
mod unfolded_line;
mod view;
mod worker;

pub use error::PickerError;
pub use picker::{PickerCallbacks, PickerChoice, PickerOptions, pick};
