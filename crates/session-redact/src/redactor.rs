//! Replacing secrets in texts.

use crate::assignment::find_assigned;
use crate::pattern::{PatternError, compile_selective_patterns};
use crate::rule::{RuleSet, SecretMatch};
use crate::settings::RedactionSettings;
use regex::Regex;
use session_core::text::{compose, floor_char_boundary, normalize_searchable};
use std::borrow::Cow;
use std::ops::Range;

/// The beginning of what replaces a secret.
pub(crate) const OPENING: &str = "[redacted:";

/// Kind of a secret that a pattern of the user found.
const CUSTOM: &str = "custom";

/// Lists the kinds of the secrets that were replaced in a text, in their order.
pub fn find_redacted_kinds(text: &str) -> impl Iterator<Item = &str> {
    let behind_openings = text.split(OPENING).skip(1);
    behind_openings.filter_map(|rest| Some(rest.split_once(']')?.0))
}

/// Replaces the marks that stand for secrets in a text: in a glob, `[…]` would be a class of characters.
pub fn replace_marks(text: &str, replacement: &str) -> String {
    let mut parts = text.split(OPENING);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((_, rest)) => out.extend([replacement, rest]),
            None => out.extend([OPENING, part]),
        }
    }
    out
}

/// Replaces secrets in texts, by the bundled rules and the user's settings.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    pub(crate) is_off: bool,
    pub(crate) patterns: Vec<Regex>,
    pub(crate) allow: Vec<Regex>,
}

impl Redactor {
    /// Makes a redactor that changes nothing.
    pub fn off() -> Self {
        Self {
            is_off: true,
            ..Self::default()
        }
    }

    /// Compiles the user's patterns; the redactor is off where the settings say so.
    ///
    /// # Errors
    /// When one is not a regular expression, or matches any text: it would redact all, or allow every secret.
    pub fn new(settings: &RedactionSettings) -> Result<Self, PatternError> {
        Ok(Self {
            is_off: !settings.enabled,
            patterns: compile_selective_patterns("redaction.patterns", &settings.patterns)?,
            allow: compile_selective_patterns("redaction.allow", &settings.allow)?,
        })
    }

    /// Replaces the secrets of a text; borrows it where there is none. A secret that escape sequences or
    /// unseen characters touch, or whose marks are decomposed, is one, too: the text is
    /// [normalized](normalize_searchable) before it is shown.
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.is_off {
            return Cow::Borrowed(text);
        }
        let redacted = self.redact_as_written(text);
        let Cow::Owned(seen) = normalize_searchable(&redacted) else {
            return redacted;
        };
        match self.redact_as_written(&seen) {
            Cow::Borrowed(_) => redacted,
            Cow::Owned(redacted) => Cow::Owned(redacted),
        }
    }

    fn redact_as_written<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut redacted = self.replace_secrets(text);
        // What stands beside a match of the user's may be a secret once that is replaced.
        let passes = if self.patterns.is_empty() {
            1
        } else {
            MAX_PASSES
        };
        for _ in 1..passes {
            let Cow::Owned(once) = &redacted else { break };
            let Cow::Owned(again) = self.replace_secrets(once) else {
                break;
            };
            redacted = Cow::Owned(again);
        }
        redacted
    }

    fn replace_secrets<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.patterns.is_empty() && is_plain(text) {
            return Cow::Borrowed(text);
        }
        let secrets = self.find(text);
        if secrets.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for secret in secrets {
            out.push_str(&text[at..secret.range.start]);
            out.push_str(&format!("{OPENING}{}]", secret.kind));
            at = secret.range.end;
        }
        out.push_str(&text[at..]);
        Cow::Owned(out)
    }

    /// Returns true if the user has patterns beside the bundled rules.
    pub fn has_patterns(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// Replaces the secrets of a text in place.
    pub fn redact_in_place(&self, text: &mut String) {
        if let Cow::Owned(redacted) = self.redact(text) {
            *text = redacted;
        }
    }

    /// Finds the secrets of a text, in order and without overlaps.
    fn find(&self, text: &str) -> Vec<SecretMatch<'_>> {
        let rules = RuleSet::bundled();
        let keywords = rules.find_keywords(text);
        let mut found = Vec::new();
        for (rule, windows) in keywords.rules {
            for window in windows {
                rules.run(rule, text, window, &mut found);
            }
        }
        for (rule, window) in keywords.behind_escapes {
            rules.run_behind_escape(rule, text, window, &mut found);
        }
        find_assigned(text, &keywords.names, &mut found);
        for pattern in &self.patterns {
            let secrets = pattern.captures_iter(text).map(|captures| {
                let group = captures.iter().skip(1).flatten().next();
                group.unwrap_or_else(|| captures.get_match()).range()
            });
            let secrets =
                secrets.filter(|range| !range.is_empty() && !is_in_mark(text, range.start));
            found.extend(secrets.map(|range| SecretMatch {
                range,
                kind: CUSTOM,
            }));
        }
        for secret in &mut found {
            secret.range.end = end_beyond_wrap(text, &secret.range);
        }
        found.retain(|secret| {
            let secret = compose(&text[secret.range.clone()]);
            !self.allow.iter().any(|allow| allow.is_match(&secret))
        });
        merge(found)
    }
}

