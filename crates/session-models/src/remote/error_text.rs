//! The words in which a server says why it gave no vectors.

use serde_json::Value;
use session_core::text::{clip_words, collapse_whitespace, sanitize_text};

/// Maximum length of the words in bytes.
const MAX_TEXT_BYTES: usize = 200;
/// The mark in place of a secret.
const MARK: &str = "***";

/// Finds the first line of the server's message in the body of a response: of JSON `error.message`, `error`,
/// `message` or `detail`, else of the text. It is cut, and has none of the secrets. `None` for an empty body
/// or a page of HTML.
pub(crate) fn find_error_text(body: &[u8], secrets: &[&str]) -> Option<String> {
    let body = String::from_utf8_lossy(body);
    let message = match serde_json::from_str::<Value>(&body) {
        Ok(json) => find_message(&json)?.to_owned(),
        Err(_) if body.trim_start().starts_with(['<', '{', '[']) => return None,
        Err(_) => body.into_owned(),
    };
    let shown = hide(&sanitize_text(&message), secrets);
    let mut lines = shown.lines().map(collapse_whitespace);
    let line = lines.find(|line| !line.is_empty())?;
    let cut = clip_words(&line, MAX_TEXT_BYTES);
    Some(if cut.len() == line.len() {
        line
    } else {
        format!("{cut} …")
    })
}

fn find_message(json: &Value) -> Option<&str> {
    let error = &json["error"];
    let places = [&error["message"], error, &json["message"], &json["detail"]];
    places.into_iter().find_map(Value::as_str)
}

fn hide(text: &str, secrets: &[&str]) -> String {
    secrets
        .iter()
        .fold(text.to_owned(), |text, secret| text.replace(secret, MARK))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(body: &str) -> Option<String> {
        find_error_text(body.as_bytes(), &["sk-lamp", "hunter2"])
    }

    #[test]
    fn the_first_line_of_the_message_is_found() {
        for (body, text) in [
            (
                r#"{"error": {"message": "no such model\nat all", "code": 4}}"#,
                "no such model",
            ),
            (
                r#"{"error": "input too long", "error_type": "x"}"#,
                "input too long",
            ),
            (r#"{"object": "error", "message": "unknown"}"#, "unknown"),
            (r#"{"detail": "Not Found"}"#, "Not Found"),
            ("\n  upstream \u{1b}[31mgone\nlater", "upstream gone"),
        ] {
            assert_eq!(find(body).as_deref(), Some(text), "{body}");
        }
        for body in [
            "",
            " \n",
            "{}",
            "[]",
            "{\"error\": 4}",
            "<html>no</html>",
            "{broken",
        ] {
            assert_eq!(find(body), None, "{body}");
        }
    }

    #[test]
    fn it_is_cut_behind_a_word_and_has_no_secret() {
        let long = find(&"word ".repeat(100)).unwrap();
        assert!(long.ends_with("word …") && long.len() < 210, "{long}");
        let shown = find("key sk-lamp of ann:hunter2 is wrong");
        assert_eq!(shown.as_deref(), Some("key *** of ann:*** is wrong"));
        let wrapped = find(&format!("{} sk-lamp", "x".repeat(195)));
        assert!(!wrapped.unwrap().contains("sk-"));
    }
}
