//! How a turn holds an exact term: as typed or in other case, by itself or in a longer name.

use session_core::text::{collapse_whitespace, is_unspaced, join_name_parts};
use session_core::{IssueNumber, TurnContent, is_commit_hash, is_dot_name, other_version_spelling};
use std::borrow::Cow;

/// The ways in which a turn holds an exact term, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ExactMatch {
    /// As adjacent words: `foo. Bar` for `foo_bar`.
    Words,
    /// In other case, in a longer name.
    PartIgnoringCase,
    /// In other case, by itself.
    WholeIgnoringCase,
    /// As typed, in a longer name: `SUMMARY.md` in `12-SUMMARY.md`, `164556913424` in `164556913424-ab.apps`.
    Part,
    /// As typed, by itself.
    Whole,
}

impl ExactMatch {
    /// Finds the best match of an exact term in any text of a turn that holds its words. The title is searched with the turn.
    pub(crate) fn find(content: &TurnContent, title: Option<&str>, term: &str) -> Self {
        if let Some(number) = IssueNumber::parse(term) {
            let mut texts = content.searched_texts().chain(title);
            return if texts.any(|text| number.occurs_in(text)) {
                Self::Whole
            } else {
                Self::Words
            };
        }
        let is_phrase = term.contains(char::is_whitespace);
        let term = fold_for_match(term, is_phrase);
        let texts = || content.searched_texts().chain(title);
        let best = |find: &dyn Fn(&str) -> Option<ExactOccurrence>| {
            let found = texts().filter_map(|text| find(&fold_for_match(text, is_phrase)));
            found.max()
        };
        match best(&|text| find_occurrence(text, &term)) {
            Some(ExactOccurrence::Alone) => return Self::Whole,
            Some(ExactOccurrence::InName) => return Self::Part,
            None => {}
        }
        let folded = term.to_lowercase();
        match best(&|text| find_occurrence(&text.to_lowercase(), &folded)) {
            Some(ExactOccurrence::Alone) => Self::WholeIgnoringCase,
            Some(ExactOccurrence::InName) => Self::PartIgnoringCase,
            None => {
                if holds_other_spelling(&folded, texts()) {
                    Self::WholeIgnoringCase
                } else {
                    Self::Words
                }
            }
        }
    }

    /// Returns true if the term stands by itself.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Self::Whole | Self::WholeIgnoringCase)
    }
}

/// Returns true if a name in lower case stands in another spelling: a version with a `v` or without, a name in snake
/// case in camel case.
fn holds_other_spelling<'t>(name: &str, mut texts: impl Iterator<Item = &'t str>) -> bool {
    match other_version_spelling(name) {
        Some(version) => {
            texts.any(|text| find_occurrence(&text.to_lowercase(), &version).is_some())
        }
        None => holds_camel_case(name, texts),
    }
}

/// Returns true if a name in snake case, in lower case, stands in camel case: `fileName` for `file_name`, and not the
/// word `filename`.
fn holds_camel_case<'t>(name: &str, mut texts: impl Iterator<Item = &'t str>) -> bool {
    let Some(joined) = join_name_parts(name) else {
        return false;
    };
    let first = name.find(['_', '-']).unwrap_or_default();
    // Of ASCII alone, so that the letters keep their places.
    let is_camel_case = |text: &str, at: usize| {
        let written = text.get(at..at + joined.len()).unwrap_or_default();
        let is_capital = |c: &u8| c.is_ascii_uppercase();
        written.as_bytes().get(first).is_some_and(is_capital)
            && !written.bytes().all(|c| is_capital(&c))
            && find_occurrence(text, written).is_some()
    };
    texts.any(|text| {
        let folded = text.to_ascii_lowercase();
        let mut found = folded.match_indices(&joined);
        found.any(|(at, _)| is_camel_case(text, at))
    })
}

/// Returns a text as it is compared: with one way to write a separator of paths, an apostrophe and, since a line may
/// end within a phrase, a run of spaces. Markdown writes `\_` for `_`.
fn fold_for_match(text: &str, is_phrase: bool) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for (variant, usual) in [("\\_", "_"), ("\\", "/"), ("’", "'")] {
        if text.contains(variant) {
            text = Cow::Owned(text.replace(variant, usual));
        }
    }
    if is_phrase {
        Cow::Owned(collapse_whitespace(&text))
    } else {
        text
    }
}

/// The ways in which a term occurs in a text, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ExactOccurrence {
    /// Joined to others by `-` or `.`, or in the plural.
    InName,
    /// By itself, or in a path.
    Alone,
}

/// Finds the best occurrence of a term in a text, not as part of a longer word: `--agent` is
/// not in `--agent-name`, nor in `---agent`.
fn find_occurrence(text: &str, term: &str) -> Option<ExactOccurrence> {
    let found = text.match_indices(term).filter_map(|(at, found)| {
        classify_occurrence(&text[..at], term, &text[at + found.len()..])
    });
    found.max()
}

