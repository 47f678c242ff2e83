//! Checks of what a user types to name what is to be forgotten. A slip here would forget everything.

use regex::Regex;
use session_redact::{LetterCase, PatternError, PatternFault, compile_selective_pattern};

/// The reason for which a typed name is refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TypedNameError {
    /// The pattern is not a regular expression, or matches any text.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// The name is part of the path of every project.
    #[error("--project `{0}` names no project")]
    AnyProject(String),
}

impl TypedNameError {
    /// Returns what to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Pattern(PatternError { fault, .. }) => match fault {
                PatternFault::NotRegex(_) => {
                    "a backslash before a character takes it as it is: `\\(`"
                }
                PatternFault::MatchesEmpty => "give one that needs a letter",
            },
            Self::AnyProject(_) => "give its name or a part of its path; `.` is here",
        }
    }
}

/// Parses the pattern of texts to forget. It ignores case, as a search does, unless `(?-i)` in it says otherwise.
///
/// # Errors
/// When it is no regular expression, or matches any text.
pub fn parse_forget_pattern(pattern: &str) -> Result<Regex, TypedNameError> {
    let regex = compile_selective_pattern("--match", pattern, LetterCase::Ignored)?;
    Ok(regex)
}

/// Checks the name of a project. One without a letter or digit, as an unset variable of a shell leaves, is part of every
/// path.
///
/// # Errors
/// When every project has it.
pub fn check_project_name(project: &str) -> Result<(), TypedNameError> {
    let is_folder = matches!(project, "." | ".." | "~");
    if is_folder || project.contains(char::is_alphanumeric) {
        Ok(())
    } else {
        Err(TypedNameError::AnyProject(project.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_everything_is_refused() {
        for name in ["", "/", "-", "//", " "] {
            let refused = Err(TypedNameError::AnyProject(name.to_owned()));
            assert_eq!(check_project_name(name), refused);
        }
        for name in [".", "..", "~", "app", "日本"] {
            assert_eq!(check_project_name(name), Ok(()));
        }
        for pattern in ["", "a*", "x|"] {
            let refused = parse_forget_pattern(pattern).unwrap_err();
            assert_eq!(refused.hint(), "give one that needs a letter");
        }
        assert!(parse_forget_pattern("ACME-[0-9]+").is_ok());
    }

    /// A search finds a text in any letters, so that it is forgotten in any.
    #[test]
    fn a_pattern_ignores_case_unless_it_says_otherwise() {
        let matches = |pattern: &str, text: &str| {
            let regex = parse_forget_pattern(pattern).unwrap();
            regex.is_match(text)
        };
        assert!(matches("acme-[0-9]+", "The plan of ACME-7"));
        assert!(matches("ACME", "acme and Acme"));
        assert!(matches("ПРОЕКТ", "проект"));
        assert!(!matches("(?-i)acme", "The plan of ACME-7"));
        assert!(matches("(?-i)acme", "acme-7"));
    }

    #[test]
    fn a_pattern_that_cannot_be_read_is_told_in_one_line() {
        let refused = parse_forget_pattern("a(b").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "`a(b` in --match is not a regular expression: unclosed group"
        );
    }
}
