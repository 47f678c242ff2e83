//! Texts and patterns with marks behind their letters (NFD).

use crate::support::{redact, redactor};
use session_redact::{RedactionSettings, Redactor};

/// macOS gives names, and some editors texts, with each mark behind its letter.
#[test]
fn decomposed_letters_hide_no_secret() {
    for (text, expected) in [
        (
            "contrasen\u{303}a: Kf83hTq2z",
            "contraseña: [redacted:password]",
        ),
        ("s\u{327}ifre: Kf83hTq2z", "şifre: [redacted:password]"),
        (
            "\u{1107}\u{1175}\u{1106}\u{1175}\u{11af}\u{1107}\u{1165}\u{11ab}\u{1112}\u{1169}: Kf83hTq2z",
            "비밀번호: [redacted:password]",
        ),
        (
            "\u{30cf}\u{309a}\u{30b9}\u{30ef}\u{30fc}\u{30c8}\u{3099}：Kf83hTq2z",
            "パスワード：[redacted:password]",
        ),
    ] {
        assert_eq!(redact(text), expected);
    }
    for name in [
        "contrasen\u{303}a",
        "contrasen\u{303}\u{200b}a",
        "pass\u{200b}word",
        "pass\u{ad}word",
    ] {
        let mut value = serde_json::json!({ name: "Kf83hTq2z" });
        redactor().redact_json(&mut value);
        let expected = serde_json::json!({ name: "[redacted:password]" });
        assert_eq!(value, expected);
    }
    let mut lists = serde_json::json!([{ "passwords\u{200b}": ["Kf83hTq2z"] }, ["\u{200b}--password", "Kf83hTq2z"]]);
    redactor().redact_json(&mut lists);
    assert!(!lists.to_string().contains("Kf83"), "{lists}");
    let without_secret = "le de\u{301}lai";
    assert_eq!(redact(without_secret), without_secret);
}

#[test]
fn patterns_match_decomposed_and_composed_letters_alike() {
    let decomposed = "de\u{301}lai";
    for pattern in ["délai", decomposed] {
        let settings = RedactionSettings {
            patterns: vec![pattern.to_owned()],
            ..RedactionSettings::default()
        };
        let redactor = Redactor::new(&settings).unwrap();
        for text in ["délai", decomposed] {
            assert_eq!(
                redactor.redact(text),
                "[redacted:custom]",
                "{pattern} {text}"
            );
        }
        let settings = RedactionSettings {
            allow: vec![pattern.to_owned()],
            ..RedactionSettings::default()
        };
        let redactor = Redactor::new(&settings).unwrap();
        for secret in ["délai9Xy", "de\u{301}lai9Xy"] {
            let text = format!("DB_PASSWORD={secret}");
            assert_eq!(redactor.redact(&text), text, "{pattern}");
        }
    }
}
