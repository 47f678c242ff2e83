//! `<system-reminder>` blocks: the program's words inside others' words.

use memchr::memmem;
use std::borrow::Cow;

const OPEN: &str = "<system-reminder>";
const CLOSE: &str = "</system-reminder>";

/// The text without its reminders. One that is not closed stays: it may be a
/// file that speaks of reminders.
pub(super) fn strip(text: &str) -> Cow<'_, str> {
    let Some((before, after)) = cut(text) else {
        return Cow::Borrowed(text);
    };
    let mut out = before.trim_end().to_owned();
    let mut rest = after;
    while let Some((before, after)) = cut(rest) {
        out.push_str(before.trim_end());
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn cut(text: &str) -> Option<(&str, &str)> {
    let (before, rest) = text.split_at_checked(memmem::find(text.as_bytes(), OPEN.as_bytes())?)?;
    let (_, after) = rest.split_once(CLOSE)?;
    Some((before, after))
}
