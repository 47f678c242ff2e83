//! A time at the end of a query that names a subject, too: `docker bug yesterday`. Its words are searched as they stand,
//! and a filter of time is what the user is told of.

use jiff::Zoned;
use session_config::{TimeRange, TypedRange};

/// Filters that leave what lies within a time.
const WITHIN: &[&str] = &["since", "until"];
const SINCE: &[&str] = &["since"];
const UNTIL: &[&str] = &["until"];

/// Words before a time, and the filters that say the same.
const PREPOSITIONS: [(&str, &[&str]); 10] = [
    ("after", SINCE),
    ("before", UNTIL),
    ("by", UNTIL),
    ("during", WITHIN),
    ("from", WITHIN),
    ("in", WITHIN),
    ("of", WITHIN),
    ("on", WITHIN),
    ("since", SINCE),
    ("until", UNTIL),
];

/// First words of times that need no preposition.
const PLAIN_BEGINNINGS: [&str; 4] = ["last", "this", "today", "yesterday"];

/// Most words of such a time: `3 weeks ago`, `february 21 2026`.
const MAX_TIME_WORDS: usize = 3;

/// Says that the time at the end of a query is searched as text, and which filters keep to it; `None` where a query has no
/// subject beside a time, or no time.
pub fn note_time_in_words(query: &str, now: fn() -> Zoned) -> Option<String> {
    let filters = find_time_in_words(query, now)?;
    Some(format!(
        "the time is searched as text; `{filters}` in its place keeps to it"
    ))
}

/// Returns filters that leave what lies within a time: `since:yesterday until:yesterday`.
pub fn format_time_filters(time: &str) -> String {
    format_filters(WITHIN, time)
}

fn format_filters(fields: &[&str], time: &str) -> String {
    let quote = if time.contains(' ') { "\"" } else { "" };
    let filters = fields.iter();
    let filters = filters.map(|field| format!("{field}:{quote}{time}{quote}"));
    filters.collect::<Vec<_>>().join(" ")
}

/// Returns the filters that say the same as the time at the end of a query: `since:september until:september` of `refactor
/// in september`. The longest end that is a time counts.
fn find_time_in_words(query: &str, now: fn() -> Zoned) -> Option<String> {
    let query = query.trim().trim_end_matches(['?', '.', '!']);
    if query.contains(['"', ':']) {
        return None;
    }
    let words: Vec<&str> = query.split_whitespace().collect();
    let lengths = (1..=MAX_TIME_WORDS).rev();
    let starts = lengths.filter_map(|length| words.len().checked_sub(length));
    let mut ends = starts.map(|start| words.split_at(start));
    ends.find_map(|(before, time)| find_time_behind(before, time, now))
}

fn find_time_behind(before: &[&str], time: &[&str], now: fn() -> Zoned) -> Option<String> {
    let fields = find_fields(before.last()?, time)?;
    let has_subject = before.iter().any(|word| !is_before_a_time(word));
    let time = time.join(" ").to_lowercase();
    // A number alone, and `3m`, are seldom times in a sentence.
    let is_named = time.contains('-') || time.split(' ').any(is_word);
    let is_time = || TimeRange::parse(TypedRange::Within(&time), now).is_ok();
    (has_subject && is_named && is_time()).then(|| format_filters(fields, &time))
}

/// Returns the filters that say what a time means behind a word. A while ago is a moment, from which all counts.
fn find_fields(before: &str, time: &[&str]) -> Option<&'static [&'static str]> {
    if time.last()?.eq_ignore_ascii_case("ago") {
        return Some(SINCE);
    }
    let first = time.first()?.to_lowercase();
    let is_plain = PLAIN_BEGINNINGS.contains(&first.as_str());
    find_preposition(before).or(is_plain.then_some(WITHIN))
}

fn find_preposition(word: &str) -> Option<&'static [&'static str]> {
    let known = |(name, _): &&(&str, _)| word.eq_ignore_ascii_case(name);
    Some(PREPOSITIONS.iter().find(known)?.1)
}

/// Returns true for a word that leads to a time and is no subject.
fn is_before_a_time(word: &str) -> bool {
    word.eq_ignore_ascii_case("the") || find_preposition(word).is_some()
}

fn is_word(text: &str) -> bool {
    text.len() >= 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_at_the_end_becomes_filters() {
        let now = || "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        for (query, expected) in [
            (
                "docker bug yesterday",
                Some("since:yesterday until:yesterday"),
            ),
            (
                "refactor in September?",
                Some("since:september until:september"),
            ),
            (
                "the migration from last tuesday",
                Some("since:\"last tuesday\" until:\"last tuesday\""),
            ),
            (
                "what did we fix in the parser 3 weeks ago",
                Some("since:\"3 weeks ago\""),
            ),
            (
                "lamp wiring since february 21",
                Some("since:\"february 21\""),
            ),
            (
                "lamp wiring in the last week",
                Some("since:\"last week\" until:\"last week\""),
            ),
            ("lamp before 2026-01-05", Some("until:2026-01-05")),
            ("may fix", None),
            ("fix may", None),
            ("yesterday", None),
            ("in march", None),
            ("from the last week", None),
            ("the build fails in 3m", None),
            ("lamp in 7", None),
            ("cron on every monday morning", None),
            ("\"the release of yesterday\"", None),
            ("lamp since:2026-01-01 of march", None),
            ("", None),
        ] {
            assert_eq!(
                find_time_in_words(query, now).as_deref(),
                expected,
                "{query}"
            );
        }
    }
}
