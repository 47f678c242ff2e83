//! Text of a stranger, made safe for a terminal and for a model.

use super::byte_chunks::position_of_byte;
use std::borrow::Cow;
use std::iter::Peekable;
use std::str::Chars;

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';
/// Variation selector 16: the character before it is shown as an emoji.
const EMOJI_SELECTOR: char = '\u{fe0f}';

/// Removes what a terminal would obey and what nobody would see: control characters but tab and
/// newline, escape sequences with their parameters (ECMA-48), marks of direction, tags, and
/// characters without width. Line and paragraph separators become a space, as does a carriage return
/// that ends no line.
///
/// The joiners U+200C and U+200D and the selector U+FE0F stay where writing needs them: within words
/// of scripts that join letters, and within emoji.
pub fn sanitize_text(text: &str) -> Cow<'_, str> {
    if !has_suspect(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut last = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let kept = match c {
            '\u{1b}' => {
                skip_escape(&mut chars);
                None
            }
            '\u{9b}' => {
                skip_control_sequence(&mut chars);
                None
            }
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => {
                skip_control_string(&mut chars);
                None
            }
            '\u{2028}' | '\u{2029}' => Some(' '),
            '\r' => chars
                .peek()
                .is_some_and(|next| *next != '\n')
                .then_some(' '),
            ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER | EMOJI_SELECTOR => {
                joins(c, last, chars.peek().copied()).then_some(c)
            }
            c => (!is_unsafe(c)).then_some(c),
        };
        out.extend(kept);
        last = kept.or(last);
    }
    Cow::Owned(out)
}

