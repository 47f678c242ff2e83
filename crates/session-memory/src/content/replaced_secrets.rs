//! The secrets that are replaced when a memory is saved.

use session_redact::{Redactor, find_redacted_kinds};
use std::collections::BTreeSet;

/// The kinds of secrets for which marks stand in a memory instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplacedSecrets {
    kinds: BTreeSet<String>,
}

impl ReplacedSecrets {
    /// Finds the secrets in texts as the user wrote them.
    pub(crate) fn find(
        redactor: &Redactor,
        texts: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        let mut kinds = BTreeSet::new();
        for text in texts {
            let text = text.as_ref();
            let redacted = redactor.redact(text);
            let is_new = |kind: &&str| count(&redacted, kind) > count(text, kind);
            let new = find_redacted_kinds(&redacted).filter(is_new);
            kinds.extend(new.map(str::to_owned));
        }
        Self { kinds }
    }

    /// Formats a note for who wrote them; `None` if there are none.
    pub fn note(&self) -> Option<String> {
        let kinds: Vec<&str> = self.kinds.iter().map(String::as_str).collect();
        match kinds.as_slice() {
            [] => None,
            [kind] => Some(format!("a secret is replaced by a mark: {kind}")),
            kinds => Some(format!(
                "secrets are replaced by marks: {}",
                kinds.join(", ")
            )),
        }
    }
}

/// Counts the marks of a kind.
fn count(text: &str, kind: &str) -> usize {
    find_redacted_kinds(text)
        .filter(|other| *other == kind)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_the_user_wrote_are_no_secrets() {
        let token = "token ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let find = |texts: &[&str]| {
            let all = texts.iter().copied();
            ReplacedSecrets::find(&Redactor::default(), all).note()
        };
        let note = "a secret is replaced by a mark: github-token";
        assert_eq!(find(&["Deploy", token]).as_deref(), Some(note));
        assert_eq!(find(&["a token was [redacted:github-token]"]), None);
        assert_eq!(find(&["raise DB_POOL"]), None);
        let key = "key AKIAIOSFODNN7EXAMPLF";
        let note = "secrets are replaced by marks: aws-access-token, github-token";
        assert_eq!(find(&[token, key]).as_deref(), Some(note));
    }
}
