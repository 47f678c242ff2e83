//! The angle-bracket tags in which the program wraps what no human typed.

use memchr::memmem;
use std::borrow::Cow;

/// Removes every whole `<tag>…</tag>`.
pub(super) fn without<'t>(text: &'t str, tag: &str) -> Cow<'t, str> {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let mut out = String::new();
    let mut rest = text;
    while let Some((start, end)) = element(rest, &open, &close) {
        out.push_str(&rest[..start]);
        rest = &rest[end..];
    }
    if rest.len() == text.len() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out + rest)
    }
}

/// The trimmed words in the first `<tag>…</tag>`; an end that was cut off is
/// taken as there.
pub(super) fn inner<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, body) = text.split_once(&format!("<{tag}>"))?;
    let (body, _) = body.split_once(&format!("</{tag}>")).unwrap_or((body, ""));
    Some(body.trim())
}

/// The trimmed words in the `<tag …>…</tag>` that the text begins with.
pub(super) fn inner_with_attributes<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, body) = text.strip_prefix('<')?.strip_prefix(tag)?.split_once('>')?;
    let (body, _) = body.split_once(&format!("</{tag}>")).unwrap_or((body, ""));
    Some(body.trim())
}

/// Removes the whole `<tag>…</tag>` that the text begins with.
pub(super) fn after_front<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let body = text.strip_prefix('<')?.strip_prefix(tag)?;
    if !body.starts_with(['>', ' ']) {
        return None;
    }
    let close = format!("</{tag}>");
    let end = memmem::find(body.as_bytes(), close.as_bytes())?;
    Some(body[end + close.len()..].trim_start())
}

fn element(text: &str, open: &str, close: &str) -> Option<(usize, usize)> {
    let start = memmem::find(text.as_bytes(), open.as_bytes())?;
    let length = memmem::find(&text.as_bytes()[start..], close.as_bytes())?;
    Some((start, start + length + close.len()))
}