/// Returns true for a text with a [suspect](is_suspect) character. All histories come through here, and nearly all characters
/// are plain ASCII.
fn has_suspect(text: &str) -> bool {
    let mut rest = text;
    while !rest.is_empty() {
        rest = &rest[plain_prefix(rest.as_bytes())..];
        // One such character seldom stands alone.
        let others = rest
            .find(|c: char| c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        if rest[..others].chars().any(is_suspect) {
            return true;
        }
        rest = &rest[others..];
    }
    false
}

/// Returns the number of bytes before the first one that is not plain ASCII.
fn plain_prefix(bytes: &[u8]) -> usize {
    let is_other = |byte: u8| !matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    position_of_byte(bytes, is_other).unwrap_or(bytes.len())
}

/// Returns true for a character that is removed, replaced, or kept in some places only.
fn is_suspect(c: char) -> bool {
    is_unsafe(c)
        || matches!(
            c,
            ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER | EMOJI_SELECTOR | '\u{2028}' | '\u{2029}'
        )
}

/// Returns true for a control character (C0 but tab and newline, DEL, C1), a mark of direction, a tag, and
/// whatever else is there without being seen.
fn is_unsafe(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Returns true if a joiner or selector stands between such characters as it is made for.
fn joins(c: char, last: Option<char>, next: Option<char>) -> bool {
    let between = |is: fn(char) -> bool| last.is_some_and(is) && next.is_some_and(is);
    match c {
        EMOJI_SELECTOR => last.is_some_and(|c| is_pictograph(c) || "0123456789#*".contains(c)),
        ZERO_WIDTH_JOINER => {
            let is_emoji = |c| is_pictograph(c) || c == EMOJI_SELECTOR;
            between(is_joining_letter)
                || (last.is_some_and(is_emoji) && next.is_some_and(is_pictograph))
        }
        _ => between(is_joining_letter),
    }
}

/// Returns true for a character of a script in which joiners choose the form of letters: Arabic and its neighbours, those of India
/// and South East Asia, Mongolian.
fn is_joining_letter(c: char) -> bool {
    matches!(u32::from(c),
        0x0620..=0x08FF | 0x0900..=0x109F | 0x1780..=0x17B3 | 0x17B6..=0x17D3 | 0x1820..=0x18AA
        | 0x1900..=0x1CFF | 0xA800..=0xABFF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFC | 0x11000..=0x11FFF)
}

/// Returns true for a symbol that is shown as an emoji, alone or in a sequence, and for a modifier of its skin.
fn is_pictograph(c: char) -> bool {
    matches!(u32::from(c),
        0xA9 | 0xAE | 0x203C | 0x2049 | 0x2122 | 0x2139 | 0x2190..=0x21FF | 0x2300..=0x23FF
        | 0x24C2 | 0x25A0..=0x27BF | 0x2900..=0x297F | 0x2B00..=0x2BFF | 0x3030 | 0x303D
        | 0x3297 | 0x3299 | 0x1F000..=0x1FAFF)
}

fn skip_escape(chars: &mut Peekable<Chars<'_>>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => skip_control_string(chars),
        _ => skip_plain_escape(chars),
    }
}

/// Skips parameters and intermediates, up to the final byte.
fn skip_control_sequence(chars: &mut Peekable<Chars<'_>>) {
    while let Some(c) = chars.next_if(|c| ('\u{20}'..='\u{7e}').contains(c)) {
        if ('\u{40}'..='\u{7e}').contains(&c) {
            return;
        }
    }
}

/// Skips a string up to its terminator, to another escape sequence, or to the end of the line: one that never ends
/// hides no more. The terminator `ESC \` is an escape sequence, too.
fn skip_control_string(chars: &mut Peekable<Chars<'_>>) {
    while let Some(c) = chars.next_if(|c| *c != '\n' && *c != '\u{1b}') {
        if matches!(c, '\u{7}' | '\u{9c}') {
            return;
        }
    }
}

/// Skips intermediates and a final byte.
fn skip_plain_escape(chars: &mut Peekable<Chars<'_>>) {
    while chars
        .next_if(|c| ('\u{20}'..='\u{2f}').contains(c))
        .is_some()
    {}
    chars.next_if(|c| ('\u{30}'..='\u{7e}').contains(c));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_is_looked_through_whole(
            text in "[a-z \n]{0,40}([\u{0}-\u{20}~\u{7f}-\u{a0}\u{2014}\u{202e}\u{4e00}]|[a-z]{0,40}){0,6}",
        ) {
            prop_assert_eq!(has_suspect(&text), text.chars().any(is_suspect));
        }
    }

    #[test]
    fn terminals_get_no_control_characters() {
        assert_eq!(
            sanitize_text("a\u{1b}[31mred\u{1b}[0m\u{7}b\tc\nd"),
            "aredb\tc\nd"
        );
        assert_eq!(
            sanitize_text("x\u{1b}]0;title\u{7}y\u{9b}2Jz\u{202e}w\r"),
            "xyzw"
        );
        assert_eq!(sanitize_text("10%\r20%\r\nend\r"), "10% 20%\nend");
        assert_eq!(
            sanitize_text(
                "a\u{1b}]52;c;cm0=\u{1b}\\b\u{1b}Pq#0\u{9c}c\u{1b}(0d\u{1b}ce\u{9d}8;;x\u{7}f"
            ),
            "abcdef"
        );
        assert_eq!(
            sanitize_text("\u{1b}]0;no end\nnext line"),
            "\nnext line",
            "a string without an end takes its line alone"
        );
        assert_eq!(
            sanitize_text("\u{1b}]0;title\u{1b}[31mred\u{1b}]0;a\u{1b}]0;b\u{7}c"),
            "redc",
            "a sequence ends a string"
        );
        assert_eq!(sanitize_text("plain"), "plain");
    }

    #[test]
    fn nobody_gets_what_nobody_sees() {
        assert_eq!(
            sanitize_text("\u{feff}a\u{200b}b\u{200c}c\u{2060}d\u{ad}e\u{2066}f\u{e0041}g"),
            "abcdefg"
        );
        assert_eq!(
            sanitize_text(
                "a\u{2028}b\u{2029}c\u{3164}d\u{2800}e\u{e0100}f\u{fe00}g\u{fe0f}h\u{200d}i"
            ),
            "a b cdefghi"
        );
    }

    #[test]
    fn writing_that_joins_letters_stays_whole() {
        for text in [
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "ශ\u{dca}\u{200d}රී",
            "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}\u{200d}🔥 👍🏽 1\u{fe0f}\u{20e3}",
            "日本語 ไทย 한국어 Ünïcödé",
        ] {
            assert_eq!(sanitize_text(text), text);
        }
        let hidden = "pass\u{200c}word \u{200d}\u{200d}می\u{200c} خ\u{200c}\u{200c}ب";
        assert_eq!(sanitize_text(hidden), "password می خ\u{200c}ب");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn it_is_idempotent_and_leaves_nothing_unsafe(text in "(\\PC|[\u{0}-\u{1f}]|[\u{80}-\u{9f}]|[\u{200b}-\u{206f}]|\u{1b}[\\[\\]P(]|👨|ی|\u{fe0f}|[\u{e0000}-\u{e0fff}]){0,40}") {
            let once = sanitize_text(&text).into_owned();
            prop_assert!(!once.contains(is_unsafe), "{:?}", once);
            prop_assert_eq!(sanitize_text(&once), once.as_str());
        }
    }
}
