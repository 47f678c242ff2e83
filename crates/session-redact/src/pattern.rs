//! Regular expressions of the user's settings.

use regex::Regex;

/// A regular expression of the settings is invalid.
#[derive(Debug, thiserror::Error)]
#[error("`{pattern}` in {setting} is not a regular expression: {reason}")]
pub struct PatternError {
    /// The setting, as `redaction.allow`.
    pub setting: &'static str,
    /// The expression.
    pub pattern: String,
    /// The reason, on one line.
    pub reason: String,
}

/// Compiles the regular expressions of a setting.
///
/// # Errors
/// When one is not a regular expression.
pub fn compile_patterns(
    setting: &'static str,
    patterns: &[String],
) -> Result<Vec<Regex>, PatternError> {
    let compile = |pattern: &String| {
        Regex::new(pattern).map_err(|error| PatternError {
            setting,
            pattern: pattern.clone(),
            reason: last_line(&error.to_string()),
        })
    };
    patterns.iter().map(compile).collect()
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
}
