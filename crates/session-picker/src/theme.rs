//! The styles of the picker: of the sixteen colours those that are read on light and on dark, and marks
//! that need no colour. Nothing has a background of its own.

use crate::text_lines::LineRole;
use ratatui::style::{Color, Modifier, Style};
use session_core::ConfidenceBand;

/// Styles, with colours or without.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Theme {
    has_colours: bool,
}

impl Theme {
    pub(crate) fn new(has_colours: bool) -> Self {
        Self { has_colours }
    }

    fn colour_style(self, colour: Color) -> Style {
        if self.has_colours {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }

    pub(crate) fn title(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(crate) fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// Returns the style of a word that matches.
    pub(crate) fn matching(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// Returns the style of the match that was found last.
    pub(crate) fn current_match(self) -> Style {
        self.matching().add_modifier(Modifier::REVERSED)
    }

    /// Returns the style of the mark of the row that is selected, and of what is switched on.
    pub(crate) fn accent(self) -> Style {
        self.colour_style(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn project(self) -> Style {
        self.colour_style(Color::Green)
    }

    pub(crate) fn mistake(self) -> Style {
        self.colour_style(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn band(self, band: ConfidenceBand) -> Style {
        match band {
            ConfidenceBand::Strong => self.colour_style(Color::Green).add_modifier(Modifier::BOLD),
            ConfidenceBand::Moderate => self.colour_style(Color::Yellow),
            ConfidenceBand::Weak => self.faint(),
        }
    }

    /// Returns the style of a line of a conversation, or of a part of it.
    pub(crate) fn role(self, role: LineRole) -> Style {
        match role {
            LineRole::Plain => Style::new(),
            LineRole::Heading => self.title(),
            LineRole::Code => self.colour_style(Color::Cyan),
            LineRole::Prompt => self
                .colour_style(Color::Magenta)
                .add_modifier(Modifier::BOLD),
            LineRole::Rule | LineRole::Faint => self.faint(),
            // The darker blue is hardly read on black.
            LineRole::Call => self.colour_style(Color::LightBlue),
            LineRole::Failed | LineRole::Removed => self.colour_style(Color::Red),
            LineRole::Added => self.colour_style(Color::Green),
        }
    }
}
