//! The words of a query: splitting them into terms, and the forms of identifiers.

use crate::issue_number::IssueNumber;
use crate::path_match::trim_line_number;
use crate::stop_words::is_english_stop_word;
use crate::text::{self, trim_punctuation};

/// Splits a word between spaces into terms: `[a.rs](src/a.rs)` is two, and so is `and/or`. What surrounds an identifier is
/// removed.
pub(crate) fn split_word(word: &str) -> Vec<&str> {
    let pieces: Vec<&str> = match word.split_once('/') {
        Some((left, right)) if is_pair_of_words(left, right) => vec![left, right],
        _ => split_code(word),
    };
    let cores = pieces
        .into_iter()
        .flat_map(script_runs)
        .map(trim_sentence_marks);
    cores.map(without_position).collect()
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

/// Splits a call, a link of Markdown, the alternatives of a pattern (`foo|bar`, `foo\|bar`) or a list without spaces; all of
/// it where nothing but remnants is left.
fn split_code(word: &str) -> Vec<&str> {
    let pieces = word
        .split("](")
        .flat_map(|piece| piece.split(|c| "()`".contains(c) || text::is_foreign_mark(c)));
    let pieces = pieces.flat_map(split_alternatives);
    let mut pieces: Vec<&str> = pieces.flat_map(split_at_commas).collect();
    let words = pieces
        .iter()
        .filter(|piece| piece.contains(char::is_alphanumeric));
    if words.count() > 1 {
        pieces.retain(|piece| !is_remnant(trim_sentence_marks(piece)));
    }
    if pieces.is_empty() {
        vec![word]
    } else {
        pieces
    }
}

/// Splits a pattern of alternatives. A stop word among them shows that it is no pattern, but a text with this sign.
fn split_alternatives(pattern: &str) -> Vec<&str> {
    let alternatives = pattern.split('|');
    let alternatives = alternatives.map(|word| word.strip_suffix('\\').unwrap_or(word));
    let alternatives: Vec<&str> = alternatives.collect();
    let has_stop_word = alternatives.iter().any(|word| is_english_stop_word(word));
    if alternatives.len() < 2 || has_stop_word {
        vec![pattern]
    } else {
        alternatives
    }
}

/// Returns true for two words with a slash between them that are no path: `and/or`, `CI/CD`.
fn is_pair_of_words(left: &str, right: &str) -> bool {
    let right = trim_sentence_marks(right);
    let are_letters = [left, right]
        .iter()
        .all(|w| w.chars().count() > 1 && w.chars().all(char::is_alphabetic));
    let are_capitals = |word: &str| word.chars().all(char::is_uppercase);
    let are_both = |test: &dyn Fn(&str) -> bool| test(left) && test(right);
    are_letters && (are_both(&is_english_stop_word) || are_both(&are_capitals))
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
fn trim_sentence_marks(word: &str) -> &str {
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

/// Returns a word without a line number, a mark of mention, or a possessive ending: `src/a.rs` of
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
    let word = without_elision(word);
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

/// Words of French and Italian that lose their vowel before another word.
const ELIDED: [&str; 18] = [
    "l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "puisqu", "un", "all", "dall",
    "dell", "nell", "sull",
];

/// Returns a word without the one that is elided before it: `authentification` of `l'authentification`.
fn without_elision(word: &str) -> &str {
    let Some((elided, rest)) = word.split_once(['\'', '’']) else {
        return word;
    };
    let is_word = rest.chars().count() > 2 && rest.chars().all(char::is_alphabetic);
    if is_word && ELIDED.contains(&elided.to_lowercase().as_str()) {
        rest
    } else {
        word
    }
}

/// Returns an address without what names a place in its page. A route (`#/users`, `#!/users`) is a page.
fn without_fragment(address: &str) -> &str {
    match address.split_once('#') {
        Some((page, fragment)) if !fragment.starts_with(['/', '!']) => page,
        _ => address,
    }
}

/// Returns a word without the line number of a path. A number behind another word, and the port of a host, are part of it.
fn without_line_number(word: &str) -> &str {
    let path = trim_line_number(word);
    let is_link = word[path.len()..].starts_with('#');
    if is_link || (has_extension(path) && !is_host(path)) {
        path
    } else {
        word
    }
}

/// Returns true for what a port is named behind, as it ends like a host.
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

/// Returns true for a path whose last component ends in `.` and letters.
fn has_extension(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        extension.starts_with(|c: char| c.is_ascii_alphabetic())
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// Returns true for what splitting leaves over: one letter, a number of one or two digits, several numbers.
fn is_remnant(piece: &str) -> bool {
    let is_number = piece.chars().all(|c| c.is_ascii_digit() || c == ',');
    let is_short = piece.len() < 2 || (piece.len() == 2 && is_number);
    is_short || (is_number && piece.contains(',')) || !piece.contains(char::is_alphanumeric)
}

/// Fewest digits of a number that names one thing: an issue of a large project, a run, a client.
const MIN_ID_DIGITS: usize = 5;

/// Returns true for a word in the form of an identifier: `--no-verify`,
/// `src/main.rs`, `.gitignore`, `ERR_SYNC_701`, `fooBar`, `E0308`, `v1.2.3`, `164556913424`.
pub(crate) fn is_identifier(word: &str) -> bool {
    let core = trim_punctuation(word);
    let is_marked = word.starts_with(['-', '_', '@', '#']);
    if !is_marked && (is_quantity(core) || is_english_stop_word(core)) {
        return false;
    }
    let chars: Vec<char> = core.chars().collect();
    let has_digits = chars.iter().any(char::is_ascii_digit);
    let has_letters = chars.iter().any(|c| c.is_alphabetic());
    let is_joined = core.contains(['_', '/', '\\', '.', ':', '@', '#']);
    let is_camel_case = chars
        .windows(2)
        .any(|w| w[0].is_lowercase() && w[1].is_uppercase());
    let is_in_capitals = chars.len() >= 4
        && has_letters
        && chars.iter().all(|c| c.is_uppercase() || !c.is_alphabetic());
    let is_flag = word.starts_with("--") || (word.starts_with('-') && word.len() > 1);
    let is_id = chars.len() >= MIN_ID_DIGITS && chars.iter().all(char::is_ascii_digit);
    let names_thing = is_id || is_version(core) || IssueNumber::parse(word).is_some();
    is_flag
        || is_dot_name(word)
        || is_camel_case
        || is_in_capitals
        || names_thing
        || (has_letters && (is_joined || has_digits))
}

/// Returns true for a name that begins with a dot: a file (`.gitignore`), a method (`.unwrap`), an extension (`.jsonl`).
pub fn is_dot_name(word: &str) -> bool {
    let name = word.strip_prefix('.').unwrap_or_default();
    let mut letters = name.chars().take_while(|c| c.is_alphabetic());
    letters.nth(1).is_some()
}

/// Fewest numbers of a version: two are a quantity, too.
const VERSION_NUMBERS: usize = 3;

/// Returns true for `0.4.1`.
fn is_version(word: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    word.split('.').count() >= VERSION_NUMBERS && word.split('.').all(is_number)
}

/// Returns the other spelling of a version: `v0.4.1` for `0.4.1`, and `0.4.1` for `v0.4.1`.
pub fn other_version_spelling(word: &str) -> Option<String> {
    match word.strip_prefix(['v', 'V']) {
        Some(version) => is_version(version).then(|| version.to_owned()),
        None => is_version(word).then(|| format!("v{word}")),
    }
}

/// Fewest digits of the beginning of a commit's hash, as git prints it.
const MIN_HASH_DIGITS: usize = 7;
/// Digits of a whole hash: SHA-1 in hex.
const MAX_HASH_DIGITS: usize = 40;

/// Returns true for the hash of a commit, or a beginning of it: `f81c4fdf`.
pub fn is_commit_hash(word: &str) -> bool {
    let has = |is_kind: fn(&u8) -> bool| word.bytes().any(|b| is_kind(&b));
    (MIN_HASH_DIGITS..=MAX_HASH_DIGITS).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_hexdigit())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
}

/// Returns true for words of letters joined by hyphens: `pre-commit`, but not `e-mail`.
pub(crate) fn is_hyphenated(word: &str) -> bool {
    let is_part = |part: &str| part.chars().count() > 1 && part.chars().all(char::is_alphabetic);
    word.contains('-') && word.split('-').all(is_part)
}

/// Returns true for a number with one of the [`UNITS`]: `2nd`, `45s`, `10MB`.
fn is_quantity(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    unit.len() < word.len() && UNITS.contains(&unit.to_lowercase().as_str())
}

/// Units and endings of numbers, which make no identifier of them.
const UNITS: [&str; 18] = [
    "st", "nd", "rd", "th", "ms", "s", "sec", "m", "min", "h", "d", "w", "x", "k", "kb", "mb",
    "gb", "px",
];
