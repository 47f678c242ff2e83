//! A query as terms.

use crate::error_marker::is_error_line;
use crate::text::{self, searchable};
use serde::Serialize;
use std::collections::HashSet;
use std::sync::LazyLock;

/// A query as typed, and the terms that its lexical side looks for.
///
/// Any text is a valid query. Nothing in it is syntax but a pair of double
/// quotes, which makes a phrase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Query {
    /// As typed, trimmed: what is embedded.
    pub text: String,
    /// Terms of the lexical search. Empty when nothing in the text is a word.
    pub terms: Vec<Term>,
    /// All of it, where it is a line of an error as somebody pastes it: it counts where a turn holds it.
    pub error_line: Option<String>,
    /// False when the words are all stop words: they are looked up, but to find
    /// them says little.
    pub telling: bool,
    /// The end of the last term where somebody still types it: words that begin with it are found, too.
    pub prefix: Option<String>,
}

/// One lexical term: a word, or several that must stand together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Term {
    /// The words as typed, without quotes around them.
    pub text: String,
    /// True when the user quoted it, or it is shaped like an identifier: a
    /// path, a flag, an error code, `CamelCase`, `snake_case`.
    pub exact: bool,
}

/// Fewest terms of a query that is a line of an error: fewer words are about one.
const LINE_TERMS: usize = 3;
/// Fewest characters of a prefix: too many words begin with fewer.
const MIN_PREFIX_CHARS: usize = 3;
/// Terms beyond this many are dropped: nobody types more, scripts may.
const TERM_LIMIT: usize = 64;

const STOP: &str = "\
a about after all am an and any are as at be because been before being between both but by can \
could did do does doing down during each few for from further had has have having he her here hers \
him his how i if in into is it its itself just me might more most my no nor not now of off on once \
only or other our ours out over own same she should so some such than that the their theirs them \
then there these they this those through to too under until up us very was we were what when where \
which while who whom why will with would you your yours";

static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP.split_whitespace().collect());

impl Query {
    /// Reads a query. Stop words are dropped from the terms as long as other
    /// terms remain.
    pub fn new(text: &str) -> Self {
        // As texts are indexed: what nobody sees is in no word. No escape sequence takes a word with it.
        let text = text.replace(char::is_control, " ");
        let text = searchable(&text).trim().to_owned();
        let all = terms(&text);
        let content: Vec<Term> = all.iter().filter(|t| !is_stop_word(t)).cloned().collect();
        let telling = !content.is_empty();
        let mut terms = if telling { content } else { all };
        terms.truncate(TERM_LIMIT);
        let is_line = terms.len() >= LINE_TERMS && is_error_line(&text);
        Self {
            error_line: is_line.then(|| text.clone()),
            text,
            terms,
            telling,
            prefix: None,
        }
    }

    /// Reads a query that is still being typed: its last word is a [`prefix`](Self::prefix), unless it is short, or of a
    /// script that is written without spaces.
    pub fn unfinished(text: &str) -> Self {
        let query = Self::new(text);
        let last = text.rsplit(|c: char| !c.is_alphanumeric()).next();
        let is_prefix = |word: &&str| {
            let is_last = |term: &Term| term.text.ends_with(*word);
            word.chars().count() >= MIN_PREFIX_CHARS
                && !word.contains(text::is_unspaced)
                && query.terms.last().is_some_and(is_last)
        };
        let prefix = last.filter(is_prefix).map(str::to_owned);
        Self { prefix, ..query }
    }
}

fn is_stop_word(term: &Term) -> bool {
    !term.exact && STOP_WORDS.contains(bare(&term.text).to_lowercase().as_str())
}

/// The word without punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn terms(text: &str) -> Vec<Term> {
    let mut seen = HashSet::new();
    let parts: Vec<&str> = text.split('"').collect();
    let last = parts.len() - 1;
    let mut found = Vec::new();
    for (position, part) in parts.into_iter().enumerate() {
        let quoted = position % 2 == 1 && position != last;
        if quoted {
            found.push(Term {
                text: part.trim().to_owned(),
                exact: true,
            });
        } else {
            found.extend(part.split_whitespace().flat_map(script_runs).map(word));
        }
    }
    found.retain(|t| t.text.contains(char::is_alphanumeric) && seen.insert(t.text.to_lowercase()));
    found
}

