//! The last line of an output that was cut.

use crate::session::TEXT_LIMIT;
use crate::text::clip_words;

const BEGIN: &str = "[cut: ";
const END: &str = " KB of this output are not shown]";

/// Cuts an output behind a word to [`TEXT_LIMIT`] bytes. A last line says how much is left out, with the `unread`
/// bytes that follow it.
pub fn cut_output(output: &str, unread: usize) -> String {
    let kept = clip_words(output, TEXT_LIMIT);
    match output.len() - kept.len() + unread {
        0 => kept.to_owned(),
        bytes => format!("{kept}\n{BEGIN}{}{END}", bytes.div_ceil(1024)),
    }
}

/// An output without the line that [`cut_output`] adds, and that line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutOutput<'o> {
    /// The output that is kept.
    pub kept: &'o str,
    /// The line about the rest; `None` for an output that was not cut.
    pub note: Option<&'o str>,
}

/// Splits off the line that [`cut_output`] adds.
pub fn split_cut_note(text: &str) -> CutOutput<'_> {
    let (kept, last) = text.rsplit_once('\n').unwrap_or_default();
    if last.starts_with(BEGIN) && last.ends_with(END) {
        CutOutput {
            kept,
            note: Some(last),
        }
    } else {
        CutOutput {
            kept: text,
            note: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_noted_in_the_last_line() {
        let short = cut_output("a\nb", 0);
        assert_eq!(
            (short.as_str(), split_cut_note(&short).note),
            ("a\nb", None)
        );
        let long = cut_output(&"x".repeat(TEXT_LIMIT + 1500), 700);
        let CutOutput { kept, note } = split_cut_note(&long);
        assert_eq!(kept.len(), TEXT_LIMIT);
        assert_eq!(note, Some("[cut: 3 KB of this output are not shown]"));
    }
}
