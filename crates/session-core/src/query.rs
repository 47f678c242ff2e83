//! A query as terms.

use crate::error_marker::is_error_line;
use crate::text::{self, searchable};
use serde::Serialize;
use std::borrow::Cow;
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
/// How a traceback of Python begins: the error is its last line.
const TRACEBACK: &str = "Traceback (most recent call last)";
/// Quotation marks that begin and end a phrase as `"` does.
const OPENING_QUOTES: [char; 3] = ['“', '„', '«'];
const CLOSING_QUOTES: [char; 3] = ['”', '“', '»'];
/// Terms beyond this many are dropped: nobody types more, scripts may.
const TERM_LIMIT: usize = 64;

const STOP: &str = "\
a about after all am an and any are as at be because been before being between both but by can \
could did do does doing down during e.g each few for from further had has have having he her here hers \
him his how i i.e if in into is it its itself just me might more most my no nor not now of off on once \
only or other our ours out over own same she should so some such than that the their theirs them \
then there these they this those through to too under until up us very was we were what when where \
which while who whom why will with would you your yours";

static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP.split_whitespace().collect());

impl Query {
    /// Reads a query. Stop words are dropped from the terms as long as other
    /// terms remain.
    pub fn new(text: &str) -> Self {
        // As texts are indexed: what nobody sees is in no word. No escape sequence takes a word with it.
        let error_line = error_line(text);
        let text = on_one_line(text);
        // Of a long paste the error itself counts most.
        let all = terms(error_line.iter().chain([&text]));
        let content: Vec<Term> = all.iter().filter(|t| !is_stop_word(t)).cloned().collect();
        let telling = !content.is_empty();
        let mut terms = if telling { content } else { all };
        terms.truncate(TERM_LIMIT);
        Self {
            error_line,
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

/// Returns a text as texts are indexed, without what breaks lines.
fn on_one_line(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    searchable(&text).trim().to_owned()
}

/// Returns the line of an error in a text: of a traceback of Python the last one, else the first.
fn error_line(text: &str) -> Option<String> {
    let lines = text.lines().map(on_one_line);
    let mut errors = lines.filter(|line| is_error_line(line) && count_terms(line) >= LINE_TERMS);
    match text.contains(TRACEBACK) {
        true => errors.next_back(),
        false => errors.next(),
    }
}

fn count_terms(line: &str) -> usize {
    let found = terms([line]);
    let telling = found.iter().filter(|term| !is_stop_word(term));
    telling.count()
}

fn terms(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<Term> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for text in texts {
        let text = with_straight_quotes(text.as_ref());
        let parts: Vec<&str> = text.split('"').collect();
        let last = parts.len() - 1;
        for (position, part) in parts.into_iter().enumerate() {
            let quoted = position % 2 == 1 && position != last;
            match quoted {
                true => found.push(phrase(part)),
                false => found.extend(part.split_whitespace().flat_map(words)),
            }
        }
    }
    found.retain(|t: &Term| {
        t.text.contains(char::is_alphanumeric) && seen.insert(t.text.to_lowercase())
    });
    found
}

/// Returns a text with `"` for marks of quotation that open and close, unless it has `"` itself.
fn with_straight_quotes(text: &str) -> Cow<'_, str> {
    if text.contains('"') || !text.contains(OPENING_QUOTES) {
        return Cow::Borrowed(text);
    }
    let mut straight = String::with_capacity(text.len());
    let (mut is_open, mut is_at_start) = (false, true);
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let is_mark = match is_open {
            true => CLOSING_QUOTES.contains(&c),
            false => is_at_start && OPENING_QUOTES.contains(&c) && rest.contains(CLOSING_QUOTES),
        };
        is_open ^= is_mark;
        straight.push(if is_mark { '"' } else { c });
        is_at_start = c.is_whitespace() || c == '(';
    }
    Cow::Owned(straight)
}

fn phrase(quoted: &str) -> Term {
    Term {
        text: quoted.trim().to_owned(),
        exact: true,
    }
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

/// Returns the terms of a word between spaces: `[a.rs](src/a.rs)` is two, and so is `and/or`.
fn words(word: &str) -> Vec<Term> {
    let pieces: Vec<&str> = match word.split_once('/') {
        Some((left, right)) if is_pair_of_words(left, right) => vec![left, right],
        _ => split_code(word),
    };
    let cores = pieces.into_iter().flat_map(script_runs).map(trimmed);
    let cores = cores.map(without_position);
    let term = |core: &str| Term {
        text: core.to_owned(),
        exact: is_identifier(core),
    };
    cores.map(term).collect()
}

/// Splits a call, a link of Markdown or a list without spaces; all of it where nothing but remnants is left.
fn split_code(word: &str) -> Vec<&str> {
    let pieces = word
        .split("](")
        .flat_map(|piece| piece.split(['(', ')', '`']));
    let mut pieces: Vec<&str> = pieces.flat_map(split_at_commas).collect();
    let words = pieces
        .iter()
        .filter(|piece| piece.contains(char::is_alphanumeric));
    if words.count() > 1 {
        pieces.retain(|piece| !is_remnant(trimmed(piece)));
    }
    match pieces.is_empty() {
        true => vec![word],
        false => pieces,
    }
}

/// `and/or`, `CI/CD`: not a path.
fn is_pair_of_words(left: &str, right: &str) -> bool {
    let right = trimmed(right);
    let are_letters = [left, right]
        .iter()
        .all(|w| w.chars().count() > 1 && w.chars().all(char::is_alphabetic));
    let is_stop = |word: &str| STOP_WORDS.contains(word.to_lowercase().as_str());
    let is_shouted = |word: &str| word.chars().all(char::is_uppercase);
    let are_both = |test: &dyn Fn(&str) -> bool| test(left) && test(right);
    are_letters && (are_both(&is_stop) || are_both(&is_shouted))
}

/// Splits at commas that stand in no number.
fn split_at_commas(word: &str) -> Vec<&str> {
    let is_in_number = |at: usize| {
        let before = word[..at].ends_with(|c: char| c.is_ascii_digit());
        before && word[at + 1..].starts_with(|c: char| c.is_ascii_digit())
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in word.match_indices(',').filter(|(at, _)| !is_in_number(*at)) {
        pieces.push(&word[start..at]);
        start = at + 1;
    }
    pieces.push(&word[start..]);
    pieces
}

/// Returns a word without the punctuation around it that belongs to the sentence.
fn trimmed(word: &str) -> &str {
    let mut core = word;
    loop {
        let before = core.len();
        core = core.trim_matches(|c: char| !c.is_alphanumeric() && !"-_./\\:#@".contains(c));
        core = core.trim_end_matches(['.', ':', '-']);
        if core.len() == before {
            return core;
        }
    }
}

/// Returns a word without what tells where in a file, by whom it is mentioned, or whose it is: `src/a.rs` of
/// `./src/a.rs:12:5`, `@src/a.rs` and `src/a.rs#L3`, `parser` of `parser's`.
fn without_position(word: &str) -> &str {
    let word = match word.contains("://") {
        true => without_fragment(word),
        false => without_line_number(word),
    };
    let word = word
        .strip_suffix("'s")
        .or(word.strip_suffix("’s"))
        .unwrap_or(word);
    let word = word.strip_prefix("./").unwrap_or(word);
    let word = match word.trim_end_matches('/') {
        "" => word,
        path => path,
    };
    match word.strip_prefix('@') {
        Some(path) if path.contains('/') && has_extension(path) => path,
        _ => word,
    }
}

/// Returns an address without what names a place in its page. A route (`#/users`, `#!/users`) is a page.
fn without_fragment(address: &str) -> &str {
    match address.split_once('#') {
        Some((page, fragment)) if !fragment.starts_with(['/', '!']) => page,
        _ => address,
    }
}

/// Returns a path without the line and column that a compiler or a link names behind it.
fn without_line_number(word: &str) -> &str {
    let is_line = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    if let Some((path, lines)) = word.split_once("#L")
        && !path.is_empty()
        && lines
            .split('-')
            .all(|line| is_line(line.trim_start_matches('L')))
    {
        return path;
    }
    let mut path = word;
    while let Some((before, line)) = path.rsplit_once(':') {
        if !is_line(line) {
            break;
        }
        path = before;
    }
    match has_extension(path) && !is_host(path) {
        true => path,
        false => word,
    }
}

/// True for what a port is named behind, as it ends like a host.
fn is_host(path: &str) -> bool {
    let domains = [
        ".com",
        ".org",
        ".net",
        ".io",
        ".dev",
        ".app",
        ".ai",
        ".local",
        ".internal",
        ".lan",
    ];
    !path.contains(['/', '\\']) && domains.iter().any(|domain| path.ends_with(domain))
}

/// True for a path whose last component ends in `.` and letters.
fn has_extension(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// True for what splitting leaves over: one letter, a number of one or two digits, several numbers.
fn is_remnant(piece: &str) -> bool {
    let is_number = piece.chars().all(|c| c.is_ascii_digit() || c == ',');
    let is_short = piece.len() < 2 || (piece.len() == 2 && is_number);
    is_short || (is_number && piece.contains(',')) || !piece.contains(char::is_alphanumeric)
}

/// Fewest digits of a number that names one thing: an issue of a large project, a run, a client.
const ID_DIGITS: usize = 5;

/// True for a word shaped like a thing with a name: `--no-verify`,
/// `src/main.rs`, `ERR_SYNC_701`, `fooBar`, `E0308`, `v1.2.3`, `164556913424`.
pub fn is_identifier(word: &str) -> bool {
    let core = bare(word);
    let is_marked = word.starts_with(['-', '_', '@', '#']);
    if !is_marked && (is_quantity(core) || STOP_WORDS.contains(core.to_lowercase().as_str())) {
        return false;
    }
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

/// `2nd`, `45s`, `10MB`: a number with what it counts.
fn is_quantity(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    unit.len() < word.len() && UNITS.contains(&unit.to_lowercase().as_str())
}

const UNITS: [&str; 18] = [
    "st", "nd", "rd", "th", "ms", "s", "sec", "m", "min", "h", "d", "w", "x", "k", "kb", "mb",
    "gb", "px",
];

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
            (
                "map[string]bool issue(#386) exit(137)",
                "map[string]bool issue #386 exit 137",
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
