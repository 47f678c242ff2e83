//! The lines in which two texts differ.

/// A line of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLine<'a> {
    /// Both texts have it.
    Context(&'a str),
    /// Only the old text has it.
    Removed(&'a str),
    /// Only the new text has it.
    Added(&'a str),
}

/// Returns the lines between the texts' common beginning and end, with one line of context on
/// either side. Settings and skill files change in one place, so no longest common subsequence is
/// computed.
pub fn diff_lines<'a>(old: &'a str, new: &'a str) -> Vec<DiffLine<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let is_same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(&new).take_while(is_same).count();
    let tails = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = tails.take_while(is_same).count();
    let (removed, rest) = old[head..].split_at(old.len() - head - tail);
    let added = &new[head..new.len() - tail];
    let before = old[..head].last().map(|line| DiffLine::Context(line));
    let after = rest.first().map(|line| DiffLine::Context(line));
    before
        .into_iter()
        .chain(removed.iter().map(|line| DiffLine::Removed(line)))
        .chain(added.iter().map(|line| DiffLine::Added(line)))
        .chain(after)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::DiffLine::{Added, Context, Removed};
    use super::*;

    #[test]
    fn a_diff_has_the_changed_lines_and_one_line_around_them() {
        assert_eq!(
            diff_lines("a\nb\nc\nd\n", "a\nb\nx\nd\n"),
            [Context("b"), Removed("c"), Added("x"), Context("d")]
        );
        assert_eq!(diff_lines("", "a\n"), [Added("a")]);
        assert_eq!(
            diff_lines("a\na\n", "a\na\na\n"),
            [Context("a"), Added("a")]
        );
        assert_eq!(diff_lines("a\n", ""), [Removed("a")]);
    }
}
