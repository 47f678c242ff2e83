//! The part of a long text that is kept, and how much is left out.

use session_core::text::clip_words;
use session_core::{CutOutput, split_cut_note};
use session_display::pluralize;

/// Most of one output, input or edit that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextLimit {
    /// Most lines.
    pub lines: usize,
    /// Most bytes.
    pub bytes: usize,
}

/// The beginning of a text, and what was cut from its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptText<'t> {
    pub(crate) text: &'t str,
    /// The note on how much is left out, if something is.
    pub(crate) cut: Option<String>,
}

impl TextLimit {
    /// The limits of an exported file.
    pub(crate) const EXPORT: Self = Self {
        lines: 400,
        bytes: 32 << 10,
    };
    /// The limits of a brief view: a line can be a whole file.
    pub const BRIEF: Self = Self {
        lines: 8,
        bytes: 2_000,
    };
    /// The limits of a thought or a notice in a brief view.
    pub const BRIEF_ASIDE: Self = Self {
        lines: 2,
        ..Self::BRIEF
    };

    /// Keeps all of a text.
    pub const UNLIMITED: Self = Self::with_lines(usize::MAX);

    /// Keeps so many lines, however long.
    pub const fn with_lines(lines: usize) -> Self {
        Self {
            lines,
            bytes: usize::MAX,
        }
    }

    /// Cuts a text, and says at its end how much is left out.
    pub fn shorten(self, text: &str) -> String {
        let kept = self.cut_text(text);
        match kept.cut {
            Some(cut) => format!("{}\n{cut}", kept.text),
            None => kept.text.to_owned(),
        }
    }

    /// Cuts a text behind a line, or else behind a word.
    pub(crate) fn cut_text(self, text: &str) -> KeptText<'_> {
        let CutOutput {
            kept: text,
            note: cut_before,
        } = split_cut_note(text.trim_end());
        let line_end = text.match_indices('\n').nth(self.lines.saturating_sub(1));
        let by_lines = &text[..line_end.map_or(text.len(), |(at, _)| at)];
        let by_bytes = clip_words(by_lines, self.bytes);
        let kept = match by_bytes.rfind('\n') {
            Some(end) if by_bytes.len() < by_lines.len() => &by_bytes[..end],
            _ => by_bytes,
        };
        let rest = &text[kept.len()..];
        let is_line = rest.starts_with('\n');
        let rest = rest.trim_start_matches('\n');
        let cut = (!rest.is_empty()).then(|| format_left_out(rest, is_line));
        KeptText {
            text: kept,
            cut: join_notes(cut, cut_before),
        }
    }
}

/// Joins what is said of this cut and of one before it.
fn join_notes(cut: Option<String>, cut_before: Option<&str>) -> Option<String> {
    match (cut, cut_before) {
        (Some(cut), Some(before)) => Some(format!("{cut} {before}")),
        (cut, before) => cut.or_else(|| before.map(str::to_owned)),
    }
}

/// Formats how much `rest` is: lines, or the end of one line.
fn format_left_out(rest: &str, is_line: bool) -> String {
    let count = match is_line || rest.contains('\n') {
        true => pluralize(rest.lines().count(), "more line"),
        false => pluralize(rest.chars().count(), "more character"),
    };
    match rest.len() {
        ..10_240 => format!("… {count}"),
        bytes => format!("… {count}, {} KB", bytes / 1024),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_told() {
        let cut = |lines, bytes, text: &str| {
            let kept = TextLimit { lines, bytes }.cut_text(text);
            (kept.text.to_owned(), kept.cut)
        };
        let some = |text: &str, cut: &str| (text.to_owned(), Some(cut.to_owned()));
        assert_eq!(cut(2, 99, "a\nb\n\n"), ("a\nb".to_owned(), None));
        assert_eq!(cut(2, 99, "a\nb\nc\nd"), some("a\nb", "… 2 more lines"));
        assert_eq!(cut(9, 4, "a\nbc def"), some("a", "… 1 more line"));
        assert_eq!(cut(9, 4, "abc def"), some("abc", "… 4 more characters"));
        assert_eq!(
            cut(usize::MAX, usize::MAX, "a\nb"),
            ("a\nb".to_owned(), None)
        );
        let note = "[cut: 3 KB of this output are not shown]";
        let before = format!("a\nb\n{note}");
        assert_eq!(cut(9, 999, &before), some("a\nb", note));
        assert_eq!(
            cut(1, 999, &before),
            some("a", &format!("… 1 more line {note}"))
        );
        let long = cut(1, 99, &format!("a\n{}", "x".repeat(20 << 10)));
        assert_eq!(long, some("a", "… 1 more line, 20 KB"));
    }
}
