//! Lines of the screen, joined to the texts that they were folded from: a phrase may go on in the next line.

use crate::text_lines::TextLine;
use std::ops::Range;

/// A text of one or more lines of the screen.
#[derive(Debug, Default)]
pub(crate) struct UnfoldedLine {
    pub(crate) text: String,
    parts: Vec<LinePart>,
}

/// The part of a text that a line holds.
#[derive(Debug)]
struct LinePart {
    /// The number of the line among those that were joined.
    line: usize,
    /// Bytes of the line before the part.
    indent: usize,
    range: Range<usize>,
}

impl UnfoldedLine {
    /// Joins each line that goes on with the text of the one before to that.
    pub(crate) fn join(lines: &[&TextLine]) -> Vec<Self> {
        let mut joined: Vec<Self> = Vec::new();
        for (line, number) in lines.iter().zip(0..) {
            match (line.fold, joined.last_mut()) {
                (Some(fold), Some(last)) => {
                    last.text.push_str(fold.separator);
                    last.push(number, line);
                }
                _ => {
                    let mut first = Self::default();
                    first.push(number, line);
                    joined.push(first);
                }
            }
        }
        joined
    }

    fn push(&mut self, number: usize, line: &TextLine) {
        let indent = line.fold.map_or(0, |fold| fold.indent);
        let start = self.text.len();
        self.text.push_str(&line.text[indent..]);
        self.parts.push(LinePart {
            line: number,
            indent,
            range: start..self.text.len(),
        });
    }

    /// Returns the number of the line in which a byte of the text stands.
    pub(crate) fn line_at(&self, byte: usize) -> Option<usize> {
        let begun = self.parts.partition_point(|part| part.range.start <= byte);
        Some(self.parts.get(begun.checked_sub(1)?)?.line)
    }

    /// Splits a range of the text into those of the lines that hold it, with the numbers of these.
    pub(crate) fn line_ranges(
        &self,
        range: Range<usize>,
    ) -> impl Iterator<Item = (usize, Range<usize>)> {
        self.parts.iter().filter_map(move |part| {
            let start = range.start.max(part.range.start);
            let end = range.end.min(part.range.end);
            let in_line = |byte: usize| byte - part.range.start + part.indent;
            (start < end).then(|| (part.line, in_line(start)..in_line(end)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_lines::{LineFold, LineRole};

    fn line(text: &str, fold: Option<(&'static str, usize)>) -> TextLine {
        TextLine {
            text: text.into(),
            role: LineRole::Plain,
            parts: Vec::new(),
            fold: fold.map(|(separator, indent)| LineFold { separator, indent }),
        }
    }

    #[test]
    fn folded_lines_are_one_text_whose_ranges_are_those_of_the_lines() {
        let lines = [
            line("  up", Some((" ", 2))),
            line("● light every", None),
            line("  lamp of the har", Some((" ", 2))),
            line("  bour", Some(("", 2))),
            line("", None),
        ];
        let joined = UnfoldedLine::join(&lines.iter().collect::<Vec<_>>());
        let texts: Vec<&str> = joined.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["up", "● light every lamp of the harbour", ""]);

        let text = &joined[1];
        let check = |phrase: &str, expected: &[(usize, &str)]| {
            let start = text.text.find(phrase).unwrap();
            assert_eq!(text.line_at(start), Some(expected[0].0));
            let ranges = text.line_ranges(start..start + phrase.len());
            let found: Vec<_> = ranges
                .map(|(number, range)| (number, &lines[number].text[range]))
                .collect();
            assert_eq!(found, expected);
        };
        check("light", &[(1, "light")]);
        check("every lamp", &[(1, "every"), (2, "lamp")]);
        check("harbour", &[(2, "har"), (3, "bour")]);
    }
}
