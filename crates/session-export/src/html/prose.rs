//! Markdown of a session as HTML that is safe whatever it says.

use super::links::OpenLinks;
use maud::PreEscaped;
use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html,
};
use session_core::text::sanitize_text;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Renders Markdown: raw HTML as its text, images as links, links only where they lead to a page or a
/// mail address, else with their address as text. Headings begin at level 4, below those of the page.
pub(super) fn render_prose(markdown: &str) -> PreEscaped<String> {
    let safe = escape_unused_definitions(sanitize_text(markdown));
    let mut links = OpenLinks::default();
    let events = make_parser(&safe)
        .flat_map(|event| neutralize_event(event, &mut links).into_iter().flatten());
    let mut out = String::with_capacity(safe.len() + safe.len() / 4);
    html::push_html(&mut out, events);
    PreEscaped(out)
}

fn make_parser(markdown: &str) -> Parser<'_> {
    Parser::new_ext(
        markdown,
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH,
    )
}

/// Escapes definitions of references that no link uses, and those of footnotes: Markdown shows no definition, and
/// `[TODO]: later` is a remark that looks like one.
fn escape_unused_definitions(markdown: Cow<'_, str>) -> Cow<'_, str> {
    let starts = find_unused_definitions(&markdown);
    if starts.is_empty() {
        return markdown;
    }
    let mut out = String::with_capacity(markdown.len() + starts.len());
    let mut end = 0;
    for start in starts {
        out.extend([&markdown[end..start], "\\"]);
        end = start;
    }
    out.push_str(&markdown[end..]);
    out.into()
}

/// Returns where definitions begin that no link uses, or that are of footnotes.
fn find_unused_definitions(markdown: &str) -> BTreeSet<usize> {
    let parser = make_parser(markdown);
    let definitions = parser.reference_definitions();
    let starts = definitions.iter().map(|(_, found)| found.span.start);
    let mut unused: BTreeSet<usize> = starts.collect();
    if unused.is_empty() {
        return unused;
    }
    let labels = make_parser(markdown).filter_map(find_link_label);
    for label in labels.filter(|label| !label.starts_with('^')) {
        if let Some(found) = definitions.get(&label) {
            unused.remove(&found.span.start);
        }
    }
    unused
}

fn find_link_label(event: Event<'_>) -> Option<CowStr<'_>> {
    match event {
        Event::Start(Tag::Link { id, .. } | Tag::Image { id, .. }) => Some(id),
        _ => None,
    }
}

fn neutralize_event<'a>(event: Event<'a>, links: &mut OpenLinks) -> [Option<Event<'a>>; 2] {
    let event = match event {
        Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
            links.push_text(&text);
            Event::Text(neutralize_text(text))
        }
        Event::Code(text) => {
            links.push_text(&text);
            Event::Code(neutralize_text(text))
        }
        Event::Start(tag) => return [neutralize_start(tag, links), None],
        Event::End(TagEnd::Link | TagEnd::Image) => return links.close(),
        Event::End(end) => Event::End(lower_heading_end(end)),
        other => other,
    };
    [Some(event), None]
}

/// Neutralises text once more: `&#x202e;` is a character only now.
fn neutralize_text(text: CowStr<'_>) -> CowStr<'_> {
    match sanitize_text(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(safe) => safe.into(),
    }
}

fn neutralize_start<'a>(tag: Tag<'a>, links: &mut OpenLinks) -> Option<Event<'a>> {
    Some(Event::Start(match tag {
        Tag::Link {
            link_type,
            dest_url,
            ..
        }
        | Tag::Image {
            link_type,
            dest_url,
            ..
        } => return links.open(link_type, dest_url),
        Tag::Heading { level, .. } => Tag::Heading {
            level: lower_heading_level(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        },
        // An alignment would be a style attribute, which the policy of the page forbids.
        Tag::Table(columns) => Tag::Table(vec![Alignment::None; columns.len()]),
        Tag::CodeBlock(_) => Tag::CodeBlock(CodeBlockKind::Indented),
        Tag::HtmlBlock => Tag::Paragraph,
        other => other,
    }))
}

fn lower_heading_end(end: TagEnd) -> TagEnd {
    match end {
        TagEnd::Heading(level) => TagEnd::Heading(lower_heading_level(level)),
        TagEnd::HtmlBlock => TagEnd::Paragraph,
        other => other,
    }
}

/// Returns the level of a heading in a page whose own headings have the first three.
fn lower_heading_level(level: HeadingLevel) -> HeadingLevel {
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
        render_prose(markdown).into_string().trim_end().to_owned()
    }

    fn shown(address: &str) -> String {
        format!("<span class=\"address\">({address})</span>")
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
            let html = rendered(&format!("[a]({address})"));
            let shown = format!("<p>a {}</p>", shown(&address.replace("&#9;", "\t")));
            assert_eq!(html, shown, "{address}");
        }
    }

    #[test]
    fn an_address_that_is_no_link_is_text() {
        let check = |markdown: &str, html: &str| {
            assert_eq!(rendered(markdown), format!("<p>{html}</p>"));
        };
        let with_address = |text: &str, address: &str| format!("{text} {}", shown(address));
        check(
            "[`a.js:3`](b/a.js:3)",
            &with_address("<code>a.js:3</code>", "b/a.js:3"),
        );
        check("[b/a.js](b/a.js) [c]()", "b/a.js c");
        check("[a][b]\n\n[b]: src/b.rs", &with_address("a", "src/b.rs"));
        check(
            "[![a](b.png)](c.md)",
            &with_address(&with_address("a", "b.png"), "c.md"),
        );
        let long = with_address("a", &format!("{}…", "b".repeat(300)));
        check(&format!("[a]({})", "b".repeat(400)), &long);
        check(
            "Vec<std::string> <a@b.c>",
            "Vec&lt;std::string&gt; <a href=\"mailto:a@b.c\">a@b.c</a>",
        );
    }

    #[test]
    fn a_link_without_text_has_its_address() {
        for markdown in ["![](http://a)", "[](http://a)", "[![](http://a)](http://a)"] {
            assert_eq!(
                rendered(markdown),
                "<p><a href=\"http://a\">http://a</a></p>"
            );
        }
        assert_eq!(rendered("![](a.png)"), "<p>a.png</p>");
    }

    #[test]
    fn definitions_that_no_link_uses_are_text() {
        assert_eq!(
            rendered("a\n\n[TODO]: later\n\nb"),
            "<p>a</p>\n<p>[TODO]: later</p>\n<p>b</p>"
        );
        assert_eq!(
            rendered("a[^1]\n\n[^1]: important"),
            "<p>a[^1]</p>\n<p>[^1]: important</p>"
        );
        assert_eq!(
            rendered("> [a]: b"),
            "<blockquote>\n<p>[a]: b</p>\n</blockquote>"
        );
        assert_eq!(
            rendered("[A  b] [c]\n\n[a b]: http://d\n[c]: http://e"),
            "<p><a href=\"http://d\">A  b</a> <a href=\"http://e\">c</a></p>"
        );
    }

    #[test]
    fn images_are_links_and_nothing_is_loaded() {
        assert_eq!(
            rendered("![a *b*](https://a.b/c.png \"t\")"),
            r#"<p><a href="https://a.b/c.png">a <em>b</em></a></p>"#
        );
        assert_eq!(
            rendered("![a](x.png)"),
            format!("<p>a {}</p>", shown("x.png"))
        );
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
