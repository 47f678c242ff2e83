//! Turns that are laid out for the columns of a pane, with a place in them.

use crate::document::{CallDetail, Document};
use session_search::Exchange;
use session_store::find_term_ranges;
use std::ops::Range;

/// Turns as lines, with the words that match and the first line that is drawn.
#[derive(Debug, Default)]
pub(crate) struct TextPane {
    pub(crate) document: Document,
    /// Byte ranges of the words that match, by line.
    pub(crate) matches: Vec<Vec<Range<usize>>>,
    /// The first line that is drawn.
    pub(crate) scroll: usize,
    pub(crate) height: usize,
}

impl TextPane {
    /// Marks words, and what they match in the word index.
    pub(crate) fn mark_terms(&mut self, terms: &[String]) {
        let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
        let lines = self.document.lines.iter().map(|line| line.text.as_str());
        let matches = find_term_ranges(&terms, &lines.collect::<Vec<_>>());
        self.matches = matches.unwrap_or_default();
    }

    /// Marks a text, whatever its case.
    pub(crate) fn mark_text(&mut self, text: &str) {
        let needle = text.to_lowercase();
        let lines = self.document.lines.iter();
        self.matches = lines.map(|line| occurrences(&line.text, &needle)).collect();
    }

    /// Returns the turn at the top, from 0.
    pub(crate) fn turn(&self) -> Option<u32> {
        Some(self.document.lines.get(self.scroll)?.turn)
    }

    /// Moves by lines; the end of the text may stand at most in the middle.
    pub(crate) fn scroll_by(&mut self, lines: isize) {
        let last = self
            .document
            .lines
            .len()
            .saturating_sub(self.height.div_ceil(2));
        self.scroll = self.scroll.saturating_add_signed(lines).min(last);
    }

    /// Moves to the next match from a line on, or to the one before it; around the end.
    pub(crate) fn go_to_match(&mut self, from: usize, direction: Direction) {
        let lines = || (0..self.matches.len()).filter(|at| !self.matches[*at].is_empty());
        let found = match direction {
            Direction::Forwards => lines().find(|at| *at >= from).or_else(|| lines().next()),
            Direction::Backwards => {
                let before = lines().rfind(|at| *at < from);
                before.or_else(|| lines().next_back())
            }
        };
        self.scroll = found.unwrap_or(self.scroll);
    }

    /// Moves so that the first match from a line on stands in the upper third.
    pub(crate) fn show_match(&mut self, from: usize) {
        let mut lines = (from..self.matches.len()).filter(|at| !self.matches[*at].is_empty());
        let found = lines.next().filter(|at| at - from > self.height / 2);
        self.scroll = found.map_or(from, |at| at - self.height / 3);
    }
}

/// Where the next match is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Forwards,
    Backwards,
}

/// Turns with the pane that shows them, which is made anew for another width.
#[derive(Debug, Default)]
pub(crate) struct LaidOut {
    exchanges: Vec<Exchange>,
    /// Turns of the whole session.
    turns: u32,
    columns: usize,
    pub(crate) pane: TextPane,
}

impl LaidOut {
    pub(crate) fn new(exchanges: Vec<Exchange>, turns: u32) -> Self {
        Self {
            exchanges,
            turns,
            ..Self::default()
        }
    }

    pub(crate) fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// Lays the turns out where the width has changed; returns true where it did.
    pub(crate) fn lay_out(&mut self, columns: usize, height: usize, calls: CallDetail) -> bool {
        self.pane.height = height;
        if self.columns == columns {
            return false;
        }
        self.columns = columns;
        self.pane = TextPane {
            document: Document::new(&self.exchanges, self.turns, columns, calls),
            height,
            ..TextPane::default()
        };
        true
    }

    /// Lays the turns out anew when they are drawn next.
    pub(crate) fn reset(&mut self) {
        self.columns = 0;
    }
}

/// Returns where a text occurs in a line, whatever the case. A line whose lower case has another length
/// is searched as it is written.
fn occurrences(line: &str, needle: &str) -> Vec<Range<usize>> {
    let folded = line.to_lowercase();
    let text = match folded.len() == line.len() {
        true => folded.as_str(),
        false => line,
    };
    let found = text.match_indices(needle);
    found
        .map(|(at, found)| at..at + found.len())
        .filter(|range| !range.is_empty() && line.get(range.clone()).is_some())
        .collect()
}
