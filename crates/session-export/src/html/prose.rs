//! Markdown of a session as HTML that is safe whatever it says.

use maud::PreEscaped;
use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html,
};
use session_core::text::printable;
use std::borrow::Cow;

/// Renders Markdown: raw HTML as its text, images as links, links only where they lead to a page or a
/// mail address. Headings begin at level 4, below those of the page.
pub(super) fn prose(markdown: &str) -> PreEscaped<String> {
    let safe = printable(markdown);
    let extensions = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut links = Links::default();
    let events = Parser::new_ext(&safe, extensions).map(|event| match event {
        Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
            Event::Text(neutral(text))
        }
        Event::Code(text) => Event::Code(neutral(text)),
        Event::Start(tag) => start(tag, &mut links),
        Event::End(end) => self::end(end, &mut links),
        other => other,
    });
    let mut out = String::with_capacity(safe.len() + safe.len() / 4);
    html::push_html(&mut out, events);
    PreEscaped(out)
}

/// Neutralises text once more: `&#x202e;` is a character only now.
fn neutral(text: CowStr<'_>) -> CowStr<'_> {
    match printable(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(safe) => safe.into(),
    }
}

/// Which of the open links are rendered as such.
#[derive(Default)]
struct Links {
    rendered: Vec<bool>,
}

const NOTHING: Event<'_> = Event::Text(CowStr::Borrowed(""));

fn start<'a>(tag: Tag<'a>, links: &mut Links) -> Event<'a> {
    Event::Start(match tag {
        Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
            // A link in a link is none: an image in a link is its text.
            let is_rendered = is_harmless(&dest_url) && !links.rendered.contains(&true);
            links.rendered.push(is_rendered);
            if !is_rendered {
                return NOTHING;
            }
            Tag::Link {
                link_type: pulldown_cmark::LinkType::Inline,
                dest_url,
                title: CowStr::Borrowed(""),
                id: CowStr::Borrowed(""),
            }
        }
        Tag::Heading { level, .. } => Tag::Heading {
            level: below(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        },
        // An alignment would be a style attribute, which the policy of the page forbids.
        Tag::Table(columns) => Tag::Table(vec![Alignment::None; columns.len()]),
        Tag::CodeBlock(_) => Tag::CodeBlock(CodeBlockKind::Indented),
        Tag::HtmlBlock => Tag::Paragraph,
        other => other,
    })
}

fn end<'a>(end: TagEnd, links: &mut Links) -> Event<'a> {
    Event::End(match end {
        TagEnd::Link | TagEnd::Image => match links.rendered.pop() {
            Some(true) => TagEnd::Link,
            _ => return NOTHING,
        },
        TagEnd::Heading(level) => TagEnd::Heading(below(level)),
        TagEnd::HtmlBlock => TagEnd::Paragraph,
        other => other,
    })
}

/// True for an address that a click may open.
fn is_harmless(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(scheme, _)| scheme);
    let is = |name: &str| scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(name));
    is("http") || is("https") || is("mailto")
}

/// The level of a heading in a page whose own headings have the first three.
fn below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H4,
        HeadingLevel::H2 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(markdown: &str) -> String {
        prose(markdown).into_string().trim_end().to_owned()
    }

    #[test]
    fn links_lead_to_pages_and_mail_alone() {
        assert_eq!(
            rendered("[a](https://a.b/?x=\"y) <mailto:a@b.c>"),
            r#"<p><a href="https://a.b/?x=%22y">a</a> <a href="mailto:a@b.c">mailto:a@b.c</a></p>"#
        );
        for address in [
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc",
            "/a",
            "#turn-1",
            "//a.b",
            "java&#9;script:x",
        ] {
            assert_eq!(
                rendered(&format!("[a]({address})")),
                "<p>a</p>",
                "{address}"
            );
        }
        assert_eq!(rendered("[a][b]\n\n[b]: JavaScript:x"), "<p>a</p>");
    }

    #[test]
    fn images_are_links_and_nothing_is_loaded() {
        assert_eq!(
            rendered("![a *b*](https://a.b/c.png \"t\")"),
            r#"<p><a href="https://a.b/c.png">a <em>b</em></a></p>"#
        );
        assert_eq!(rendered("![a](x.png)"), "<p>a</p>");
        assert_eq!(
            rendered("[![a](http://i)](http://l) ![x [y](http://y)](http://z)"),
            r#"<p><a href="http://l">a</a> <a href="http://z">x y</a></p>"#
        );
    }

    #[test]
    fn html_is_text() {
        assert_eq!(
            rendered("<script>\nalert(1)\n</script>"),
            "<p>&lt;script&gt;\nalert(1)\n&lt;/script&gt;</p>"
        );
        assert_eq!(
            rendered("a <b onclick=x>c</b> &lt;i&gt; <!-- d -->"),
            "<p>a &lt;b onclick=x&gt;c&lt;/b&gt; &lt;i&gt; &lt;!-- d --&gt;</p>"
        );
        assert_eq!(
            rendered("```x\" onload=\"y\n</code>\n```"),
            "<pre><code>&lt;/code&gt;\n</code></pre>"
        );
    }

    #[test]
    fn entities_bring_no_hidden_characters() {
        assert_eq!(
            rendered("a&#x202e;b&#27;[31mc&#0;d"),
            "<p>ab[31mc\u{fffd}d</p>"
        );
        assert_eq!(
            rendered("[a](http://b/&#x202e;c)"),
            "<p><a href=\"http://b/%E2%80%AEc\">a</a></p>"
        );
        assert_eq!(
            rendered("3. a\n\n| b |\n| -: |\n| c |")
                .matches("style")
                .count(),
            0
        );
    }

    #[test]
    fn headings_stand_below_those_of_the_page() {
        assert_eq!(
            rendered("# a {#b .c}\n### d"),
            "<h4>a {#b .c}</h4>\n<h6>d</h6>"
        );
    }
}
