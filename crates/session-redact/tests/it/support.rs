//! Texts whose secret stands between `«` and `»`.

use session_redact::{RedactionSettings, Redactor};

pub fn redactor() -> Redactor {
    Redactor::new(&RedactionSettings::default()).unwrap()
}

pub fn redact(text: &str) -> String {
    redactor().redact(text).into_owned()
}

/// Asserts that each text loses its secret, the part between `«` and `»`, and nothing else.
pub fn assert_redacts(kind: &str, texts: &[&str]) {
    for text in texts {
        let (before, rest) = text.split_once('«').unwrap();
        let (secret, after) = rest.split_once('»').unwrap();
        let expected = format!("{before}[redacted:{kind}]{after}");
        assert_eq!(redact(&format!("{before}{secret}{after}")), expected);
    }
}

pub fn assert_unchanged(texts: &[&str]) {
    for text in texts {
        assert_eq!(redact(text), *text);
    }
}
