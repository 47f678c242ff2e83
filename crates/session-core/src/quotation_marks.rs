//! The marks of quotation that make a phrase of a query.

use crate::text;
use std::borrow::Cow;

/// Quotation marks that begin and end a phrase as `"` does.
const OPENING_QUOTES: [char; 5] = ['“', '„', '«', '「', '『'];
const CLOSING_QUOTES: [char; 3] = ['”', '“', '»'];

/// Returns true if a part of a text is quoted.
pub(crate) fn is_quoted(text: &str) -> bool {
    text.contains('"') || text.contains(OPENING_QUOTES)
}

/// Returns a text with `"` for marks of quotation that open and close, unless it has `"` itself.
pub(crate) fn with_straight_quotes(text: &str) -> Cow<'_, str> {
    if text.contains('"') || !text.contains(OPENING_QUOTES) {
        return Cow::Borrowed(text);
    }
    let mut straight = String::with_capacity(text.len());
    let (mut opened, mut is_at_start) = (None, true);
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let is_mark = match opened {
            Some(opening) => closes(opening, c),
            None => {
                (is_at_start || is_corner_bracket(c))
                    && OPENING_QUOTES.contains(&c)
                    && rest.contains(|closing| closes(c, closing))
            }
        };
        if is_mark {
            opened = opened.is_none().then_some(c);
        }
        straight.push(if is_mark { '"' } else { c });
        is_at_start = c.is_whitespace() || c == '(' || is_before_unspaced_quote(c);
    }
    Cow::Owned(straight)
}

/// Returns true for a mark that ends the quotation that another began. Those of other kinds stand within it.
fn closes(opening: char, c: char) -> bool {
    match opening {
        '「' => c == '」',
        '『' => c == '』',
        _ => CLOSING_QUOTES.contains(&c),
    }
}

/// Returns true for the quotation marks of Chinese and Japanese that nothing else is written with.
fn is_corner_bracket(c: char) -> bool {
    matches!(c, '「' | '『')
}

/// Returns true for a character behind which a quotation begins without a space: `报“连接超时”`.
fn is_before_unspaced_quote(c: char) -> bool {
    text::is_unspaced(c) || text::is_foreign_mark(c)
}
