//! Regular expressions that a user writes.

use regex::{Regex, RegexBuilder};
use session_core::text::compose;

/// A regular expression is invalid, or matches any text where it should select.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` in {setting} {fault}")]
pub struct PatternError {
    /// The setting or option, as `redaction.allow`.
    pub setting: &'static str,
    /// The expression.
    pub pattern: String,
    /// The reason for which it is refused.
    pub fault: PatternFault,
}

/// The reason for which a regular expression is refused, as the rest of a sentence on one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternFault {
    /// It is not a regular expression, for the reason that `regex` gives.
    #[error("is not a regular expression: {0}")]
    NotRegex(String),
    /// It matches the empty text.
    #[error("matches the empty text, and so any text")]
    MatchesEmpty,
}

/// Whether a letter of a pattern matches the same letter in the other case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LetterCase {
    /// It does not.
    Exact,
    /// It does, unless `(?-i)` in the pattern says otherwise.
    Ignored,
}

/// Compiles the regular expressions of a setting that select texts.
///
/// # Errors
/// When one is not a regular expression, or matches the empty text.
pub fn compile_selective_patterns(
    setting: &'static str,
    patterns: &[String],
) -> Result<Vec<Regex>, PatternError> {
    let compile = |pattern: &String| compile_selective_pattern(setting, pattern, LetterCase::Exact);
    patterns.iter().map(compile).collect()
}

/// Compiles the regular expression of a setting or an option that selects texts.
///
/// # Errors
/// When it is not a regular expression, or matches the empty text.
pub fn compile_selective_pattern(
    setting: &'static str,
    pattern: &str,
    case: LetterCase,
) -> Result<Regex, PatternError> {
    let regex = compile_pattern(setting, pattern, case)?;
    if regex.is_match("") {
        return Err(PatternError {
            setting,
            pattern: pattern.to_owned(),
            fault: PatternFault::MatchesEmpty,
        });
    }
    Ok(regex)
}

fn compile_pattern(
    setting: &'static str,
    pattern: &str,
    case: LetterCase,
) -> Result<Regex, PatternError> {
    // Texts are composed: a name that is pasted from macOS is decomposed.
    let mut builder = RegexBuilder::new(&compose(pattern));
    builder.case_insensitive(case == LetterCase::Ignored);
    builder.build().map_err(|error| PatternError {
        setting,
        pattern: pattern.to_owned(),
        fault: PatternFault::NotRegex(last_line(&error.to_string())),
    })
}

/// Returns the reason of an error of `regex`: its last line, below a drawing of the place.
fn last_line(error: &str) -> String {
    let line = error.lines().last().unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_setting_and_the_reason_on_one_line() {
        let patterns = ["a+".to_owned(), "(".to_owned()];
        let error = compile_selective_patterns("exclude.patterns", &patterns).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`(` in exclude.patterns is not a regular expression: unclosed group"
        );
    }

    #[test]
    fn a_pattern_that_selects_any_text_is_refused() {
        let compile =
            |pattern: &str| compile_selective_patterns("redaction.patterns", &[pattern.to_owned()]);
        assert!(compile("tok-.*").is_ok());
        assert_eq!(
            compile(".*").unwrap_err().to_string(),
            "`.*` in redaction.patterns matches the empty text, and so any text"
        );
    }

    #[test]
    fn a_decomposed_pattern_matches_composed_text() {
        for pattern in ["de\u{301}lai", "d[e\u{301}ê]lai", "délai"] {
            let regex = compile_selective_pattern("--match", pattern, LetterCase::Exact).unwrap();
            assert!(regex.is_match("délai"), "{pattern}");
        }
    }

    #[test]
    fn case_is_ignored_on_request_unless_the_pattern_says_otherwise() {
        let matches = |case, pattern| {
            let regex = compile_selective_pattern("--match", pattern, case).unwrap();
            regex.is_match("ACME-7")
        };
        assert!(matches(LetterCase::Ignored, "acme"));
        assert!(!matches(LetterCase::Ignored, "(?-i)acme"));
        assert!(!matches(LetterCase::Exact, "acme"));
    }
}
