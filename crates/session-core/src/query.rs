//! A query as terms.

use crate::error_marker::{TRACEBACK, is_error_line, reports_failure};
use crate::issue_number::IssueNumber;
use crate::query_word::{is_hyphenated, is_identifier, split_word};
use crate::quotation_marks::{is_quoted, with_straight_quotes};
use crate::stop_words::{StopWords, marks_english, marks_other_language};
use crate::text::{self, normalize_searchable};
use serde::Serialize;
use std::collections::HashSet;

/// A query as typed, and the terms that its lexical side looks for.
///
/// Any text is a valid query. Nothing in it is syntax but a pair of double
/// quotes, which makes a phrase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Query {
    /// The query as typed, trimmed: it is embedded.
    pub text: String,
    /// Terms of the lexical search. Empty when nothing in the text is a word.
    pub terms: Vec<Term>,
    /// The error line that the text is or has. It is a term, too, where a turn holds it.
    pub error_line: Option<String>,
    /// The whole text, where it may be held as one phrase: at most 6 words with two terms, a pattern of one word in several
    /// cases, or 4 to 32 words with one content word.
    pub phrase: Option<String>,
    /// The whole text, where it is a sentence of 5 to 32 words without quotes: the longest runs of its words that turns hold
    /// become terms.
    pub sentence: Option<String>,
    /// The language. The word index knows inflections of English by stems.
    pub language: QueryLanguage,
    /// False when all words are stop words: they are searched, but a match is weak evidence.
    pub has_content_words: bool,
    /// The last word, where it is still being typed: terms that begin with it match, too.
    pub prefix: Option<String>,
}

/// The language that stop words and diacritics of a query show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryLanguage {
    /// Nothing shows it.
    Unknown,
    /// English.
    English,
    /// Another one.
    Other,
    /// The query has words of both.
    EnglishAndOther,
}

impl QueryLanguage {
    fn detect(query: &str) -> Self {
        let is_english = query.split_whitespace().any(marks_english);
        let has_other = query.split_whitespace().any(marks_other_language);
        match (is_english, has_other) {
            (false, false) => Self::Unknown,
            (true, false) => Self::English,
            (false, true) => Self::Other,
            (true, true) => Self::EnglishAndOther,
        }
    }
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

impl Term {
    /// Returns true if nobody quoted it to have it as it stands: a word, or a name by its shape.
    pub fn is_word_or_name(&self) -> bool {
        !self.exact || is_identifier(&self.text) || is_hyphenated(&self.text)
    }
}

/// Fewest terms of a query that is a line of an error: fewer words name an error and do not quote one.
const MIN_ERROR_LINE_TERMS: usize = 3;
/// Fewest characters of a prefix: too many words begin with fewer.
pub const MIN_PREFIX_CHARS: usize = 3;
/// Greatest number of words of a query that may be a phrase: more are seldom remembered in their order.
const MAX_PHRASE_WORDS: usize = 6;
/// Fewest words of a run that is a term.
pub const MIN_RUN_WORDS: usize = 4;
/// Greatest number of words of a sentence: a longer text is a paste.
const MAX_SENTENCE_WORDS: usize = 32;
/// Greatest number of terms; the others are dropped. Nobody types more, scripts may.
const MAX_TERMS: usize = 64;

impl Query {
    /// Reads a query. Stop words are dropped from the terms as long as other terms remain.
    pub fn new(text: &str) -> Self {
        let error_line = find_error_line(text);
        let text = on_one_line(text);
        // Of a long paste the error itself counts most.
        let all = split_terms(error_line.iter().chain([&text]));
        let content = without_stop_words(&all);
        let has_content_words = !content.is_empty();
        let mut terms = if has_content_words { content } else { all };
        terms.truncate(MAX_TERMS);
        mark_single_name(&mut terms);
        let is_quotable = error_line.is_none() && !is_quoted(&text);
        let quotable = is_quotable.then_some(text.as_str());
        let content_terms = if has_content_words {
            terms.as_slice()
        } else {
            &[]
        };
        Self {
            phrase: quotable
                .filter(|text| is_phrase(text, &terms) || has_one_content_word(text, content_terms))
                .map(str::to_owned),
            sentence: quotable
                .filter(|text| is_sentence(text, content_terms))
                .map(str::to_owned),
            language: QueryLanguage::detect(&text),
            error_line,
            text,
            terms,
            has_content_words,
            prefix: None,
        }
    }

