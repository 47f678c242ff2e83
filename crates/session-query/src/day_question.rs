//! Questions about what was done in a range of time: the digest answers them, not a search.

use jiff::Zoned;
use session_report::{TimeRange, TypedRange};

/// Words of a question about what was done, besides the time.
const QUESTION_WORDS: &str = "\
a accomplished achieved all at back been build built by change changed changes complete completed did do does doing done \
during finish finished fix fixed for from get got had happened has have i in made make me my of on our over ship shipped \
show so tell the things to until up us was we week were what what's which work worked working you";

/// Times that need no question before them.
const TIMES: [&str; 4] = ["today", "yesterday", "last week", "last month"];

/// Most words of such a question.
const MAX_WORDS: usize = 16;

/// Returns the time in a query that only asks what was done at that time, as [`TimeRange`] reads it: `february 21` of "what
/// did we do on february 21?".
pub(crate) fn find_time_of_question(query: &str, now: fn() -> Zoned) -> Option<String> {
    let query = query.trim().trim_end_matches(['?', '.', '!']);
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let is_question = words.first().is_some_and(|word| word.starts_with("what"));
    if !is_question {
        let query = words.join(" ");
        return TIMES.contains(&query.as_str()).then_some(query);
    }
    if words.len() > MAX_WORDS {
        return None;
    }
    // `week` is a question word and part of a time: the longest time that can be read counts.
    let lengths = (1..words.len()).rev();
    let mut spans = lengths.flat_map(|length| words.windows(length).enumerate());
    spans.find_map(|(start, time)| {
        let (before, after) = (&words[..start], &words[start + time.len()..]);
        let mut others = before.iter().chain(after);
        let time = time.join(" ");
        let is_time = || parse_bare_time(&time, now).is_some();
        (others.all(|word| is_question_word(word)) && is_time()).then_some(time)
    })
}

/// Parses a time without the word that may lead to it: `june` of `in june`.
pub(crate) fn parse_bare_time(text: &str, now: fn() -> Zoned) -> Option<TimeRange> {
    let is_bare = !["in ", "the "].iter().any(|lead| text.starts_with(lead));
    let parse = || TimeRange::parse(TypedRange::Within(text), now).ok();
    is_bare.then(parse).flatten()
}

fn is_question_word(word: &str) -> bool {
    QUESTION_WORDS.split_whitespace().any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_a_time_alone_names_it() {
        let now = || "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        for (query, expected) in [
            ("what did we do on february 21", Some("february 21")),
            ("What happened last week?", Some("last week")),
            ("what was I working on 2026-03-02", Some("2026-03-02")),
            ("what did we do this week", Some("this week")),
            ("what did I work on last week", Some("last week")),
            ("what have I worked on yesterday", Some("yesterday")),
            ("what did we change in July", Some("july")),
            ("what was yesterday fixed by me", Some("yesterday")),
            ("what did we fix in the parser in july", None),
            ("yesterday", Some("yesterday")),
            ("march", None),
            ("what did we do on the parser yesterday", None),
            ("what did we do", None),
            ("what is new in the lantern of today", None),
            ("", None),
        ] {
            assert_eq!(
                find_time_of_question(query, now).as_deref(),
                expected,
                "{query}"
            );
        }
    }
}
