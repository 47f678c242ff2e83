//! The end of a value without quotes.

use crate::value::{ValueContext, is_wordlike};
use session_core::text::{is_foreign_mark, is_unspaced};

/// Marks that end a value in code, in a shell and in a list, and that stand within passwords as well.
const INNER_MARKS: [char; 3] = ['&', ',', ';'];
/// Most bytes of a part that may be a word or a part of a password.
const SHORT_BYTES: usize = 2;

/// The text behind a mark within a value.
#[derive(Debug, PartialEq, Eq)]
enum PartBehindMark {
    /// The rest of a password.
    Secret,
    /// Few letters or digits, or nothing: the rest of a password where more of it follows.
    Short,
    /// A word, the next field, a number, a path or code: the value ended before the mark.
    Other,
}

/// Returns the length of the value that a text begins with. It goes on behind a mark that stands within a password, where
/// that is allowed: not in the query of a URL.
pub(crate) fn bare_length(text: &str, context: ValueContext, allows_marks: bool) -> usize {
    // A sentence without spaces goes on behind a value: `password: hunter2を使う`.
    let is_sentence = !text.starts_with(is_unspaced);
    let ends = |c| ends_value(c, context) || (is_sentence && is_unspaced(c));
    let find_end = |from: usize| text[from..].find(ends).map_or(text.len(), |at| from + at);
    let first_mark = find_end(0);
    let (mut end, mut read) = (first_mark, first_mark);
    while allows_marks && text[read..].starts_with(INNER_MARKS) {
        let next = find_end(read + 1);
        match classify_part(&text[read + 1..next], &text[next..]) {
            PartBehindMark::Secret => end = next,
            PartBehindMark::Short if end > first_mark => end = next,
            PartBehindMark::Short => {}
            PartBehindMark::Other => break,
        }
        read = next;
    }
    end
}

fn ends_value(c: char, context: ValueContext) -> bool {
    let closes = match context {
        ValueContext::Literal => "\"'`<>;&|",
        _ => "\"'`<>;,)]}&|",
    };
    c.is_whitespace() || closes.contains(c) || is_foreign_mark(c) || "“”".contains(c)
}

fn classify_part(part: &str, rest: &str) -> PartBehindMark {
    let is_code =
        part.contains(['(', '[', '{', '\\', '$']) || rest.starts_with([')', ']', '}', '<', '>']);
    let name = part.split(['=', ':']).next().unwrap_or_default();
    let is_field = name.len() < part.len() && is_wordlike(trim_number(name));
    if is_code || is_field {
        PartBehindMark::Other
    } else if !is_plain_word(trim_number(part)) {
        PartBehindMark::Secret
    } else if part.len() <= SHORT_BYTES {
        PartBehindMark::Short
    } else {
        PartBehindMark::Other
    }
}

/// Removes the number and the marks of a sentence at the end of a name.
fn trim_number(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || "#!?.".contains(c))
}

/// Returns true for words that are joined, each in one case, with a capital first or in camel case, and for nothing.
fn is_plain_word(text: &str) -> bool {
    let is_upper = !text.contains(|c: char| c.is_lowercase());
    let breaks_case = |pair: &[u8]| pair[0].is_ascii_uppercase() && !pair[1].is_ascii_lowercase();
    text.is_empty()
        || (is_wordlike(text)
            && (is_upper
                || !(text.as_bytes().windows(2).any(breaks_case)
                    || text.ends_with(|c: char| c.is_ascii_uppercase()))))
}
