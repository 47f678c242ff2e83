//! The tokens of a query in which filters are typed.

use crate::typed_query::{FilterField, TypedCondition};
use std::ops::Range;

/// A part of a query, with its bytes there. The tokens of a query cover it without gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryToken {
    pub(crate) span: Range<usize>,
    pub(crate) kind: TokenKind,
}

/// The kinds of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Space,
    /// Plain text without white space but within phrases.
    Word,
    /// A filter, and whether a quote of its value is left open.
    Filter(TypedCondition, QuoteState),
}

/// The quotation of a filter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuoteState {
    Bare,
    Open,
    Closed,
}

/// The mark between a field and its value, also as Chinese and Japanese keyboards type it.
pub(crate) const COLONS: [char; 2] = [':', '：'];

/// Splits a query into its tokens.
pub(crate) fn split_tokens(typed: &str) -> Vec<QueryToken> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(rest) = typed.get(start..).filter(|rest| !rest.is_empty()) {
        let FirstToken { bytes, kind } = read_first_token(rest);
        let span = start..start + bytes;
        start = span.end;
        tokens.push(QueryToken { span, kind });
    }
    tokens
}

/// The token that a text begins with.
struct FirstToken {
    /// Its length.
    bytes: usize,
    kind: TokenKind,
}

/// Reads the first token of a text that is not empty.
fn read_first_token(text: &str) -> FirstToken {
    let spaces = text.len() - text.trim_start().len();
    if spaces > 0 {
        return FirstToken {
            bytes: spaces,
            kind: TokenKind::Space,
        };
    }
    read_filter(text).unwrap_or_else(|| FirstToken {
        bytes: word_length(text),
        kind: TokenKind::Word,
    })
}

/// Reads `field:value`, `-field:value` or `field:"a value"` at the beginning of a text. A quote that
/// is not closed goes to the end.
fn read_filter(text: &str) -> Option<FirstToken> {
    let SignedWord {
        negated,
        text: plain,
    } = SignedWord::parse(text);
    // Only the beginning is looked at: the next colon of a long text may be far away.
    let (field, name) = FilterField::ALL.into_iter().find_map(|field| {
        let mut names = field.names();
        let is_typed = |name: &&str| {
            let rest = strip_field_name(plain, name);
            rest.is_some_and(|rest| rest.starts_with(COLONS))
        };
        Some((field, names.find(is_typed)?))
    })?;
    let value = strip_field_name(plain, name)?.strip_prefix(COLONS)?;
    // An address (`file:///tmp/app.js`) is text.
    let after_colon = Some(value).filter(|value| !value.starts_with("//"))?;
    let (value, length, quote) = match after_colon.strip_prefix('"') {
        Some(quoted) => match quoted.split_once('"') {
            Some((value, _)) => (value, value.len() + 2, QuoteState::Closed),
            None => (quoted, quoted.len() + 1, QuoteState::Open),
        },
        None => {
            let bare = after_colon.split(char::is_whitespace).next()?;
            (bare, bare.len(), QuoteState::Bare)
        }
    };
    let condition = TypedCondition {
        field,
        name,
        negated,
        value: value.to_owned(),
    };
    let before = text.len() - after_colon.len();
    (!value.is_empty()).then_some(FirstToken {
        bytes: before + length,
        kind: TokenKind::Filter(condition, quote),
    })
}

/// Returns what follows the name of a field, which may begin with a capital: what corrects a text while it is typed
/// begins a sentence so. `FILE:` in capitals is text of a log.
pub(crate) fn strip_field_name<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (first, others) = name.split_at_checked(1)?;
    let (typed, rest) = text.split_at_checked(1)?;
    let is_first = typed.eq_ignore_ascii_case(first);
    rest.strip_prefix(others).filter(|_| is_first)
}

/// A word that a `-` may stand before, which negates a filter.
pub(crate) struct SignedWord<'w> {
    /// Whether a `-` stands before it.
    pub(crate) negated: bool,
    /// The word without it.
    pub(crate) text: &'w str,
}

impl<'w> SignedWord<'w> {
    /// Splits the `-` off.
    pub(crate) fn parse(word: &'w str) -> Self {
        let plain = word.strip_prefix('-');
        Self {
            negated: plain.is_some(),
            text: plain.unwrap_or(word),
        }
    }
}

/// Returns the length of the word at the beginning of a text. White space within a phrase is part of it.
fn word_length(text: &str) -> usize {
    let mut end = 0;
    while let Some(rest) = text.get(end..) {
        let Some(stop) = rest.find(|c: char| c == '"' || c.is_whitespace()) else {
            return text.len();
        };
        let phrase = rest.get(stop..).and_then(|rest| rest.strip_prefix('"'));
        let Some(phrase) = phrase else {
            return end + stop;
        };
        // A quote that nothing closes is a character as any other.
        let inside = phrase.find('"').map_or(0, |inside| inside + 1);
        end += stop + 1 + inside;
    }
    text.len()
}

/// Quotes a value with white space; `None` for one that cannot be typed.
pub(crate) fn quote_value(value: &str) -> Option<String> {
    let is_bare = !value.contains(char::is_whitespace) && !value.starts_with('"');
    if is_bare {
        Some(value.to_owned())
    } else {
        (!value.contains('"')).then(|| format!("\"{value}\""))
    }
}

/// Formats a filter with a value that is quoted where it has to be.
pub(crate) fn format_filter(negated: bool, field: FilterField, value: &str) -> String {
    let minus = if negated { "-" } else { "" };
    format!("{minus}{}:{value}", field.name())
}
