//! Regular expressions of the user's settings.

use regex::Regex;

/// A regular expression of the settings is invalid, or matches any text where it should select.
#[derive(Debug, thiserror::Error)]
#[error("`{pattern}` in {setting} {reason}")]
pub struct PatternError {
    /// The setting, as `redaction.allow`.
    pub setting: &'static str,
    /// The expression.
    pub pattern: String,
    /// The reason, on one line, as the rest of a sentence.
    pub reason: String,
}

/// Compiles the regular expressions of a setting.
///
/// # Errors
/// When one is not a regular expression.
pub(crate) fn compile_patterns(
    setting: &'static str,
    patterns: &[String],
) -> Result<Vec<Regex>, PatternError> {
    let compile = |pattern: &String| {
        Regex::new(pattern).map_err(|error| PatternError {
            setting,
            pattern: pattern.clone(),
            reason: format!(
                "is not a regular expression: {}",
                last_line(&error.to_string())
            ),
        })
    };
    patterns.iter().map(compile).collect()
}

/// Compiles the regular expressions of a setting that select texts.
///
/// # Errors
/// When one is not a regular expression, or matches the empty text.
pub fn compile_selective_patterns(
    setting: &'static str,
    patterns: &[String],
) -> Result<Vec<Regex>, PatternError> {
    let compiled = compile_patterns(setting, patterns)?;
    match compiled.iter().find(|pattern| pattern.is_match("")) {
        Some(pattern) => Err(PatternError {
            setting,
            pattern: pattern.to_string(),
            reason: "matches the empty text, and so every turn".to_owned(),
        }),
        None => Ok(compiled),
    }
}

/// Returns the last line of an error of `regex`, which holds the reason below a drawing of the place.
fn last_line(error: &str) -> String {
    let line = error.lines().last().unwrap_or_default();
    line.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_setting_and_the_reason_on_one_line() {
        let patterns = ["a+".to_owned(), "(".to_owned()];
        let error = compile_patterns("exclude.patterns", &patterns).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`(` in exclude.patterns is not a regular expression: error: unclosed group"
        );
    }

    #[test]
    fn a_pattern_that_selects_any_text_is_refused() {
        let compile =
            |pattern: &str| compile_selective_patterns("redaction.patterns", &[pattern.to_owned()]);
        assert!(compile("tok-.*").is_ok());
        assert_eq!(
            compile(".*").unwrap_err().to_string(),
            "`.*` in redaction.patterns matches the empty text, and so every turn"
        );
    }
}
