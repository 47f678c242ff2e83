//! Writing: JSON and paged text to stdout, notes and progress to stderr. What is written has its shape
//! from `session-output`.

mod delayed_bar;
pub mod download;
pub mod json;
pub mod notes;
pub mod pager;
pub mod progress;
pub mod stop_signal;
mod unbreakable_pipe;

use anstream::{AutoStream, ColorChoice};
use anyhow::Result;
use serde::Serialize;
use session_display::Note;
use std::fmt::Display;
use std::io::Write;

/// Prints text on stdout, with the styles that it takes.
pub fn print(text: impl Display) -> Result<()> {
    Ok(write!(anstream::stdout(), "{text}")?)
}

/// Prints an answer as JSON or text. Why it is `missing` stands in place of the text; JSON has it as hints, and it is
/// noted beside.
pub fn print_or_explain<J: Serialize>(
    missing: Option<&Note>,
    as_json: bool,
    to_json: impl FnOnce(Vec<String>) -> J,
    format: impl FnOnce() -> String,
) -> Result<()> {
    if as_json {
        json::print(&to_json(missing.map(Note::sentences).unwrap_or_default()))?;
    }
    match missing {
        Some(note) => notes::print_reason_or_note(note, as_json),
        None if as_json => Ok(()),
        None => print(format()),
    }
}

/// Prints bytes on stdout as they are.
pub fn print_bytes(bytes: &[u8]) -> Result<()> {
    Ok(std::io::stdout().write_all(bytes)?)
}

/// Returns the columns to fill: those of the terminal, or of `COLUMNS`, else 100.
pub fn terminal_width() -> usize {
    let set = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let seen = || terminal_size::terminal_size().map(|(w, _)| usize::from(w.0));
    set.or_else(seen).unwrap_or(100).clamp(40, 160)
}

/// Returns true if stdout shows styles.
pub fn is_styled() -> bool {
    AutoStream::choice(&std::io::stdout()) != ColorChoice::Never
}
