//! Names in camel case, and the words in them.

use super::byte_chunks::position_of_pair;
use super::is_separator;
use std::collections::HashSet;

/// Longest word that is split: base64 looks like camel case, too.
const CAMEL_CASE_BYTES: usize = 64;

/// Returns the parts of all words in camel case in some texts, each once, with spaces between them:
/// `parseRetryHeader` has `parse`, `Retry` and `Header`. Words that `_`, `.`, `-` or `/` join need none:
/// they are words of the index.
pub fn camel_case_parts<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut seen = HashSet::new();
    for text in texts {
        for part in camel_case_words(text).flat_map(split_camel_case) {
            if part.len() > 1 && seen.insert(part) {
                parts.push(part);
            }
        }
    }
    parts.join(" ")
}

/// Returns the words of a name in camel case, with spaces between them: the same name in snake case has them one after
/// the other. `None` for other names.
pub fn split_camel_case_name(name: &str) -> Option<String> {
    let is_name = is_camel_case(name) && name.chars().all(char::is_alphanumeric);
    is_name.then(|| split_camel_case(name).join(" "))
}

/// Returns a name in snake case: `parse_retry` of `parseRetry` and `ParseRetry`. Each ASCII capital begins a word.
pub fn to_snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// Returns true if a capital follows a small letter, both ASCII: `noOil`.
pub(crate) fn has_hump(word: &str) -> bool {
    let mut pairs = word.as_bytes().windows(2);
    pairs.any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

/// Returns the words that `_` or `-` join without these, as the same name is written in camel case; `None` if one of
/// them does not begin with a letter.
pub fn join_name_parts(name: &str) -> Option<String> {
    let parts = || name.split(['_', '-']);
    let is_word = |part: &str| {
        part.starts_with(char::is_alphabetic) && part.chars().all(char::is_alphanumeric)
    };
    (parts().count() > 1 && parts().all(is_word)).then(|| parts().collect())
}

/// Returns the words in camel case.
fn camel_case_words(text: &str) -> impl Iterator<Item = &str> {
    let runs = runs_with_inner_capital(text);
    let words = runs.flat_map(|run| run.split(|c: char| !c.is_alphanumeric()));
    words.filter(|word| is_camel_case(word))
}

/// Returns the runs between separators in which a capital follows an ASCII
/// letter. Nearly all texts have few.
fn runs_with_inner_capital(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + find_inner_capital(bytes.get(from..)?)?;
        let before = bytes[from..at].iter().rposition(is_separator);
        let start = before.map_or(from, |before| from + before + 1);
        let after = bytes[at..].iter().position(is_separator);
        from = after.map_or(bytes.len(), |after| at + after);
        text.get(start..from)
    })
}

/// Returns the offset of the first capital that follows an ASCII letter.
fn find_inner_capital(bytes: &[u8]) -> Option<usize> {
    let is_inner = |before: u8, byte: u8| before.is_ascii_alphabetic() & byte.is_ascii_uppercase();
    Some(position_of_pair(bytes, is_inner)? + 1)
}

fn is_camel_case(word: &str) -> bool {
    let is_small = u8::is_ascii_lowercase;
    let is_capital = u8::is_ascii_uppercase;
    let bytes = word.as_bytes();
    let has_end = || {
        let ends =
            |three: &[u8]| is_capital(&three[0]) && is_capital(&three[1]) && is_small(&three[2]);
        bytes.windows(3).any(ends)
    };
    word.is_ascii() && word.len() <= CAMEL_CASE_BYTES && (has_hump(word) || has_end())
}

/// Splits a word before each capital that follows a small letter or stands before one.
fn split_camel_case(word: &str) -> Vec<&str> {
    let bytes = word.as_bytes();
    let begins = |at: usize| {
        let is = |at: usize, test: fn(&u8) -> bool| bytes.get(at).is_some_and(test);
        is(at, u8::is_ascii_uppercase)
            && (is(at - 1, u8::is_ascii_lowercase) || is(at + 1, u8::is_ascii_lowercase))
    };
    let cuts: Vec<usize> = (1..word.len()).filter(|at| begins(*at)).collect();
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([word.len()]);
    starts
        .zip(ends)
        .map(|(start, end)| &word[start..end])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn camel_case_is_found_wherever_it_stands(text in "([a-zA-Z0-9é_. -]{0,9}|[a-z ]{20,40}){0,12}") {
            let words = text.split(|c: char| !c.is_alphanumeric());
            let expected: Vec<&str> = words.filter(|word| is_camel_case(word)).collect();
            prop_assert_eq!(camel_case_words(&text).collect::<Vec<_>>(), expected);
        }
    }
}
