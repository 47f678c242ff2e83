//! Writing: JSON and paged text to stdout, notes and progress to stderr. What is written has its shape
//! from `session-output`.

mod delayed_bar;
pub mod download;
pub mod json;
pub mod notes;
pub mod pager;
mod pager_command;
pub mod progress;
pub mod stop_signal;
mod unbreakable_pipe;

use anstream::{AutoStream, ColorChoice};

/// Returns the columns to fill: those of the terminal, or of `COLUMNS`, else 100.
pub fn terminal_width() -> usize {
    let set = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let seen = || terminal_size::terminal_size().map(|(w, _)| usize::from(w.0));
    set.or_else(seen).unwrap_or(100).clamp(40, 160)
}

/// Returns true where stdout shows styles.
pub fn is_styled() -> bool {
    AutoStream::choice(&std::io::stdout()) != ColorChoice::Never
}