fn classify_occurrence(before: &str, term: &str, after: &str) -> Option<ExactOccurrence> {
    // Underscores around a term are ignored: `__init__` holds `init`.
    let is_mark = |c: char| c == '_';
    let before = before.trim_end_matches(is_mark).chars().next_back();
    let plural = after
        .strip_prefix('s')
        .filter(|rest| !is_word(rest.chars().next()));
    let is_plural = plural.is_some() && term.ends_with(char::is_alphabetic);
    let after = if is_plural {
        &after[1..]
    } else {
        after.trim_start_matches(is_mark)
    };
    let ends = WordBoundaries::new(term);
    let mut following = after.chars();
    let (after, second_after) = (following.next(), following.next());
    let goes_on = after == Some('-');
    let longer_flag = term.starts_with('-') && (before == Some('-') || goes_on);
    // `map.clear` holds `.clear`, and `lamp.jsonl` holds `.jsonl`; `api.github.com` is not about `.github`.
    let is_component = after == Some('.') && is_word(second_after);
    let is_member = is_dot_name(term) && is_word(before) && !is_component;
    let begins_later = ends.begins_word && is_word(before) && !is_member;
    let is_longer = begins_later || (ends.ends_word && is_word(after));
    let is_beginning = is_commit_hash(term) && !is_word(before);
    if longer_flag || (is_longer && !is_beginning) {
        return None;
    }
    let joined = goes_on
        || is_longer
        || is_member
        || is_plural
        || matches!(before, Some('-' | '.'))
        || is_component
        || (is_dot_name(term) && matches!(before, Some(')' | ']' | '?')));
    Some(if joined {
        ExactOccurrence::InName
    } else {
        ExactOccurrence::Alone
    })
}

/// Tells at which ends of a term a word may go on: not where it ends in a script without spaces.
struct WordBoundaries {
    begins_word: bool,
    ends_word: bool,
}

impl WordBoundaries {
    fn new(term: &str) -> Self {
        let is_spaced = |c: Option<char>| c.is_some_and(|c| !is_unspaced(c));
        Self {
            begins_word: is_spaced(term.chars().next()),
            ends_word: is_spaced(term.chars().next_back()),
        }
    }
}

/// Returns true for a character that continues a word. A character of a script without spaces, or of Korean, begins
/// another word: `retry.ts没有`.
fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| (c.is_alphanumeric() && !is_unspaced(c)) || c == '_')
}

#[cfg(test)]
mod tests {
    use super::ExactMatch::{Part, PartIgnoringCase, Whole, WholeIgnoringCase, Words};
    use super::*;

    #[test]
    fn a_term_matches_as_it_is_written() {
        for (term, text, expected) in [
            ("retry.rs", "It is in retry.rs today.", Whole),
            ("retry.rs", "It is in src/jobs/retry.rs today.", Whole),
            (
                "src/net/client.rs",
                r"Open src\net\client.rs and read it.",
                Whole,
            ),
            ("token_ttl", r"The value token\_ttl is short.", Whole),
            (
                "HttpPool",
                "We made __HttpPool__ smaller in the end.",
                Whole,
            ),
            ("don't show", "Please don’t\n  show it any more.", Whole),
            (
                "retryPolicy.ts",
                "请看retryPolicy.ts没有释放连接的原因",
                Whole,
            ),
            ("queueWorker.ts", "queueWorker.ts에서 오류가 났다", Whole),
            ("#123", "This closes #123.", Whole),
            ("#123", "This closes #1234.", Words),
            ("WebSocket", "All WebSockets of the page are closed.", Part),
            ("SUMMARY.md", "See 12-SUMMARY.md.", Part),
            (".env", "It is in lamp/.env today.", Whole),
            (".env", "Set process.env, or .env.local.", Part),
            (".env", "Set lamp().env today.", Part),
            (".env", "The env of cross-env is set.", Words),
            (".env", "Set process.env.LAMP today.", Words),
            ("readme.md", "See README.md.", WholeIgnoringCase),
            ("file_name", "The fileName is empty.", WholeIgnoringCase),
            ("v1.2.3", "It works since 1.2.3.", WholeIgnoringCase),
            ("SUMMARY.md", "See 12-summary.md.", PartIgnoringCase),
            ("file_name", "The filename is empty.", Words),
            ("foo_bar", "That is foo. Bar is next.", Words),
            ("--agent", "Give --agent-name.", Words),
        ] {
            let content = TurnContent {
                prompt: text.to_owned(),
                ..TurnContent::default()
            };
            let found = ExactMatch::find(&content, None, term);
            assert_eq!(found, expected, "{term}: {text}");
            let by_title = ExactMatch::find(&TurnContent::default(), Some(text), term);
            assert_eq!(by_title, expected, "{term}: {text}");
        }
    }
}
