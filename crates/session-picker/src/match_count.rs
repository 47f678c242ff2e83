//! The matches of a text, counted as far as there was time for it.

use crate::text_blocks::{SearchDirection, TextBlocks, TextPosition};
use crate::text_lines::TextLine;
use std::fmt;
use std::ops::Range;

/// The lines in which matches begin, from the beginning of a text on. A line counts once: each one is a step of the search.
#[derive(Debug, Default)]
pub(crate) struct MatchCount {
    lines: Vec<TextPosition>,
    /// The position up to which they are counted.
    end: TextPosition,
}

/// The number of a match among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MatchNumber {
    /// From 1.
    number: usize,
    count: usize,
}

impl fmt::Display for MatchNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "match {}/{}", self.number, self.count)
    }
}

impl MatchCount {
    /// Returns true if all of the text is counted.
    pub(crate) fn is_complete(&self, text: &TextBlocks) -> bool {
        self.end >= text.end()
    }

    /// Counts some more lines of the text by `find`, which returns those in a range in which a match begins.
    pub(crate) fn extend(
        &mut self,
        text: &TextBlocks,
        find: impl FnOnce(&[(TextPosition, TextLine)], &Range<TextPosition>) -> Vec<TextPosition>,
    ) {
        let searched = self.end..text.end();
        let mut left = searched.clone();
        let lines = text.take_lines(&mut left, SearchDirection::Forwards);
        self.end = left.start;
        self.lines.extend(find(&lines, &searched));
    }

    /// Returns the number of the match that begins in a line.
    pub(crate) fn number_of(&self, line: TextPosition) -> MatchNumber {
        MatchNumber {
            number: self.lines.partition_point(|counted| *counted <= line),
            count: self.lines.len(),
        }
    }
}
