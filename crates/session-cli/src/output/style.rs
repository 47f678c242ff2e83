//! Colours, widths and safe text.

use anstyle::{AnsiColor, Style};
use session_core::Band;
use session_core::text::printable;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub const TITLE: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const ID: Style = AnsiColor::Cyan.on_default();
pub const PROJECT: Style = AnsiColor::Green.on_default();
pub const PROMPT: Style = AnsiColor::Yellow.on_default().bold();
pub const CALL: Style = AnsiColor::Blue.on_default();
pub const FAILED: Style = AnsiColor::Red.on_default();

/// Text in a style. Where stdout is no terminal, the stream drops the codes.
pub fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The colour of a band.
pub fn band(band: Band) -> Style {
    match band {
        Band::Strong => AnsiColor::Green.on_default().bold(),
        Band::Moderate => AnsiColor::Yellow.on_default(),
        Band::Weak => Style::new().dimmed(),
    }
}

/// Columns to fill: those of the terminal, or of `COLUMNS`, else 100.
pub fn width() -> usize {
    let set = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let seen = || terminal_size::terminal_size().map(|(w, _)| usize::from(w.0));
    set.or_else(seen).unwrap_or(100).clamp(40, 160)
}

/// Session text on one line, safe for a terminal, at most `columns` wide.
pub fn line(text: &str, columns: usize) -> String {
    let text = session_core::text::one_line(&printable(text));
    if text.width() <= columns {
        return text;
    }
    let mut used = 1;
    let mut cut: String = text
        .chars()
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= columns
        })
        .collect();
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}