/// Most times that a text is searched for what the replacement of others leaves.
const MAX_PASSES: usize = 4;

/// Longest mark, in bytes, that stands for a secret.
const MAX_MARK_BYTES: usize = 64;

/// Returns true for a position in a mark: a pattern of the user may match the name of a kind.
fn is_in_mark(text: &str, at: usize) -> bool {
    let first = floor_char_boundary(text, at.saturating_sub(MAX_MARK_BYTES));
    let end = floor_char_boundary(text, text.len().min(at + OPENING.len()));
    let Some(found) = text[first..end].rfind(OPENING) else {
        return false;
    };
    let kind = first + found + OPENING.len();
    let is_kind = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let rest = text[kind..].trim_start_matches(is_kind);
    rest.starts_with(']') && at <= text.len() - rest.len()
}

/// Fewest characters of a line that a terminal may have wrapped.
const WRAPPED_CHARS: usize = 60;
/// Fewest bytes of a secret that is wrapped, and of its rest.
const WRAPPED_BYTES: usize = 16;
const REST_BYTES: usize = 6;

/// Returns the end of a secret, on the next line where a terminal wrapped a long one: what begins that line goes on with
/// its characters, and is no word.
fn end_beyond_wrap(text: &str, secret: &Range<usize>) -> usize {
    let line_start = text[..secret.start].rfind('\n').map_or(0, |at| at + 1);
    let rest = text[secret.end..].strip_prefix('\n');
    let is_wrapped = secret.len() >= WRAPPED_BYTES
        && !text[secret.clone()].contains('\n')
        && text[line_start..secret.end].chars().count() >= WRAPPED_CHARS;
    let Some(rest) = rest.filter(|_| is_wrapped) else {
        return secret.end;
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+/=_-.".contains(c);
    let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let has = |is_kind: fn(&u8) -> bool| rest[..len].bytes().any(|b| is_kind(&b));
    let is_rest = len >= REST_BYTES && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    if is_rest && !rest[len..].starts_with([':', '(']) {
        secret.end + 1 + len
    } else {
        secret.end
    }
}

/// Longest word of a plain text, in bytes: keys are longer, or hold digits.
const MAX_WORD_BYTES: usize = 16;
/// Words, or parts of them, after which letters alone are a secret: `password swordfish`, `AUTH swordfish`.
const BEFORE_LETTERS: [&str; 3] = ["pass", "auth", "identified"];

/// Returns true for words alone, as most queries are: no rule finds anything there, and the rules need not be
/// loaded, which takes a millisecond.
fn is_plain(text: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80 || b" .,?!'()\n".contains(&byte);
    let is_short = |word: &str| word.len() <= MAX_WORD_BYTES || !word.is_ascii();
    let has = |word: &str| {
        let mut windows = text.as_bytes().windows(word.len());
        windows.any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
    };
    text.bytes().all(is_plain)
        && text.split([' ', '\n']).all(is_short)
        && !BEFORE_LETTERS.into_iter().any(has)
}

/// Sorts secrets by position and joins those that overlap. The first one names the kind; of those that begin
/// together, the longest.
fn merge(mut found: Vec<SecretMatch<'_>>) -> Vec<SecretMatch<'_>> {
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    let mut merged: Vec<SecretMatch<'_>> = Vec::with_capacity(found.len());
    for secret in found {
        match merged.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
            }
            _ => merged.push(secret),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_mark_is_replaced_with_its_brackets() {
        let text = "mysql -p[redacted:password-argument] [redacted:secret] [redacted:";
        assert_eq!(replace_marks(text, "*"), "mysql -p* * [redacted:");
        assert_eq!(replace_marks("[a-z]*", "*"), "[a-z]*");
    }

    const WORDS: &str = "login user account machine password requirepass masterauth AUTH echo printf bearer \
        authorization basic token secret key api credentials with pw pwd kennwort curl mysql cookie variable \
        default is the bob swordfish Hunter example.com identified IDENTIFIED by BY 'swordfish' create alter user role set sudo sshpass docker phrase";

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

        #[test]
        fn a_plain_text_holds_no_secret(words in proptest::collection::vec(proptest::sample::select(WORDS.split_whitespace().collect::<Vec<_>>()), 1..10)) {
            for text in [words.join(" "), words.join("\n")] {
                let redactor = Redactor::default();
                let found = redactor.find(&text);
                prop_assert!(found.is_empty() || !is_plain(&text), "{text:?}: {found:?}");
            }
        }
    }
}
