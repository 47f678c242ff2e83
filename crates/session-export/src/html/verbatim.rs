//! Text as it was typed, in a page.

use maud::{Markup, html};
use session_core::text::sanitize_text;

/// Characters that an address may end with, but seldom does: they belong to the sentence.
const SENTENCE_MARKS: [char; 9] = ['.', ',', ';', ':', '!', '?', '*', '_', '~'];

/// Renders a text as it is, without Markdown. The style `verbatim` keeps its spaces and lines. Addresses that begin
/// with `http://` or `https://` are links.
pub(super) fn render_verbatim(text: &str) -> Markup {
    let safe = sanitize_text(text);
    html! {
        div class="verbatim" dir="auto" {
            @for span in split_spans(safe.trim_matches('\n').trim_end()) {
                @match span {
                    VerbatimSpan::Text(text) => (text),
                    VerbatimSpan::Address(address) => a href=(address) { (address) },
                }
            }
        }
    }
}

/// A part of a verbatim text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VerbatimSpan<'t> {
    Text(&'t str),
    Address(&'t str),
}

/// Splits a text into addresses and what is between them.
fn split_spans(text: &str) -> Vec<VerbatimSpan<'_>> {
    let mut spans = Vec::new();
    let mut rest = text;
    while let Some((before, address)) = find_address(rest) {
        spans.extend([VerbatimSpan::Text(before), VerbatimSpan::Address(address)]);
        rest = &rest[before.len() + address.len()..];
    }
    spans.push(VerbatimSpan::Text(rest));
    spans
}

/// Finds the first address, and returns what is before it with it.
fn find_address(text: &str) -> Option<(&str, &str)> {
    text.match_indices("http").find_map(|(start, _)| {
        let (before, rest) = text.split_at(start);
        let host = rest.strip_prefix("https://");
        let host = host.or_else(|| rest.strip_prefix("http://"))?;
        let scheme_bytes = rest.len() - host.len();
        let end = rest.find(|c| !is_address_char(c)).unwrap_or(rest.len());
        let address = trim_sentence_marks(&rest[..end]);
        (address.len() > scheme_bytes).then_some((before, address))
    })
}

/// Returns true for characters of an address in any script (RFC 3987, section 2.2), but the single quote.
fn is_address_char(c: char) -> bool {
    c.is_alphanumeric() || "-._~:/?#[]@!$&()*+,;=%".contains(c)
}

/// Removes the marks of a sentence and brackets that were opened before the address from its end. What closes is counted
/// once: an address may end with a megabyte of brackets.
fn trim_sentence_marks(address: &str) -> &str {
    let mut round = count_unopened(address, '(', ')');
    let mut square = count_unopened(address, '[', ']');
    let mut address = address.trim_end_matches(SENTENCE_MARKS);
    while round > 0 || square > 0 {
        let Some(rest) = address.strip_suffix([')', ']']) else {
            break;
        };
        if address.ends_with(')') {
            round -= 1
        } else {
            square -= 1
        }
        address = rest.trim_end_matches(SENTENCE_MARKS);
    }
    address
}

/// Counts the brackets that close more than those that open.
fn count_unopened(address: &str, open: char, close: char) -> isize {
    let count = |bracket: char| address.matches(bracket).count();
    count(close).cast_signed() - count(open).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> String {
        let markup = render_verbatim(text).into_string();
        let inner = markup.strip_prefix("<div class=\"verbatim\" dir=\"auto\">");
        inner.unwrap().strip_suffix("</div>").unwrap().to_owned()
    }

    #[test]
    fn markdown_is_text() {
        for text in [
            r"C:\Users\bob\_tmp\*.log and \\server\share and $HOME\!x",
            "def f(x, y):\n    return x**2 + y**2\n\n\t__init__",
            "a\n===\n~~~\nb\n1. a\n3. b\n    c  d",
            "# a *b* `c` [d](e) ![f](g)",
        ] {
            assert_eq!(rendered(text), text);
        }
        assert_eq!(rendered("&lt;b&gt; <i>"), "&amp;lt;b&amp;gt; &lt;i&gt;");
        assert_eq!(rendered("\n\n  a\u{1b}[1m\u{202e}b \n"), "  ab");
    }

    #[test]
    fn addresses_are_links() {
        let check = |text: &str, addresses: &[&str]| {
            let found = split_spans(text).into_iter();
            let found = found.filter_map(|span| match span {
                VerbatimSpan::Address(address) => Some(address),
                VerbatimSpan::Text(_) => None,
            });
            assert_eq!(found.collect::<Vec<_>>(), addresses, "{text}");
        };
        check("see https://a.b/c?d=e&f#g, or:", &["https://a.b/c?d=e&f#g"]);
        check("(http://a.b/c_(d)).", &["http://a.b/c_(d)"]);
        check("<https://a.b> \"http://c\"'", &["https://a.b", "http://c"]);
        check("https://a.b/zürich，", &["https://a.b/zürich"]);
        check("http:// https://. httpx javascript:alert(1)", &[]);
        check("http://a]](b)),", &["http://a]](b"]);
        let brackets = ")]".repeat(100_000);
        check(&format!("http://a/(b{brackets}."), &["http://a/(b)"]);
        assert_eq!(
            rendered("x http://a?b&c\"onclick=d"),
            "x <a href=\"http://a?b&amp;c\">http://a?b&amp;c</a>&quot;onclick=d"
        );
    }
}
