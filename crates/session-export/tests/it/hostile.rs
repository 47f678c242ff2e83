//! A session that attacks whoever opens its page.

use crate::fixture::{call, exchange, lantern, text, written};
use scraper::{ElementRef, Html, Selector};
use serde_json::json;
use session_core::{ToolCall, TurnPart};
use session_export::{ExportFormat, make_file_name};
use session_search::Exchange;
use session_store::SessionRow;

/// Ends every element, attribute, comment and section that it could stand in, then runs or loads
/// something; and commands a terminal.
const HOSTILE: &str = "GARGOYLE</title></style></textarea></pre></code>-->]]>\"'><script>alert(1)</script>\
    <img src=x onerror=alert(1)><svg/onload=alert(1)><iframe srcdoc=x></iframe><style>*{background:url(//evil.example/x)}</style>\
    <link rel=stylesheet href=//evil.example/y><base href=//evil.example/><meta http-equiv=refresh content=0;url=//evil.example>\
    <a href=\"javascript:alert(1)\" style=\"x\">a</a><form action=//evil.example><input autofocus onfocus=alert(1)></form>\
    [b](javascript:alert(1)) [c](data:text/html,x) [d](vbscript:x) ![e](https://evil.example/pixel.png) ![f](//evil.example/g.png) \
    <https://evil.example/\"onmouseover=alert(1)> `&lt;script&gt;` \u{1b}[31mred\u{1b}]0;title\u{7} \u{202e}txet\u{2066} &#x202e;&#27;[1m \u{0}nul \u{9b}2J\u{feff}\u{e0041}END";

fn session() -> (SessionRow, Vec<Exchange>) {
    let hostile = || Some(HOSTILE.to_owned());
    let row = SessionRow {
        source: HOSTILE.into(),
        uid: HOSTILE.into(),
        parent: hostile(),
        title: hostile(),
        cwd: hostile(),
        project: hostile(),
        branch: hostile(),
        forked_from: hostile(),
        ..lantern()
    };
    let input = json!({"command": HOSTILE, "file_path": HOSTILE, "old_string": HOSTILE, "new_string": format!("x{HOSTILE}"), HOSTILE: {HOSTILE: HOSTILE}, "b": HOSTILE});
    let edit = ToolCall {
        files: vec![HOSTILE.into(), HOSTILE.into()],
        subagent: hostile(),
        ..call(HOSTILE, input, HOSTILE)
    };
    let fence = format!("```{HOSTILE}\n{HOSTILE}\n```\n<div onclick=x>\n{HOSTILE}");
    let parts = vec![
        text(HOSTILE),
        text(&fence),
        text(&format!(
            "3. x\n\n# {HOSTILE}\n\n| a |\n| -: |\n| {HOSTILE} |\n\n[x]: javascript:alert(1) \"{HOSTILE}\"\n\n[x]"
        )),
        TurnPart::Thinking {
            text: HOSTILE.into(),
        },
        TurnPart::Notice {
            text: HOSTILE.into(),
        },
        TurnPart::Notice {
            text: format!("{HOSTILE}\n").repeat(9),
        },
        TurnPart::Error {
            text: HOSTILE.into(),
        },
        TurnPart::Recap {
            text: HOSTILE.into(),
        },
        TurnPart::Summary {
            text: HOSTILE.into(),
        },
        TurnPart::Call(edit),
        TurnPart::Call(call(
            "Write",
            json!({"file_path": HOSTILE, "content": HOSTILE}),
            HOSTILE,
        )),
    ];
    let mut exchange = exchange(0, HOSTILE, parts);
    exchange.turn.branch = Some(format!("{HOSTILE} other"));
    exchange.turn.turn_stats.models = vec![HOSTILE.into()];
    (row, vec![exchange])
}

fn page() -> Html {
    let (row, turns) = session();
    Html::parse_document(&written(ExportFormat::Html, &row, &turns))
}

fn elements(page: &Html) -> Vec<ElementRef<'_>> {
    page.select(&Selector::parse("*").unwrap()).collect()
}

