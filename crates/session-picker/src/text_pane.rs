//! Turns that are laid out for the columns of a pane, with a place in them.

use crate::text_lines::{CallDetail, TextLine, TextLines};
use session_search::Exchange;
use session_store::find_term_ranges;
use std::ops::Range;

/// The words that are marked in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Marked {
    #[default]
    Nothing,
    /// Words, and what they match in the word index.
    Terms(Vec<String>),
    /// A text, whatever its case.
    Text(String),
}

/// Turns as lines, with what is marked and the first line that is drawn. Matches are looked for in the
/// lines that are drawn, and from there on: a conversation may have a million lines.
#[derive(Debug, Default)]
pub(crate) struct TextPane {
    pub(crate) text: TextLines,
    pub(crate) marked: Marked,
    /// The first line that is drawn.
    pub(crate) scroll: usize,
    pub(crate) height: usize,
}

/// Lines in which matches are looked for at a time.
const CHUNK_LINES: usize = 256;

impl TextPane {
    /// Returns the lines that are drawn, with the byte ranges that match.
    pub(crate) fn visible(&self) -> Vec<(&TextLine, Vec<Range<usize>>)> {
        let lines = self.text.lines.get(self.scroll..).unwrap_or_default();
        let lines = &lines[..self.height.min(lines.len())];
        lines.iter().zip(self.matches(lines)).collect()
    }

    fn matches(&self, lines: &[TextLine]) -> Vec<Vec<Range<usize>>> {
        match &self.marked {
            Marked::Nothing => vec![Vec::new(); lines.len()],
            Marked::Text(text) => {
                let needle = text.to_lowercase();
                lines
                    .iter()
                    .map(|line| occurrences(&line.text, &needle))
                    .collect()
            }
            Marked::Terms(terms) => {
                let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
                let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
                let found = find_term_ranges(&terms, &texts);
                found.unwrap_or_else(|_| vec![Vec::new(); lines.len()])
            }
        }
    }

    /// Returns the turn at the top, from 0.
    pub(crate) fn turn(&self) -> Option<u32> {
        Some(self.text.lines.get(self.scroll)?.turn)
    }

    /// Moves by lines; the end of the text may stand at most in the middle.
    pub(crate) fn scroll_by(&mut self, lines: isize) {
        let last = self
            .text
            .lines
            .len()
            .saturating_sub(self.height.div_ceil(2));
        // A match, or the last turn, may stand further down already.
        let last = last.max(self.scroll);
        self.scroll = self.scroll.saturating_add_signed(lines).min(last);
    }

    /// Moves to the next match from a line on, or to the one before it; around the end. Returns false
    /// where there is none.
    pub(crate) fn go_to_match(&mut self, from: usize, direction: Direction) -> bool {
        let all = self.text.lines.len();
        let from = from.min(all);
        let found = match direction {
            Direction::Forwards => self
                .first_match(from..all)
                .or_else(|| self.first_match(0..from)),
            Direction::Backwards => self
                .last_match(0..from)
                .or_else(|| self.last_match(from..all)),
        };
        self.scroll = found.unwrap_or(self.scroll);
        found.is_some()
    }

    /// Moves so that the first match in these lines, which begin a turn, stands in the upper third.
    pub(crate) fn show_match(&mut self, lines: Range<usize>) {
        let from = lines.start;
        let found = self.first_match(lines);
        let found = found.filter(|at| at - from > self.height / 2);
        self.scroll = found.map_or(from, |at| at - self.height / 3);
    }

    fn first_match(&self, lines: Range<usize>) -> Option<usize> {
        let chunks = lines.clone().step_by(CHUNK_LINES);
        let mut chunks = chunks.map(|first| first..(first + CHUNK_LINES).min(lines.end));
        chunks.find_map(|chunk| self.matching_lines(chunk).first().copied())
    }

