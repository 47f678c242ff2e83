//! Web addresses in prompts, and their short forms in titles.

use crate::text::is_unspaced;
use std::ops::Range;

const SCHEMES: [&str; 2] = ["https://", "http://"];

/// An opening with the web addresses that it begins with apart from its task.
pub(super) struct LeadingAddress<'t> {
    pub address: &'t str,
    pub task: &'t str,
}

impl<'t> LeadingAddress<'t> {
    /// Splits a line behind the addresses that it begins with.
    pub(super) fn split(line: &'t str) -> Self {
        let mut task = line;
        while let Some(found) = find_address(task).filter(|found| found.start == 0) {
            task = task.get(found.end..).unwrap_or_default();
            task = task.trim_start_matches(is_between);
        }
        let address = line.get(..line.len() - task.len()).unwrap_or_default();
        let address = address.trim_end_matches(is_between);
        Self { address, task }
    }
}

/// Returns true for a character that may stand between an address and the task.
fn is_between(c: char) -> bool {
    c.is_whitespace() || ":;,.-–—".contains(c)
}

/// Returns a line with each web address in its short form: `issues/12`.
pub(super) fn shorten_addresses(line: &str) -> String {
    let mut short = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(found) = find_address(rest) {
        let (before, after) = (rest.get(..found.start), rest.get(found.end..));
        short.push_str(before.unwrap_or_default());
        short.push_str(&short_form(rest.get(found).unwrap_or_default()));
        rest = after.unwrap_or_default();
    }
    short + rest
}

/// Finds the first web address in a text, without the punctuation behind it.
fn find_address(text: &str) -> Option<Range<usize>> {
    let starts = SCHEMES.iter().filter_map(|scheme| text.find(scheme));
    let start = starts.min()?;
    let address = text.get(start..)?;
    let ends = |c: char| c.is_whitespace() || "<>()[]{}\"'`|".contains(c) || is_unspaced(c);
    let address = address.split(ends).next()?;
    let address = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '*']);
    Some(start..start + address.len())
}

/// Returns the host and the path of an address.
fn path_of(address: &str) -> &str {
    let path = address.split_once("://").map_or(address, |(_, path)| path);
    let path = path.split(['?', '#']).next().unwrap_or(path);
    path.trim_end_matches('/')
}

/// Returns the last two segments of an address, of which the host is the first. What follows a number is left out:
/// `pull/91` of `pull/91/files`.
fn short_form(address: &str) -> String {
    let path = path_of(address);
    if path.is_empty() {
        return address.to_owned();
    }
    let segments: Vec<&str> = path.split('/').collect();
    let is_number = |segment: &str| segment.bytes().all(|b| b.is_ascii_digit());
    let end = match segments.as_slice() {
        [_, .., kind, number, _] if is_number(number) && !is_number(kind) => segments.len() - 1,
        all => all.len(),
    };
    let kept = segments.get(end.saturating_sub(2)..end);
    kept.unwrap_or_default().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_address_is_its_last_two_segments() {
        for (line, short) in [
            (
                "https://github.com/ann/harbour/issues/7340#issuecomment-508 find the cause",
                "issues/7340 find the cause",
            ),
            (
                "Review https://github.com/ann/harbour/pull/91/files, please",
                "Review pull/91, please",
            ),
            (
                "See (https://git.example/ann/harbour/-/merge_requests/12?tab=notes).",
                "See (merge_requests/12).",
            ),
            ("Read https://harbour.example/.", "Read harbour.example."),
            (
                "https://harbour.example/2026/01/oil says so",
                "01/oil says so",
            ),
            (
                "请看https://git.example/ann/harbour的说明",
                "请看ann/harbour的说明",
            ),
            (
                "The scheme https:// is missing",
                "The scheme https:// is missing",
            ),
            ("no address", "no address"),
        ] {
            assert_eq!(shorten_addresses(line), short);
        }
    }

    #[test]
    fn addresses_in_front_are_split_off() {
        for (line, address, task) in [
            (
                "https://a.example/1: oil it",
                "https://a.example/1",
                "oil it",
            ),
            (
                "https://a.example/1 http://b.example - oil it",
                "https://a.example/1 http://b.example",
                "oil it",
            ),
            ("https://a.example/1", "https://a.example/1", ""),
            ("oil https://a.example/1", "", "oil https://a.example/1"),
        ] {
            let split = LeadingAddress::split(line);
            assert_eq!((split.address, split.task), (address, task));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

        #[test]
        fn lines_do_not_grow_and_have_no_more_addresses_to_shorten(line in "(https?://|[a1/#?. 字é:]){0,12}") {
            let short = shorten_addresses(&line);
            prop_assert!(short.len() <= line.len());
            let split = LeadingAddress::split(&line);
            prop_assert!(line.starts_with(split.address) && line.ends_with(split.task));
        }
    }
}
