//! How a turn holds an identifier: as typed or in other case, by itself or in a longer name.

use session_core::TurnContent;
use std::borrow::Cow;

/// How a turn holds an identifier, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum IdentifierMatch {
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

impl IdentifierMatch {
    /// Finds the best match of an identifier, or of a phrase, in any text of a turn that holds its words. The title
    /// is searched with the turn.
    pub(crate) fn find(content: &TurnContent, title: Option<&str>, identifier: &str) -> Self {
        let is_phrase = identifier.contains(char::is_whitespace);
        let identifier = on_one_line(identifier, is_phrase);
        let texts = || content.searched_texts().chain(title);
        let best = |find: &dyn Fn(&str) -> Option<Occurrence>| {
            let found = texts().filter_map(|text| find(&on_one_line(text, is_phrase)));
            found.max()
        };
        match best(&|text| find_occurrence(text, &identifier)) {
            Some(Occurrence::Alone) => return Self::Whole,
            Some(Occurrence::InName) => return Self::Part,
            None => {}
        }
        let folded = identifier.to_lowercase();
        match best(&|text| find_occurrence(&text.to_lowercase(), &folded)) {
            Some(Occurrence::Alone) => Self::WholeIgnoringCase,
            Some(Occurrence::InName) => Self::PartIgnoringCase,
            None => Self::Words,
        }
    }
}

/// Returns a text with one space for each run of spaces and line breaks, where phrases are looked for: a line may
/// end within one.
fn on_one_line(text: &str, is_phrase: bool) -> Cow<'_, str> {
    match is_phrase {
        true => Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        false => Cow::Borrowed(text),
    }
}

/// How an identifier stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Occurrence {
    /// Joined to others by `-` or `.`.
    InName,
    /// By itself, or in a path.
    Alone,
}

/// Finds the best occurrence of an identifier in a text, not as part of a longer word: `--agent` is
/// not in `--agent-name`, nor in `---agent`.
fn find_occurrence(text: &str, identifier: &str) -> Option<Occurrence> {
    let found = text.match_indices(identifier).filter_map(|(at, found)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + found.len()..].chars();
        classify(before, identifier, after.next(), after.next())
    });
    found.max()
}

fn classify(
    before: Option<char>,
    identifier: &str,
    after: Option<char>,
    second_after: Option<char>,
) -> Option<Occurrence> {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let goes_on = after == Some('-');
    let longer_flag = identifier.starts_with('-') && (before == Some('-') || goes_on);
    if is_word(before) || is_word(after) || longer_flag {
        return None;
    }
    let joined = goes_on
        || matches!(before, Some('-' | '.'))
        || (after == Some('.') && is_word(second_after));
    Some(match joined {
        true => Occurrence::InName,
        false => Occurrence::Alone,
    })
}
