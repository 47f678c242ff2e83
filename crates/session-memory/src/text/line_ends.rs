//! The ends of lines, which git writes as LF or CRLF.

use std::borrow::Cow;

/// Returns a text with LF in place of CRLF. A CR that no LF follows stays.
pub(crate) fn fold_line_ends(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        text.replace("\r\n", "\n").into()
    } else {
        text.into()
    }
}
