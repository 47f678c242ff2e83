//! The angle-bracket tags in which an agent's program wraps what no human typed.

use memchr::memmem;

/// Returns the trimmed words in the first `<tag>…</tag>`; an end that was cut off is
/// taken as there.
pub(crate) fn inner<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, body) = text.split_once(&format!("<{tag}>"))?;
    let (body, _) = body.split_once(&format!("</{tag}>")).unwrap_or((body, ""));
    Some(body.trim())
}

/// Returns the trimmed words in the `<tag …>…</tag>` that the text begins with.
pub(crate) fn inner_with_attributes<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, body) = text.strip_prefix('<')?.strip_prefix(tag)?.split_once('>')?;
    let (body, _) = body.split_once(&format!("</{tag}>")).unwrap_or((body, ""));
    Some(body.trim())
}

/// Returns a text within tags as it was before it was escaped for them.
pub(crate) fn unescape(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

/// Returns true when the text begins with `<tag>` or `<tag …>`.
pub(crate) fn begins_with(text: &str, tag: &str) -> bool {
    let rest = text.strip_prefix('<').and_then(|t| t.strip_prefix(tag));
    rest.is_some_and(|rest| rest.starts_with(['>', ' ']))
}

/// Removes the whole `<tag>…</tag>` that the text begins with.
pub(crate) fn after_front<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let body = text.strip_prefix('<')?.strip_prefix(tag)?;
    let body = Some(body).filter(|_| begins_with(text, tag))?;
    let close = format!("</{tag}>");
    let end = memmem::find(body.as_bytes(), close.as_bytes())?;
    Some(body[end + close.len()..].trim_start())
}
