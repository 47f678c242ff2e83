//! Rules that find secrets by format or position.

use crate::entropy::shannon_entropy;
use crate::keywords::Keywords;
use crate::long_word::has_long_word;
use crate::value;
use crate::value_syntax::VALUE_BYTES;
use regex::bytes::{Captures, Regex, RegexBuilder};
use serde::Deserialize;
use session_core::text::{ceil_char_boundary, clip, floor_char_boundary};
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

pub(crate) const FILES: [&str; 2] = [
    include_str!("../rules/session-search.toml"),
    include_str!("../rules/gitleaks.toml"),
];

/// Bytes before a keyword at which a match may begin.
const BYTES_BEFORE: usize = 64;
/// Bytes after a keyword within which a match ends, unless its rule says otherwise.
const BYTES_AFTER: usize = 512;

/// All rules, and their keywords.
#[derive(Debug)]
pub(crate) struct RuleSet {
    rules: Vec<Rule>,
    keywords: Keywords,
}

static RULES: LazyLock<RuleSet> = LazyLock::new(RuleSet::load);

/// A rule file.
#[derive(Deserialize)]
struct RuleFile {
    rule: Vec<Rule>,
}

/// A rule: a regular expression that is run around its keywords.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// The kind of the secret.
    pub(crate) id: String,
    regex: String,
    keywords: Vec<String>,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    min_length: usize,
    /// Bytes of a word that each match holds in a row: a text without such a word holds no match.
    #[serde(default)]
    word_length: usize,
    /// Bytes before a keyword at which a match may begin.
    before: Option<usize>,
    /// Bytes after a keyword within which a match ends.
    after: Option<usize>,
    /// Regular expressions of what is no secret.
    #[serde(default)]
    allow: Vec<String>,
    /// The secret is one by its position alone: placeholders stand there as well.
    #[serde(default)]
    by_position: bool,
    /// The secret is one that a person chose: letters with digits or symbols.
    #[serde(default)]
    user_chosen: bool,
    /// The secret is drawn at random: words that are joined by `-` or `_` are none.
    #[serde(default)]
    random: bool,
    /// The match holds `name=value` pairs, each value a secret.
    #[serde(default)]
    pairs: bool,
    /// Regular expression of each secret within a match that may hold several.
    each: Option<String>,
    #[serde(skip)]
    compiled: OnceLock<CompiledRule>,
}

/// The compiled expressions of a rule.
#[derive(Debug)]
struct CompiledRule {
    regex: Regex,
    allow: Vec<Regex>,
    each: Option<Regex>,
}

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SecretMatch<'r> {
    pub(crate) range: Range<usize>,
    pub(crate) kind: &'r str,
}

/// Keyword matches of a text: where each rule is to be run, and where the name of a secret may stand.
#[derive(Debug, Default)]
pub(crate) struct KeywordMatches {
    /// Rules with the ranges of text in which they are run, merged where they overlap.
    pub(crate) rules: Vec<(usize, Vec<Range<usize>>)>,
    /// Rules with ranges that begin with a keyword right behind an escape sequence.
    pub(crate) behind_escapes: Vec<(usize, Range<usize>)>,
    /// Offsets of words that names of secrets hold, in order.
    pub(crate) names: Vec<usize>,
}

impl RuleSet {
    /// Returns the rules of this crate.
    pub(crate) fn bundled() -> &'static Self {
        &RULES
    }

    fn load() -> Self {
        // Without its rules the program would store secrets.
        let files = FILES.map(|file| toml::from_str(file).expect("the rules are bundled"));
        let rules = files.into_iter().flat_map(|file: RuleFile| file.rule);
        let rules: Vec<Rule> = rules.collect();
        let mut keywords = Keywords::default();
        crate::name::keywords().for_each(|word| keywords.add_name(word));
        for (index, rule) in rules.iter().enumerate() {
            for keyword in &rule.keywords {
                keywords.add_rule(keyword, index);
            }
        }
        Self { rules, keywords }
    }

    /// Finds all keywords of a text.
    pub(crate) fn find_keywords(&self, text: &str) -> KeywordMatches {
        let mut found = KeywordMatches::default();
        self.keywords.find(text, |rules, keyword| {
            if rules.is_empty() {
                found.names.push(keyword.start);
                return;
            }
            let is_behind_escape = ends_in_escape(&text.as_bytes()[..keyword.start]);
            for rule in rules {
                let limits = self.rules.get(*rule).map(|rule| (rule.before, rule.after));
                let (before, after) = limits.unwrap_or_default();
                let start = keyword.start.saturating_sub(before.unwrap_or(BYTES_BEFORE));
                let end = (keyword.end + after.unwrap_or(BYTES_AFTER)).min(text.len());
                found.add_window(*rule, start..end);
                if is_behind_escape {
                    found.behind_escapes.push((*rule, keyword.start..end));
                }
            }
        });
        found
    }

    /// Runs a rule within a window of a text.
    pub(crate) fn run<'r>(
        &'r self,
        rule: usize,
        text: &str,
        window: Range<usize>,
        found: &mut Vec<SecretMatch<'r>>,
    ) {
        if let Some(rule) = self.rules.get(rule) {
            rule.run(text, window, found);
        }
    }

    /// Runs a rule on a window as if the text began there: the end of an escape sequence (`\n`, `%3D`) looks like a part
    /// of the word behind it.
    pub(crate) fn run_behind_escape<'r>(
        &'r self,
        rule: usize,
        text: &str,
        window: Range<usize>,
        found: &mut Vec<SecretMatch<'r>>,
    ) {
        let (start, len) = (floor_char_boundary(text, window.start), found.len());
        self.run(rule, &text[start..], 0..window.end - start, found);
        for secret in &mut found[len..] {
            secret.range.start += start;
            secret.range.end += start;
        }
    }
}

