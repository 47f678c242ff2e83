//! A session in each format.

use crate::fixture::{lantern, lantern_turns, written};
use insta::{assert_snapshot, with_settings};
use session_export::ExportFormat;

#[test]
fn a_session_as_markdown_and_as_json() {
    with_settings!({filters => [(r"\d{4}-\d\d-\d\d \d\d:\d\d", "[local time]"), (r"(frame \d+\n){50,}", "[frames]\n"), (r"(frame \d+\\n){50,}", "[frames]")]}, {
        let turns = lantern_turns();
        assert_snapshot!("markdown", written(ExportFormat::Markdown, &lantern(), &turns));
        assert_snapshot!("json", written(ExportFormat::Json, &lantern(), &turns));
    });
}

#[test]
fn a_session_as_a_page() {
    let page = written(ExportFormat::Html, &lantern(), &lantern_turns());
    let (style, end) = (
        page.find("<style>").unwrap(),
        page.find("</style>").unwrap(),
    );
    let page = format!("{}{}", &page[..style], &page[end + 8..]);
    // One element on a line, else a change of one is a change of all.
    let lines = [
        "header", "div", "nav", "li", "article", "section", "details", "pre", "p", "h1", "h2",
        "h3", "meta", "title", "summary", "dl",
    ];
    let page = lines.iter().fold(page, |page, name| {
        let open = page.replace(&format!("<{name}>"), &format!("\n<{name}>"));
        open.replace(&format!("<{name} "), &format!("\n<{name} "))
    });
    with_settings!({filters => [(r"\d{4}-\d\d-\d\d \d\d:\d\d( [+-]\d\d:\d\d)?", "[local time]"), (r"(frame \d+\n){50,}", "[frames]\n"), (r"session-search \d+\.\d+\.\d+", "session-search [version]"), (r"sha256-[^']*", "sha256-[hash]"), (r"\n{2,}", "\n")]}, {
        assert_snapshot!("html", page);
    });
}

/// `export … | head` is no error of the session, and not one of JSON.
#[test]
fn a_reader_that_leaves_ends_the_export() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (row, turns) = (lantern(), lantern_turns());
    let session = session_export::ExportedSession::new(&row, &turns);
    for format in [
        ExportFormat::Html,
        ExportFormat::Markdown,
        ExportFormat::Json,
    ] {
        let error = session_export::write_session(format, &session, &mut Closed).unwrap_err();
        let session_export::ExportError::Io(error) = error else {
            panic!("{error}")
        };
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe, "{format:?}");
    }
}
