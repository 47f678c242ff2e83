//! Colours.

use anstyle::{AnsiColor, Style};
use session_core::Band;

/// A heading, or the title of a session.
pub const TITLE: Style = Style::new().bold();
/// A word of the query in a preview.
pub const MATCH: Style = Style::new().bold();
/// The style of text beside that which matters.
pub const FAINT: Style = Style::new().dimmed();
/// An id, which is typed to go on.
pub const ID: Style = AnsiColor::Cyan.on_default();
/// The name of a project.
pub const PROJECT: Style = AnsiColor::Green.on_default();
/// Who speaks in a turn.
pub const PROMPT: Style = AnsiColor::Yellow.on_default().bold();
/// A tool call, or a command that was run.
pub const CALL: Style = AnsiColor::Blue.on_default();
/// A day of the calendar on which something was done.
pub const HEAT: Style = AnsiColor::Green.on_default();
/// A failure, or what could not be read.
pub const FAILED: Style = AnsiColor::Red.on_default();

/// Returns text with the codes of a style. Where stdout is no terminal, the stream drops the codes.
pub fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Returns the style of a band.
pub fn band_style(band: Band) -> Style {
    match band {
        Band::Strong => AnsiColor::Green.on_default().bold(),
        Band::Moderate => AnsiColor::Yellow.on_default(),
        Band::Weak => Style::new().dimmed(),
    }
}
