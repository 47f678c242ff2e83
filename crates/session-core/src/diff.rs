//! The lines in which two texts differ.

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

/// A line of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLine<'a> {
    /// Both texts have it.
    Context(&'a str),
    /// Only the old text has it.
    Removed(&'a str),
    /// Only the new text has it.
    Added(&'a str),
    /// Lines that both texts have are left out here.
    Gap,
}

impl<'a> DiffLine<'a> {
    /// Returns the mark of a unified diff before the line; a space for a gap.
    pub fn mark(self) -> char {
        match self {
            Self::Removed(_) => '-',
            Self::Added(_) => '+',
            Self::Context(_) | Self::Gap => ' ',
        }
    }

    /// Returns the text of the line; `None` for a gap.
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Context(text) | Self::Removed(text) | Self::Added(text) => Some(text),
            Self::Gap => None,
        }
    }

    /// Formats the line behind its mark; lines that are left out are the word `gap`.
    pub fn format(self, after_mark: &str, gap: &str) -> String {
        match self.text() {
            Some(text) => format!("{}{after_mark}{text}", self.mark()),
            None => gap.to_owned(),
        }
    }
}

/// Most lines of both texts together that are compared line by line: the time grows with the square
/// of the lines that differ.
const MAX_LINES: usize = 4000;

/// Returns the lines that differ, with at most `context` lines around each change. Of texts that are
/// too long to be compared all old lines are removed and all new ones added.
pub fn diff_lines<'a>(old: &'a str, new: &'a str, context: usize) -> Vec<DiffLine<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    if old.len() + new.len() > MAX_LINES {
        return whole(&old, &new).collect();
    }
    let changes = capture_diff_slices(Algorithm::Myers, &old, &new);
    let mut lines = Vec::new();
    for (n, group) in group_diff_ops(changes, context).iter().enumerate() {
        lines.extend((n > 0).then_some(DiffLine::Gap));
        for change in group {
            push_change(&mut lines, change, &old, &new);
        }
    }
    lines
}

fn push_change<'a>(
    lines: &mut Vec<DiffLine<'a>>,
    change: &DiffOp,
    old: &[&'a str],
    new: &[&'a str],
) {
    let (old, new) = (&old[change.old_range()], &new[change.new_range()]);
    match change {
        DiffOp::Equal { .. } => lines.extend(old.iter().map(|line| DiffLine::Context(line))),
        _ => lines.extend(whole(old, new)),
    }
}

fn whole<'a>(old: &[&'a str], new: &[&'a str]) -> impl Iterator<Item = DiffLine<'a>> {
    let removed = old.iter().map(|line| DiffLine::Removed(line));
    removed.chain(new.iter().map(|line| DiffLine::Added(line)))
}

#[cfg(test)]
mod tests {
    use super::DiffLine::{Added, Context, Gap, Removed};
    use super::*;

    #[test]
    fn a_diff_has_the_changed_lines_and_those_around_them() {
        assert_eq!(
            diff_lines("a\nb\nc\nd\n", "a\nb\nx\nd\n", 1),
            [Context("b"), Removed("c"), Added("x"), Context("d")]
        );
        assert_eq!(diff_lines("", "a\n", 1), [Added("a")]);
        assert_eq!(
            diff_lines("a\na\n", "a\na\na\n", 1),
            [Context("a"), Added("a")]
        );
        assert_eq!(diff_lines("a\n", "", 1), [Removed("a")]);
        assert_eq!(diff_lines("a\nb", "a\nb", 3), []);
    }

    #[test]
    fn changes_apart_have_a_gap_between_them() {
        assert_eq!(
            diff_lines("1\n2\n3\n4\n5", "x\n2\n3\n4\ny", 1),
            [
                Removed("1"),
                Added("x"),
                Context("2"),
                Gap,
                Context("4"),
                Removed("5"),
                Added("y")
            ]
        );
    }

    #[test]
    fn long_texts_are_replaced_as_a_whole() {
        let (old, new) = ("same\nold\n".repeat(MAX_LINES / 2), "same\nnew\n".repeat(9));
        let lines = diff_lines(&old, &new, 3);
        assert_eq!(lines.len(), MAX_LINES + 18);
        assert_eq!(
            (lines[0], lines[MAX_LINES]),
            (Removed("same"), Added("same"))
        );
    }
}
