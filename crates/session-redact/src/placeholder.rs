//! Words and templates that stand for a value.

use crate::value::{is_complex, is_random_token};

/// Words that stand for a value.
const PLACEHOLDERS: [&str; 60] = [
    "null",
    "none",
    "nil",
    "true",
    "false",
    "undefined",
    "string",
    "str",
    "number",
    "integer",
    "int",
    "bool",
    "boolean",
    "any",
    "object",
    "optional",
    "required",
    "secret",
    "secrets",
    "password",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "token",
    "key",
    "apikey",
    "default",
    "empty",
    "env",
    "text",
    "hidden",
    "varchar",
    "bytes",
    "unknown",
    "value",
    "values",
    "admin",
    "root",
    "user",
    "username",
    "test",
    "testing",
    "todo",
    "tbd",
    "n/a",
    "na",
    "unset",
    "missing",
    "invalid",
    "valid",
    "redacted",
    "masked",
    "prompt",
    "stdin",
    "file",
    "changeme",
    "example",
    "foo",
    "bar",
];
/// Words that stand for a value where no letter stands before them: `replace-me`, but `irreplaceable`.
const PLACEHOLDER_STARTS: [&str; 3] = ["replace", "insert", "sample"];
/// Parts of words that stand for a value.
const PLACEHOLDER_PARTS: [&str; 23] = [
    "your-",
    "your_",
    "your ",
    "yourpass",
    "yoursecret",
    "yourtoken",
    "yourkey",
    "yourapi",
    "placeholder",
    "example",
    "changeme",
    "change-me",
    "change_me",
    "enter-",
    "enter_",
    "-here",
    "_here",
    "redacted",
    "dummy",
    "xxxx",
    "****",
    "....",
    "my-secret-",
];

/// Returns true for what stands for a value: `<password>`, `${TOKEN}`, `your-key`, `****`.
pub(crate) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    let is_filler = value.chars().all(|c| "xX*.•●-_#?0…".contains(c));
    is_filler
        || is_template(value)
        || PLACEHOLDERS.contains(&lower.as_str())
        || (!is_complex(value) && has_placeholder_part(&lower))
}

fn has_placeholder_part(lower: &str) -> bool {
    let begins_word = |at: usize| !lower[..at].ends_with(char::is_alphabetic);
    let mut starts = PLACEHOLDER_STARTS
        .iter()
        .flat_map(|start| lower.match_indices(start));
    PLACEHOLDER_PARTS.iter().any(|part| lower.contains(part))
        || starts.any(|(at, _)| begins_word(at))
}

/// Returns true for what a program puts a value in the place of. One that only begins as such, with a digit and a
/// symbol, is a password: `$Blue7!fish`.
fn is_template(value: &str) -> bool {
    // In a URL, of which a template is written as it is: `%24Blue7fish`.
    if is_percent_encoded(value) {
        return false;
    }
    const WHOLE: [(&str, &str); 5] = [("<", ">"), ("%", "%"), ("[", "]"), ("#{", "}"), ("*", "*")];
    let opens = |marks: &[&str]| marks.iter().any(|mark| value.starts_with(mark));
    let is_whole = WHOLE.iter().any(|(open, close)| {
        let inner = value.strip_prefix(open);
        inner.is_some_and(|inner| inner.ends_with(close))
    });
    let has_mark = ["${", "{{", "$("].iter().any(|mark| value.contains(mark));
    has_mark
        || is_whole
        || opens(&["{", "@{", "&lt;", "\\("])
        || (opens(&["$"]) && !is_complex(value))
        || ((value.contains("%s") || opens(&["<", "%", "[", "*", "#{"]))
            && !is_complex_or_random(value))
}

/// Returns true for a value that begins with an encoded character, and is no variable of Windows.
fn is_percent_encoded(value: &str) -> bool {
    let code = value.strip_prefix('%').and_then(|rest| rest.get(..2));
    let is_mark = |code: &str| {
        let byte = u8::from_str_radix(code, 16);
        byte.is_ok_and(|byte| byte.is_ascii_punctuation() && byte != b'{' && byte != b'<')
    };
    code.is_some_and(is_mark) && !value.ends_with('%')
}

/// Returns true for what nobody writes in a template: a digit and a symbol, or letters of both cases with digits.
fn is_complex_or_random(value: &str) -> bool {
    is_complex(value) || is_random_token(&value.replace(['%', '<', '[', '*', '#', '{'], ""))
}