    fn last_match(&self, lines: Range<usize>) -> Option<usize> {
        let chunks = lines.clone().step_by(CHUNK_LINES);
        let chunks = chunks.map(|first| first..(first + CHUNK_LINES).min(lines.end));
        let chunks: Vec<Range<usize>> = chunks.collect();
        let mut chunks = chunks.into_iter().rev();
        chunks.find_map(|chunk| self.matching_lines(chunk).last().copied())
    }

    fn matching_lines(&self, lines: Range<usize>) -> Vec<usize> {
        let first = lines.start;
        let lines = self.text.lines.get(lines).unwrap_or_default();
        let found = self.matches(lines).into_iter().enumerate();
        let found = found.filter(|(_, ranges)| !ranges.is_empty());
        found.map(|(at, _)| first + at).collect()
    }
}

/// The direction in which the next match is looked for.
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

    /// Lays the turns out where the width has changed; returns true where it did. The line at the top
    /// stays there.
    pub(crate) fn lay_out(&mut self, columns: usize, height: usize, calls: CallDetail) -> bool {
        self.pane.height = height;
        if self.columns == columns {
            return false;
        }
        self.columns = columns;
        let text = TextLines::new(&self.exchanges, self.turns, columns, calls);
        let top = self.pane.text.position(self.pane.scroll);
        self.pane.scroll = top.map_or(0, |top| text.line_at(top));
        self.pane.text = text;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_lines::LineRole;

    /// A pane of so many lines, of which some say "lamp".
    fn pane(lines: usize, lamps: &[usize]) -> TextPane {
        let line = |at: usize| TextLine {
            text: match lamps.contains(&at) {
                true => "the LAMP".into(),
                false => "dark".into(),
            },
            role: LineRole::Plain,
            parts: Vec::new(),
            turn: 0,
            part: 0,
        };
        TextPane {
            text: TextLines {
                lines: (0..lines).map(line).collect(),
            },
            height: 10,
            ..TextPane::default()
        }
    }

    #[test]
    fn matches_are_found_forwards_and_backwards_around_the_ends() {
        for marked in [
            Marked::Text("lamp".into()),
            Marked::Terms(vec!["lamps".into()]),
        ] {
            let mut pane = pane(1000, &[3, 700]);
            pane.marked = marked;
            let mut found = Vec::new();
            for direction in [
                Direction::Forwards,
                Direction::Forwards,
                Direction::Forwards,
            ] {
                assert!(pane.go_to_match(pane.scroll + 1, direction));
                found.push(pane.scroll);
            }
            for _ in 0..2 {
                assert!(pane.go_to_match(pane.scroll, Direction::Backwards));
                found.push(pane.scroll);
            }
            assert_eq!(found, [3, 700, 3, 700, 3]);
        }
    }

    #[test]
    fn what_is_nowhere_leaves_the_place() {
        let mut pane = pane(600, &[]);
        pane.scroll = 7;
        for marked in [
            Marked::Nothing,
            Marked::Text("lamp".into()),
            Marked::Text(String::new()),
        ] {
            pane.marked = marked;
            assert!(!pane.go_to_match(8, Direction::Forwards));
            assert!(!pane.go_to_match(7, Direction::Backwards));
            assert_eq!(pane.scroll, 7);
        }
        let mut empty = self::pane(0, &[]);
        empty.marked = Marked::Text("x".into());
        assert!(!empty.go_to_match(1, Direction::Forwards));
        assert_eq!(empty.visible().len(), 0);
    }

    #[test]
    fn matches_are_those_of_the_lines_that_are_drawn() {
        let mut pane = pane(100, &[50]);
        pane.marked = Marked::Text("Lamp".into());
        pane.scroll = 45;
        let drawn = pane.visible();
        let mut ranges = drawn.into_iter().flat_map(|(_, ranges)| ranges);
        assert_eq!((ranges.next(), ranges.next()), (Some(4..8), None));
    }
}
