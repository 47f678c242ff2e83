//! Formats, and names of files in them.

use session_core::text::{clip, compose};
use session_display::session_title;
use session_store::SessionRow;
use std::path::Path;
use unicode_normalization::char::is_combining_mark;

/// A format of an exported session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// One self-contained page.
    Html,
    /// CommonMark with fenced code.
    Markdown,
    /// The document that `show --json` prints.
    Json,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Html, Self::Markdown, Self::Json];

    /// Returns the name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Json => "json",
        }
    }

    /// Returns the format that a file's extension means.
    pub fn from_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "html" | "htm" => Self::Html,
            "md" | "markdown" => Self::Markdown,
            "json" => Self::Json,
            _ => return None,
        })
    }

    /// Returns the name of the format as people write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Html => "HTML",
            Self::Markdown => "Markdown",
            Self::Json => "JSON",
        }
    }

    /// Returns the usual extension of a file in this format.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Json => "json",
        }
    }
}

/// Longest slug of a title in a file name, in bytes.
const SLUG_BYTES: usize = 60;
/// Longest part of an id in a file name, in characters.
const ID_CHARS: usize = 8;

/// Proposes a file name of letters, digits and `-` for an exported session: the words of its title and
/// the beginning of its id.
pub fn make_file_name(session: &SessionRow, format: ExportFormat) -> String {
    let title = make_slug(&session_title(session));
    let id = session.uid.chars().filter(char::is_ascii_alphanumeric);
    let id: String = id.take(ID_CHARS).collect();
    let parts = [clip(&title, SLUG_BYTES).trim_end_matches('-'), &id];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let stem = if parts.is_empty() {
        "session".to_owned()
    } else {
        parts.join("-")
    };
    format!("{stem}.{}", format.extension())
}

/// Joins the words of a text by `-`, in lower case. The marks of a word's letters are part of it.
fn make_slug(text: &str) -> String {
    let text = compose(text).to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c));
    words
        .map(|word| word.trim_start_matches(is_combining_mark))
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain_words() {
        let name = |title: &str, uid: &str| {
            let session = SessionRow {
                title: Some(title.to_owned()),
                uid: uid.to_owned(),
                ..SessionRow::default()
            };
            make_file_name(&session, ExportFormat::Html)
        };
        assert_eq!(
            name("Fix ../../etc: \u{202e}it's \"B\"", "a1b2-c3d4-e5"),
            "fix-etc-it-s-b-a1b2c3d4.html"
        );
        assert_eq!(name("灯台の灯り", "ses_1"), "灯台の灯り-ses1.html");
        assert_eq!(name("हिन्दी में", "ses_1"), "हिन्दी-में-ses1.html");
        assert_eq!(
            name("C'e\u{301}tait \u{2714}\u{fe0f} là", "1"),
            "c-était-là-1.html"
        );
        assert_eq!(name(&"word ".repeat(40), "/../x").len(), 59 + 2 + 5);
        assert_eq!(name("!", "…"), "session.html");
    }

    #[test]
    fn extensions_name_formats() {
        let format = |path: &str| ExportFormat::from_path(Path::new(path));
        assert_eq!(format("a/b.HTML"), Some(ExportFormat::Html));
        assert_eq!(format("b.md"), Some(ExportFormat::Markdown));
        assert_eq!(format("b.json"), Some(ExportFormat::Json));
        assert_eq!(format("b.txt"), None);
        assert_eq!(format("html"), None);
    }
}
