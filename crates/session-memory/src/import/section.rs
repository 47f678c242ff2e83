//! Sections, lists and labels of Markdown, in English and in Chinese.

use session_core::{CodeFences, FencedLine};

/// A section: a heading, and the text up to the next heading of its level or above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MarkdownSection<'a> {
    /// The text of the heading.
    pub(super) heading: &'a str,
    /// The text below the heading.
    pub(super) text: &'a str,
}

/// Markdown split at the headings of one level.
#[derive(Debug)]
pub(super) struct MarkdownSections<'a> {
    /// The text before the first heading of the level.
    pub(super) head: &'a str,
    /// The sections of the level.
    pub(super) sections: Vec<MarkdownSection<'a>>,
}

/// A line that is a heading of the level (then with its text), or of one above.
struct HeadingLine<'a> {
    start: usize,
    end: usize,
    heading: Option<&'a str>,
}

/// Splits Markdown at the headings of a level. Headings within fenced code are text.
pub(super) fn split_sections(text: &str, level: usize) -> MarkdownSections<'_> {
    let lines = heading_lines(text, level);
    let first = lines.iter().find(|line| line.heading.is_some());
    let head = first.map_or(text.len(), |line| line.start);
    let ends = lines.iter().skip(1).map(|line| line.start);
    let ends = ends.chain([text.len()]);
    let sections = lines.iter().zip(ends).filter_map(|(line, end)| {
        line.heading.map(|heading| MarkdownSection {
            heading,
            text: text[line.end..end].trim_matches('\n'),
        })
    });
    MarkdownSections {
        head: text[..head].trim(),
        sections: sections.collect(),
    }
}

fn heading_lines(text: &str, level: usize) -> Vec<HeadingLine<'_>> {
    let mut lines = Vec::new();
    let (mut start, mut fences) = (0, CodeFences::default());
    for line in text.split_inclusive('\n') {
        let hashes = line.bytes().take_while(|b| *b == b'#').count();
        let is_text = fences.classify(line) == FencedLine::Text;
        let is_heading = (1..=level).contains(&hashes) && line[hashes..].starts_with(' ');
        let end = start + line.len();
        if is_heading && is_text {
            lines.push(HeadingLine {
                start,
                end,
                heading: (hashes == level).then(|| line[hashes..].trim()),
            });
        }
        start = end;
    }
    lines
}

/// Compares a heading or label with lower-case names, without its case and colon.
pub(super) fn is_one_of(text: &str, names: &[&str]) -> bool {
    let text = text.trim().trim_end_matches([':', '：']).to_lowercase();
    names.contains(&text.as_str())
}

/// Reads the items of a list; a text without a list is one item.
pub(super) fn list_items(text: &str) -> Vec<String> {
    let items = crate::content::key_info::read_items(text);
    let text = text.trim().trim_end_matches("---").trim();
    if items.is_empty() && !text.is_empty() {
        vec![text.to_owned()]
    } else {
        items
    }
}

/// Finds the value of a line `- **Name**: value`, with an ASCII or a full-width colon.
pub(super) fn find_labelled<'a>(text: &'a str, names: &[&str]) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches(['-', '*', ' ']);
        let at = line.find([':', '：'])?;
        let (label, value) = line.split_at(at);
        let value = value
            .trim_start_matches([':', '：'])
            .trim()
            .trim_matches('*')
            .trim();
        let label = label.trim_matches(['*', ' ']);
        (is_one_of(label, names) && !value.is_empty()).then_some(value)
    })
}

/// Splits a list of words at commas, semicolons and line breaks.
pub(super) fn split_words(text: &str) -> Vec<String> {
    let words = text.split([',', '，', '、', ';', '；', '\n']);
    let words = words.map(|word| word.trim().trim_matches('`').trim().to_owned());
    words.filter(|word| !word.is_empty()).collect()
}
