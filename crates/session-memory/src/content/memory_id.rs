//! The id of a memory.

/// The longest id, in bytes.
pub const MAX_ID_BYTES: usize = 100;

/// Returns true for `mem-` followed by ASCII letters, digits, `-`, `_` and `.`.
pub(crate) fn is_valid_id(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let rest = text.strip_prefix("mem-");
    rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_plain))
        && text.len() <= MAX_ID_BYTES
}

/// Returns true for a complete generated id, with or without `mem-`, which is no prefix of a longer
/// one.
pub(crate) fn is_generated_id(text: &str) -> bool {
    let digits = |part: &str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    let mut parts = text.strip_prefix("mem-").unwrap_or(text).split('-');
    let day = parts.next().is_some_and(|p| p.len() == 8 && digits(p, 8));
    let time = parts.next().is_some_and(|p| p.len() == 6 && digits(p, 6));
    day && time && parts.next().is_none_or(|p| digits(p, 9)) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_mem_and_plain_ascii() {
        for id in ["mem-20260110-091500", "mem-20260110-091500-2", "mem-a_b.c"] {
            assert!(is_valid_id(id), "{id}");
        }
        let long = format!("mem-{}", "a".repeat(97));
        for id in [
            "mem-",
            "note",
            "mem-a b",
            "mem-a\nb",
            "mem-\u{1b}[31m",
            "mem-é",
            "mem-a/b",
            "mem-\u{202e}x",
            &long,
        ] {
            assert!(!is_valid_id(id), "{id}");
        }
    }
}