/// Those of the page, and of Markdown.
const ELEMENTS: [&str; 48] = [
    "a",
    "article",
    "bdi",
    "blockquote",
    "body",
    "br",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "meta",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "span",
    "strong",
    "style",
    "summary",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "ul",
    "dfn",
    "b",
];
const ATTRIBUTES: [&str; 14] = [
    "aria-label",
    "start",
    "charset",
    "class",
    "content",
    "datetime",
    "dir",
    "href",
    "http-equiv",
    "id",
    "lang",
    "name",
    "tabindex",
    "value",
];

#[test]
fn a_page_has_no_elements_but_its_own() {
    let page = page();
    for element in elements(&page) {
        let name = element.value().name();
        assert!(ELEMENTS.contains(&name), "{name}");
        for (attribute, value) in element.value().attrs() {
            assert!(ATTRIBUTES.contains(&attribute), "{attribute}={value}");
            let may_be_hostile = attribute == "href";
            assert!(
                may_be_hostile || !value.contains("GARGOYLE"),
                "{attribute}={value}"
            );
        }
    }
    for (name, count) in [
        ("style", 1),
        ("title", 1),
        ("head", 1),
        ("meta", 7),
        ("main", 1),
    ] {
        let found = page.select(&Selector::parse(name).unwrap()).count();
        assert_eq!(found, count, "{name}");
    }
}

#[test]
fn a_page_links_to_pages_alone() {
    let page = page();
    let href = Selector::parse("[href]").unwrap();
    let links = page.select(&href);
    let links: Vec<&str> = links.map(|link| link.attr("href").unwrap()).collect();
    assert!(
        links.contains(&"https://evil.example/pixel.png"),
        "{links:?}"
    );
    for link in links {
        assert!(
            link.starts_with("#turn-") || link.starts_with("https://"),
            "{link}"
        );
    }
}

#[test]
fn hostile_text_is_there_as_text() {
    let page = page();
    let texts = |selector: &str| -> Vec<String> {
        let selector = Selector::parse(selector).unwrap();
        let found = page.select(&selector);
        found.map(|element| element.text().collect()).collect()
    };
    let script = "<script>alert(1)</script>";
    for (selector, least) in [
        ("title", 1),
        ("h1", 1),
        ("dd", 6),
        ("nav li", 1),
        (".turn > header", 1),
        (".model", 1),
        (".prompt .verbatim", 1),
        (".answer", 3),
        (".answer h4", 1),
        (".answer td", 1),
        (".answer pre", 1),
        (".aside", 3),
        (".remark", 3),
        (".call", 2),
        (".tool", 1),
        (".subject", 3),
        (".files li", 2),
        (".diff .removed", 1),
        (".diff .added", 2),
        (".body .command", 1),
        (".body .output", 3),
        (".label", 1),
    ] {
        let count = texts(selector)
            .iter()
            .filter(|text| text.contains(script))
            .count();
        assert!(count >= least, "{count} of {selector}");
    }
}

#[test]
fn no_format_holds_what_nobody_sees() {
    let (row, turns) = session();
    for format in [
        ExportFormat::Html,
        ExportFormat::Markdown,
        ExportFormat::Json,
    ] {
        let out = written(format, &row, &turns);
        let unseen = out
            .chars()
            .find(|c| session_core::text::sanitize_text(c.encode_utf8(&mut [0; 4])).is_empty());
        assert_eq!(unseen, None, "{format:?}");
        assert!(
            !out.contains("\\u00") && out.matches("GARGOYLE").count() > 20,
            "{format:?}"
        );
        let name = make_file_name(&row, format);
        assert!(
            name.chars()
                .all(|c| c.is_ascii_alphanumeric() || "-.".contains(c)),
            "{name}"
        );
    }
}

#[test]
fn the_policy_stands_before_all_that_is_a_strangers() {
    let (row, turns) = session();
    let page = written(ExportFormat::Html, &row, &turns);
    let policy = page.find("http-equiv=\"Content-Security-Policy\"").unwrap();
    assert!(policy < page.find("GARGOYLE").unwrap());
    assert!(
        page.contains("default-src 'none'; style-src 'sha256-"),
        "{}",
        &page[..900]
    );
}