/// Longest number of an escape sequence that sets colours, in bytes: `38;2;255;255;255`.
const MAX_COLOUR_BYTES: usize = 20;

/// Returns true for a text that ends in an escape sequence as it is written in JSON, a shell or an address (`\n`, `\u001b`,
/// `[31m`, `%3D`), or in `_`.
fn ends_in_escape(text: &[u8]) -> bool {
    let ends_in_hex = |digits: usize, opening: &[u8]| {
        let (before, hex) = text.split_at(text.len().saturating_sub(digits));
        hex.len() == digits && hex.iter().all(u8::is_ascii_hexdigit) && before.ends_with(opening)
    };
    let ends_in_colour = || {
        let before = text.strip_suffix(b"m").unwrap_or_default();
        let tail = &before[before.len().saturating_sub(MAX_COLOUR_BYTES)..];
        let opening = tail.iter().rposition(|b| !b.is_ascii_digit() && *b != b';');
        opening.is_some_and(|at| tail[at] == b'[')
    };
    match text {
        [] => false,
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'] | [.., b'_'] => true,
        _ => {
            ends_in_hex(2, b"%")
                || ends_in_hex(2, b"\\x")
                || ends_in_hex(4, b"\\u")
                || ends_in_colour()
        }
    }
}

/// Most matches that are tried which end in the same value: each is found from one keyword of many before it.
const MAX_REJECTIONS: usize = 16;

/// The last value that was no secret.
#[derive(Debug, Default)]
struct RejectedValue {
    end: usize,
    times: usize,
}

impl RejectedValue {
    /// Notes where a value ends, and returns true when it was noted too often.
    fn is_again(&mut self, end: usize) -> bool {
        if end != self.end {
            *self = Self { end, times: 0 };
        }
        self.times += 1;
        self.times > MAX_REJECTIONS
    }
}

impl KeywordMatches {
    fn add_window(&mut self, rule: usize, window: Range<usize>) {
        let known = self.rules.iter_mut().find(|(known, _)| *known == rule);
        let Some((_, windows)) = known else {
            return self.rules.push((rule, vec![window]));
        };
        match windows.last_mut() {
            Some(last) if window.start <= last.end => last.end = last.end.max(window.end),
            _ => windows.push(window),
        }
    }
}

impl Rule {
    fn compiled(&self) -> &CompiledRule {
        self.compiled.get_or_init(|| CompiledRule {
            regex: compile(&self.regex),
            allow: self.allow.iter().map(|pattern| compile(pattern)).collect(),
            each: self.each.as_deref().map(compile),
        })
    }