/// Splits a word where scripts that are written without spaces begin and end: `dockerの設定` is two terms.
fn script_runs(word: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    let mut start = 0;
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    for pair in chars.windows(2) {
        let [(_, before), (at, after)] = [pair[0], pair[1]];
        if text::is_unspaced(before) != text::is_unspaced(after) {
            runs.extend(word.get(start..at));
            start = at;
        }
    }
    runs.extend(word.get(start..));
    runs
}

fn word(word: &str) -> Term {
    let core = word.trim_matches(|c: char| !c.is_alphanumeric() && !"-_./\\:#@".contains(c));
    let core = core.trim_end_matches(['.', ':', '-']);
    Term {
        text: core.to_owned(),
        exact: is_identifier(core),
    }
}

/// Fewest digits of a number that names one thing: an issue of a large project, a run, a client.
const ID_DIGITS: usize = 5;

/// True for a word shaped like a thing with a name: `--no-verify`,
/// `src/main.rs`, `ERR_SYNC_701`, `fooBar`, `E0308`, `v1.2.3`, `164556913424`.
pub fn is_identifier(word: &str) -> bool {
    let core = bare(word);
    let chars: Vec<char> = core.chars().collect();
    let digits = chars.iter().any(char::is_ascii_digit);
    let letters = chars.iter().any(|c| c.is_alphabetic());
    let joined = core.contains(['_', '/', '\\', '.', ':', '@', '#']);
    let hump = chars
        .windows(2)
        .any(|w| w[0].is_lowercase() && w[1].is_uppercase());
    let shout =
        chars.len() >= 4 && letters && chars.iter().all(|c| c.is_uppercase() || !c.is_alphabetic());
    let flag = word.starts_with("--") || (word.starts_with('-') && word.len() > 1);
    let is_id = chars.len() >= ID_DIGITS && chars.iter().all(char::is_ascii_digit);
    flag || hump || shout || is_id || (letters && (joined || digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let terms: Vec<String> = Query::new(text)
            .terms
            .iter()
            .map(|t| {
                if t.exact {
                    format!("[{}]", t.text)
                } else {
                    t.text.clone()
                }
            })
            .collect();
        assert_eq!(terms.join(" "), expected, "{text:?}");
    }

    #[test]
    fn what_nobody_sees_is_no_part_of_a_word() {
        let query = Query::new("zero\u{200b}width so\u{ad}ft \u{1b} upgrade");
        let words: Vec<&str> = query.terms.iter().map(|term| term.text.as_str()).collect();
        assert_eq!(words, ["zerowidth", "soft", "upgrade"]);
    }

    #[test]
    fn words_identifiers_and_phrases_are_told_apart() {
        check(
            "why did the docker network freeze?",
            "docker network freeze",
        );
        check("what is it", "what is it");
        check("--no-verify", "[--no-verify]");
        check(
            "\"connection refused\" in src/main.rs",
            "[connection refused] [src/main.rs]",
        );
        check(
            "ERR_SYNC_701 fooBar E0308 snake_case",
            "[ERR_SYNC_701] [fooBar] [E0308] [snake_case]",
        );
        check("foo( AND * OR NOT", "foo");
        check("an unclosed \"quote sign", "unclosed quote sign");
        check("日本語 emoji 🎉", "日本語 emoji");
        check("🎉 *", "");
        check("Docker docker DOCKER", "Docker");
        check("run 164556913424 of 2026", "run [164556913424] 2026");
    }

    #[test]
    fn the_last_word_is_a_prefix_while_it_is_typed() {
        let prefix = |text: &str| Query::unfinished(text).prefix;
        assert_eq!(prefix("lamp harb").as_deref(), Some("harb"));
        assert_eq!(prefix("src/main.lock").as_deref(), Some("lock"));
        assert_eq!(prefix("\"lamp harb").as_deref(), Some("harb"));
        for finished in [
            "",
            "lamp ",
            "lamp?",
            "la",
            "a.rs",
            "\"lamp\"",
            "lamp the",
            "移行を始",
        ] {
            assert_eq!(prefix(finished), None, "{finished:?}");
        }
        assert_eq!(Query::new("lamp").prefix, None);
    }

    #[test]
    fn a_pasted_error_is_a_line() {
        let line = |text: &str| Query::new(text).error_line;
        let pasted = "error: Script not found \"lint\"";
        assert_eq!(line(pasted).as_deref(), Some(pasted));
        assert_eq!(line("docker error"), None);
        assert_eq!(line("why did the docker network freeze"), None);
    }
}
