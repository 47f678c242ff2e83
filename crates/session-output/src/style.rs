//! Colours.

use anstyle::{AnsiColor, Style};
use session_core::ConfidenceBand;

/// A heading, or the title of a session.
pub(crate) const TITLE: Style = Style::new().bold();
/// A word of the query in a preview.
pub(crate) const MATCH: Style = Style::new().bold();
/// The style of text beside that which matters.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// An id, which is typed to go on.
pub(crate) const ID: Style = AnsiColor::Cyan.on_default();
/// The name of a project.
pub(crate) const PROJECT: Style = AnsiColor::Green.on_default();
/// Who speaks in a turn.
pub(crate) const PROMPT: Style = AnsiColor::Yellow.on_default().bold();
/// A tool call, or a command that was run.
pub(crate) const CALL: Style = AnsiColor::Blue.on_default();
/// A day of the calendar on which something was done.
pub(crate) const HEAT: Style = AnsiColor::Green.on_default();
/// A failure, or what could not be read.
pub(crate) const FAILED: Style = AnsiColor::Red.on_default();

/// Returns text with the codes of a style. Where stdout is no terminal, the stream drops the codes.
pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Returns the style of a band.
pub(crate) fn band_style(band: ConfidenceBand) -> Style {
    match band {
        ConfidenceBand::Strong => AnsiColor::Green.on_default().bold(),
        ConfidenceBand::Moderate => AnsiColor::Yellow.on_default(),
        ConfidenceBand::Weak => Style::new().dimmed(),
    }
}