    /// Reads a query that is still being typed: its last word is a [`prefix`](Self::prefix), unless it is short, or of a
    /// script that is written without spaces.
    pub fn parse_unfinished(text: &str) -> Self {
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

    /// Returns true if a term stands in quotes.
    pub fn quotes(&self, term: &str) -> bool {
        let text = with_straight_quotes(&self.text);
        let mut quoted = text.split('"').skip(1).step_by(2);
        quoted.any(|part| part.contains(term))
    }
}

/// Takes words joined by hyphens for a name where they are the whole query: in a sentence most are everyday words
/// (`end-to-end`), or the name of the project that it is about.
fn mark_single_name(terms: &mut [Term]) {
    if let [term] = terms {
        term.exact |= is_hyphenated(&term.text);
    }
}

/// Returns true for a few words, two of them terms, or one of them twice in a pattern: `lamp\|Lamp`.
fn is_phrase(text: &str, terms: &[Term]) -> bool {
    let is_repeated = |t: &Term| text.to_lowercase().matches(&t.text.to_lowercase()).count() > 1;
    let is_pattern = matches!(terms, [t] if text.contains('|') && is_repeated(t));
    (is_pattern || terms.len() > 1) && count_words(text) <= MAX_PHRASE_WORDS
}

/// Returns true for a text of several words with a single content word: `so I only have to approve it once`. A name among
/// them is searched by itself.
fn has_one_content_word(text: &str, content_terms: &[Term]) -> bool {
    let is_one_word = matches!(content_terms, [term] if !term.exact);
    is_one_word && (MIN_RUN_WORDS..=MAX_SENTENCE_WORDS).contains(&count_words(text))
}

/// Returns true for a text with a part of at least [`MIN_RUN_WORDS`].
fn is_sentence(text: &str, content_terms: &[Term]) -> bool {
    let words = count_words(text);
    let is_spaced = !text.contains(text::is_unspaced);
    let says_something = content_terms.len() > 1 || content_terms.iter().any(|term| !term.exact);
    says_something && is_spaced && (MIN_RUN_WORDS + 1..=MAX_SENTENCE_WORDS).contains(&words)
}

fn count_words(text: &str) -> usize {
    let words = text.split_whitespace();
    words
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
}

/// Returns the terms that are exact or not stop words.
fn without_stop_words(terms: &[Term]) -> Vec<Term> {
    let words = terms.iter().filter(|term| !term.exact);
    let stop_words = StopWords::for_words(words.map(|term| term.text.as_str()));
    let has_content = |term: &&Term| term.exact || !stop_words.contains(&term.text);
    terms.iter().filter(has_content).cloned().collect()
}

/// Returns a text on one line, without invisible characters, as texts are indexed.
fn on_one_line(text: &str) -> String {
    // No escape sequence takes a word with it.
    let text = text.replace(char::is_control, " ");
    normalize_searchable(&text).trim().to_owned()
}

/// Returns the line of an error in a text: of a traceback of Python the last one, else the first. A line that says what
/// failed without a word for it (`cannot find module`) is one where no other is.
fn find_error_line(text: &str) -> Option<String> {
    let lines = || text.lines().map(on_one_line);
    let has_terms = |line: &str| count_terms(line) >= MIN_ERROR_LINE_TERMS;
    let mut errors = lines().filter(|line| is_error_line(line) && has_terms(line));
    let marked = if text.contains(TRACEBACK) {
        errors.next_back()
    } else {
        errors.next()
    };
    marked.or_else(|| lines().find(|line| reports_failure(line) && has_terms(line)))
}

fn count_terms(line: &str) -> usize {
    without_stop_words(&split_terms([line])).len()
}

/// Returns the terms of some texts, each once: words, and what stands between double quotes as phrases.
fn split_terms(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<Term> {
    let mut found = Vec::new();
    for text in texts {
        let text = with_straight_quotes(text.as_ref());
        let parts: Vec<&str> = text.split('"').collect();
        let last = parts.len() - 1;
        for (position, part) in parts.into_iter().enumerate() {
            let quoted = position % 2 == 1 && position != last;
            if quoted {
                found.push(phrase_term(part))
            } else {
                found.extend(split_words(part))
            }
        }
    }
    found.retain(|term: &Term| term.text.contains(char::is_alphanumeric));
    without_repeats(found)
}

/// Returns the terms of a text without quotes. What a number counts (`PR 172`) is no term beside it.
fn split_words(text: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for piece in text.split_whitespace().flat_map(split_word) {
        let number = piece.trim_start_matches('#');
        let kind = terms.last().map(|term| term.text.as_str());
        let is_issue_number = kind
            .and_then(|kind| IssueNumber::parse_pair(kind, number))
            .is_some();
        if is_issue_number {
            terms.pop();
            terms.push(word_term(&format!("#{number}")));
        } else {
            terms.push(word_term(piece))
        }
    }
    terms
}

/// Returns each term once, in any case; it is exact where one of them is.
fn without_repeats(terms: Vec<Term>) -> Vec<Term> {
    let exact = terms.iter().filter(|term| term.exact);
    let exact: HashSet<String> = exact.map(|term| term.text.to_lowercase()).collect();
    let mut seen = HashSet::new();
    let first = terms.into_iter().filter_map(|term| {
        let folded = term.text.to_lowercase();
        let exact = exact.contains(&folded);
        seen.insert(folded).then_some(Term { exact, ..term })
    });
    first.collect()
}

fn word_term(word: &str) -> Term {
    Term {
        text: word.to_owned(),
        exact: is_identifier(word),
    }
}

fn phrase_term(quoted: &str) -> Term {
    Term {
        text: quoted.trim().to_owned(),
        exact: true,
    }
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
    fn marks_of_other_scripts_and_elided_words_are_no_part_of_a_word() {
        check("useMemo、useEffect", "[useMemo] [useEffect]");
        check("（useMemo）：useEffect", "[useMemo] [useEffect]");
        check(
            "l'authentification d’utilisateurs",
            "authentification utilisateurs",
        );
        check("dell'applicazione L'API", "applicazione API");
        check("o'clock don't", "o'clock");
        check("why couldn’t it compile", "compile");
        check("don't", "don't");
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
        check("Docker docker DOCKER", "[Docker]");
        check("emfile \"emfile\"", "[emfile]");
        check("pre-commit", "[pre-commit]");
        check("e-mail", "e-mail");
        check("the pre-commit hook", "pre-commit hook");
        check("run 164556913424 of 2026", "run [164556913424] 2026");
        check("“rate limits” and «one two»", "[rate limits] [one two]");
        check(
            "the 2nd run took 45s and/or 10MB, e.g. of CI/CD",
            "2nd run took 45s 10MB CI CD",
        );
    }

    #[test]
    fn an_identifier_is_taken_out_of_what_surrounds_it() {
        for (typed, terms) in [
            ("where is `a/b.ts`.", "[a/b.ts]"),
            ("(see src/a.ts).", "see [src/a.ts]"),
            ("src/a.ts:340", "[src/a.ts]"),
            ("at src/a.ts:340:12)", "[src/a.ts]"),
            ("a.ts#L120", "[a.ts]"),
            ("a.ts#L120-L130", "[a.ts]"),
            ("[a.ts](src/a.ts)", "[a.ts] [src/a.ts]"),
            ("a.ts,b.ts", "[a.ts] [b.ts]"),
            ("runAll(tasks, 3)", "[runAll] tasks 3"),
            ("src/a.ts(12,5)", "[src/a.ts]"),
            ("IPNS's parser's", "[IPNS] parser"),
            ("./src/a.ts src/lib/", "[src/a.ts] [src/lib]"),
            (
                "@src/a.ts @types/node @scope/pkg",
                "[src/a.ts] [@types/node] [@scope/pkg]",
            ),
            (
                "https://a.io/x/issues/386#c-1",
                "[https://a.io/x/issues/386]",
            ),
            ("localhost:8080 Foo::bar", "[localhost:8080] [Foo::bar]"),
            ("10,000 files", "10,000 files"),
            ("I/O of A/B and f(x,y)", "[I/O] [A/B] f(x,y"),
            ("COPY --from --with -i", "[COPY] [--from] [--with] [-i]"),
            ("lamp|oil_can|wick", "lamp [oil_can] wick"),
            (r"(lamp\|oil)|x|y", "lamp oil"),
            ("a|b to|lamp", "a|b to|lamp"),
            ("\"lamp|oil\"", "[lamp|oil]"),
            (".env, .map()", "[.env] [.map]"),
            ("...lamps .5 .x", "...lamps .5 .x"),
            (
                "map[string]bool issue(#386) exit(137)",
                "map[string]bool [#386] exit 137",
            ),
            (
                "pages/about #L120 github.com:22",
                "[pages/about] [#L120] [github.com:22]",
            ),
            (
                "https://a.io/w?v=1 https://a.io/#/x",
                "[https://a.io/w?v=1] [https://a.io/#/x]",
            ),
            ("24” monitor and 27” screen", "24 monitor 27 screen"),
            ("„eins zwei“", "[eins zwei]"),
            ("报“连接超时”的错误", "报 [连接超时] 的错误"),
            ("错误：“连接超时”", "错误 [连接超时]"),
            ("「连接超时」的原因", "[连接超时] 的原因"),
            ("docker『a「b」c』", "docker [a「b」c]"),
            ("「连接 超时", "连接 超时"),
            ("docker“a b”", "docker“a b"),
        ] {
            check(typed, terms);
        }
    }

    #[test]
    fn the_error_of_a_long_paste_is_kept() {
        let frames = "  File \"/usr/lib/thing.py\", line 10, in other_name_{n}\n";
        let frames: String = (0..90)
            .map(|n| frames.replace("{n}", &n.to_string()))
            .collect();
        let pasted = format!(
            "Traceback (most recent call last):\n{frames}TypeError: undefined is no object"
        );
        let query = Query::new(&pasted);
        assert_eq!(
            query.error_line.as_deref(),
            Some("TypeError: undefined is no object")
        );
        assert_eq!(query.terms[0].text, "TypeError");
        let node = "TypeError: undefined is no object\n    at async file:///a/b.mjs:10:5\nError: done in here";
        assert_eq!(Query::new(node).error_line, query.error_line);
    }

    #[test]
    fn the_last_word_is_a_prefix_while_it_is_typed() {
        let prefix = |text: &str| Query::parse_unfinished(text).prefix;
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
    fn words_that_may_have_been_said_are_a_phrase() {
        for (text, is_phrase, is_sentence) in [
            ("docker network", true, false),
            ("I only have to approve it once", true, true),
            ("only have to approve", true, false),
            ("have to approve", false, false),
            (r"lamp\|Lamp", true, false),
            ("why is it so for us", true, false),
            ("where is it in src/main.rs", false, false),
            ("the docker network of the", true, true),
            ("why does the docker network freeze so often", false, true),
            (
                "why does the \"docker network\" freeze so often",
                false,
                false,
            ),
            ("why does 网络 of docker freeze so often", false, false),
            ("error: the docker network does not respond", false, false),
        ] {
            let query = Query::new(text);
            let found = (query.phrase.is_some(), query.sentence.is_some());
            assert_eq!(found, (is_phrase, is_sentence), "{text}");
        }
        let long = "docker network ".repeat(17);
        assert_eq!(Query::new(&long).sentence, None);
    }

    #[test]
    fn a_pasted_error_is_a_line() {
        let line = |text: &str| Query::new(text).error_line;
        let pasted = "error: Script not found \"lint\"";
        assert_eq!(line(pasted).as_deref(), Some(pasted));
        let without_marker = "go: cannot run *_test.go files (lamp_test.go)";
        assert_eq!(line(without_marker).as_deref(), Some(without_marker));
        let both = format!("{without_marker}\n{pasted}");
        assert_eq!(line(&both).as_deref(), Some(pasted));
        assert_eq!(line("docker error"), None);
        assert_eq!(line("why did the docker network freeze"), None);
    }
}
