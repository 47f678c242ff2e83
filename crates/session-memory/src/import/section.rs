//! Markdown by its headings, in English and in Chinese.

/// A heading, and what stands below it up to the next one of its level or above.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section<'a> {
    /// Text of the heading.
    pub(super) heading: &'a str,
    /// What stands below.
    pub(super) text: &'a str,
}

/// What stands before the first heading of a level, and the sections of that
/// level. Headings within code are none.
pub(super) fn sections(text: &str, level: usize) -> (&str, Vec<Section<'_>>) {
    let mut starts: Vec<(usize, usize, Option<&str>)> = Vec::new();
    let (mut at, mut in_code) = (0, false);
    for line in text.split_inclusive('\n') {
        let hashes = line.bytes().take_while(|b| *b == b'#').count();
        in_code ^= line.trim_start().starts_with("```");
        let is_heading =
            !in_code && (1..=level).contains(&hashes) && line[hashes..].starts_with(' ');
        if is_heading {
            let own = (hashes == level).then(|| line[hashes..].trim());
            starts.push((at, at + line.len(), own));
        }
        at += line.len();
    }
    let head = starts
        .iter()
        .find(|(.., own)| own.is_some())
        .map_or(text.len(), |s| s.0);
    let ends = starts.iter().skip(1).map(|s| s.0).chain([text.len()]);
    let section = |((_, begin, own), end): (&(usize, usize, Option<&'_ str>), usize)| {
        own.map(|_| (*begin, end))
    };
    let places: Vec<(usize, usize)> = starts.iter().zip(ends).filter_map(section).collect();
    let headings = starts.iter().filter_map(|s| s.2);
    let all = headings.zip(places).map(|(heading, (begin, end))| Section {
        heading,
        text: text[begin..end].trim_matches('\n'),
    });
    (text[..head].trim(), all.collect())
}

/// True when a heading or a label is one of these, whatever its letters.
pub(super) fn is_one_of(text: &str, names: &[&str]) -> bool {
    let text = text.trim().trim_end_matches([':', '：']).to_lowercase();
    names.contains(&text.as_str())
}

/// The items of a list; a text without a list is one item.
pub(super) fn items(text: &str) -> Vec<String> {
    let items = crate::body::items(text);
    let text = text.trim().trim_end_matches("---").trim();
    match items.is_empty() && !text.is_empty() {
        true => vec![text.to_owned()],
        false => items,
    }
}

/// The value of a line `- **Name**: value`, with either colon.
pub(super) fn labelled<'a>(text: &'a str, names: &[&str]) -> Option<&'a str> {
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

/// Words in a list, by commas of either kind.
pub(super) fn words(text: &str) -> Vec<String> {
    let words = text.split([',', '，', '、', ';', '；', '\n']);
    let words = words.map(|word| word.trim().trim_matches('`').trim().to_owned());
    words.filter(|word| !word.is_empty()).collect()
}
