//! Colours.

use anstyle::{AnsiColor, Style};
use session_core::Band;

pub const TITLE: Style = Style::new().bold();
/// A word of the query in a preview.
pub const MATCH: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
pub const ID: Style = AnsiColor::Cyan.on_default();
pub const PROJECT: Style = AnsiColor::Green.on_default();
pub const PROMPT: Style = AnsiColor::Yellow.on_default().bold();
pub const CALL: Style = AnsiColor::Blue.on_default();
pub const HEAT: Style = AnsiColor::Green.on_default();
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