    fn run<'r>(&'r self, text: &str, window: Range<usize>, found: &mut Vec<SecretMatch<'r>>) {
        let mut at = floor_char_boundary(text, window.start);
        let end = match self.each {
            // One of many secrets may stand where the window ends.
            Some(_) => end_of_word(text, window.end),
            None => ceil_char_boundary(text, window.end),
        };
        let Some(head) = text.get(..end) else { return };
        // Most rules are never compiled: their words are longer than those of a sentence, or of code.
        if !has_long_word(&head.as_bytes()[at..], self.word_length) {
            return;
        }
        let compiled = self.compiled();
        let mut rejected = RejectedValue::default();
        while at < end
            && let Some(captures) = compiled.regex.captures_at(head.as_bytes(), at)
        {
            let whole = captures.get_match();
            if let Some(each) = &compiled.each {
                found.extend(self.secrets_within(compiled, each, head, whole.range()));
                at = ceil_char_boundary(text, whole.end());
                continue;
            }
            let secret = secret_of(&captures);
            let secret =
                floor_char_boundary(head, secret.start)..ceil_char_boundary(head, secret.end);
            at = match self.accepts(compiled, &head[secret.clone()]) {
                true if self.pairs => {
                    found.extend(self.values(head, secret));
                    whole.end()
                }
                true => {
                    let end = secret.end;
                    found.push(SecretMatch {
                        range: secret,
                        kind: &self.id,
                    });
                    end
                }
                // Within the value another keyword may stand.
                false if rejected.is_again(secret.end) => secret.start,
                false => whole.start() + 1,
            };
            at = ceil_char_boundary(text, at.max(whole.start() + 1));
        }
    }

    /// Returns the secrets of a match that may hold several.
    fn secrets_within<'r>(
        &'r self,
        compiled: &CompiledRule,
        each: &Regex,
        text: &str,
        whole: Range<usize>,
    ) -> Vec<SecretMatch<'r>> {
        let captures = each.captures_iter(&text.as_bytes()[whole.clone()]);
        let ranges = captures.map(|captures| {
            let secret = secret_of(&captures);
            let (start, end) = (whole.start + secret.start, whole.start + secret.end);
            floor_char_boundary(text, start)..ceil_char_boundary(text, end)
        });
        let secrets = ranges.filter(|range| self.accepts(compiled, &text[range.clone()]));
        let kind = &self.id;
        secrets.map(|range| SecretMatch { range, kind }).collect()
    }

    fn accepts(&self, compiled: &CompiledRule, secret: &str) -> bool {
        secret.len() >= self.min_length.max(1)
            && !secret.starts_with(crate::redactor::OPENING)
            && (self.entropy == 0.0 || shannon_entropy(secret) >= self.entropy)
            && !compiled
                .allow
                .iter()
                .any(|allow| allow.is_match(secret.as_bytes()))
            && !(self.by_position && value::is_no_secret_by_position(secret))
            && !(self.random && value::is_wordlike(secret))
            && (!self.user_chosen || value::is_user_chosen_password(secret))
    }

    /// Returns the values of `name=value` pairs that look like secrets.
    fn values<'r>(&'r self, text: &str, range: Range<usize>) -> Vec<SecretMatch<'r>> {
        let mut found = Vec::new();
        let mut start = range.start;
        for pair in text[range].split_inclusive(';') {
            let value = pair
                .trim_end_matches(';')
                .split_once('=')
                .map(|(_, value)| value.trim());
            if let Some(value) = value.filter(|value| value::is_cookie_secret(value)) {
                let at = start + pair.find(value).unwrap_or_default();
                found.push(SecretMatch {
                    range: at..at + value.len(),
                    kind: &self.id,
                });
            }
            start += pair.len();
        }
        found
    }
}

/// Compiles a rule over bytes: classes and boundaries are ASCII, which keeps its automaton small.
fn compile(pattern: &str) -> Regex {
    let regex = RegexBuilder::new(pattern).unicode(false).build();
    regex.expect("the rules are bundled")
}

/// Returns where the word ends that an offset stands in, or the offset where none does. Of a very long word more is not
/// read: each of many keywords may stand before it.
fn end_of_word(text: &str, offset: usize) -> usize {
    let offset = ceil_char_boundary(text, offset);
    let rest = clip(&text[offset..], VALUE_BYTES);
    offset + rest.find(char::is_whitespace).unwrap_or(rest.len())
}

/// Returns the range of the first group that matched, else of the whole match.
fn secret_of(captures: &Captures<'_>) -> Range<usize> {
    let groups = captures.iter().skip(1).flatten().next();
    groups.unwrap_or_else(|| captures.get_match()).range()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word_lengths::{SHORTEST_LONG_WORD, word_length_of};

    #[test]
    fn all_rules_compile_and_have_keywords() {
        let rules = RuleSet::bundled();
        assert!(rules.rules.len() > 240, "{}", rules.rules.len());
        for rule in &rules.rules {
            rule.compiled();
            assert!(!rule.keywords.is_empty(), "{}", rule.id);
            assert!(
                rule.keywords.iter().all(|k| *k == k.to_lowercase()),
                "{}",
                rule.id
            );
        }
    }

    #[test]
    fn a_rule_knows_the_longest_word_of_its_matches() {
        for rule in &RuleSet::bundled().rules {
            let length = word_length_of(&rule.regex);
            let expected = if length < SHORTEST_LONG_WORD {
                0
            } else {
                length
            };
            assert_eq!(rule.word_length, expected, "{}: {}", rule.id, rule.regex);
        }
    }
}
