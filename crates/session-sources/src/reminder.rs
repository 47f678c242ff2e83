//! `<system-reminder>` blocks: the program's words among others' words.

use memchr::memmem;
use std::borrow::Cow;

const OPEN: &str = "<system-reminder>";
const CLOSE: &str = "</system-reminder>";

/// Returns the text without its reminders: those at its beginning, at its end, and on
/// lines of their own. One in the middle of a sentence stays, and one that is
/// not closed: such a text speaks of reminders.
pub(crate) fn strip(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, run, after)) = split_at_reminders(rest) {
        out.push_str(before);
        if is_on_own_lines(&out, after) {
            out.truncate(out.trim_end().len());
        } else {
            out.push_str(run);
        }
        rest = after;
    }
    if rest.len() == text.len() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out + rest)
    }
}

fn is_on_own_lines(before: &str, after: &str) -> bool {
    let blank = [' ', '\t', '\r'];
    let begins_line = before.trim_end_matches(blank).ends_with('\n');
    let ends_line = after.trim_start_matches(blank).starts_with('\n');
    before.trim().is_empty() || after.trim().is_empty() || (begins_line && ends_line)
}

/// Splits a text at its first run of reminders, between which there is
/// nothing but white space.
fn split_at_reminders(text: &str) -> Option<(&str, &str, &str)> {
    let start = memmem::find(text.as_bytes(), OPEN.as_bytes())?;
    let (before, reminders) = text.split_at_checked(start)?;
    let mut after = after_reminder(reminders)?;
    while let Some(next) = after_reminder(after.trim_start()) {
        after = next;
    }
    let run = reminders.strip_suffix(after)?;
    Some((before, run, after))
}

/// Returns the text after the reminder that it begins with.
fn after_reminder(text: &str) -> Option<&str> {
    let body = text.strip_prefix(OPEN)?;
    let end = memmem::find(body.as_bytes(), CLOSE.as_bytes())?;
    body.get(end + CLOSE.len()..)
}

#[cfg(test)]
mod tests {
    use super::strip;

    #[test]
    fn reminders_that_stand_apart_are_taken_out() {
        let cases = [
            ("R why", " why"),
            ("RR\nR why", " why"),
            ("why R", "why"),
            ("why\n\nR\nR\n", "why\n"),
            ("a\n R \nb", "a \nb"),
            ("a\nR R\r\nb", "a\r\nb"),
            ("What does R mean?", "What does R mean?"),
            ("a\nR b\nc", "a\nR b\nc"),
            ("a R\nb", "a R\nb"),
            ("a <system-reminder> b", "a <system-reminder> b"),
            ("R", ""),
            ("", ""),
        ];
        let long = |text: &str| text.replace('R', "<system-reminder>x\ny</system-reminder>");
        for (text, expected) in cases {
            assert_eq!(strip(&long(text)), long(expected), "{text:?}");
        }
    }
}
