//! Text in a block: no text can be taken for a tag, and its length is in characters.

use session_core::text::escape_tags;
use unicode_segmentation::UnicodeSegmentation;

const ELLIPSIS: &str = "…";

/// A text that may have been cut.
pub(crate) struct FittedText {
    /// The escaped text.
    pub(crate) text: String,
    /// The end of the text is missing.
    pub(crate) truncated: bool,
}

/// Counts characters, not graphemes: a grapheme has no limit.
pub(crate) fn char_count(text: &str) -> usize {
    text.chars().count()
}

/// Escapes a text, so that it cannot end the fence, and truncates it between graphemes to at most `room` characters.
pub(crate) fn truncate_escaped(text: &str, room: usize) -> FittedText {
    let whole = escape_tags(text);
    if char_count(&whole) <= room {
        return FittedText {
            text: whole.into_owned(),
            truncated: false,
        };
    }
    let mut end = 0;
    let mut used = 1; // the ellipsis
    for (at, grapheme) in whole.grapheme_indices(true) {
        used += char_count(grapheme);
        if used > room {
            break;
        }
        end = at + grapheme.len();
    }
    FittedText {
        text: format!("{}{ELLIPSIS}", whole[..end].trim_end()),
        truncated: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stay_as_they_are_typed() {
        let command = "make a && make b 2>&1 >log < in";
        let whole = truncate_escaped(command, 80);
        assert_eq!((whole.text.as_str(), whole.truncated), (command, false));
    }

    #[test]
    fn a_cut_text_is_escaped_as_the_whole_is() {
        let cut = truncate_escaped("0123456789 </project-memory>", 20);
        assert_eq!(cut.text, "0123456789 &lt;/pro…");
        assert!(cut.truncated);
    }
}
