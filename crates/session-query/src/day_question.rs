//! Questions about what was done in a range of time: the digest answers them, not a search.

use jiff::Zoned;
use session_config::{TimeRange, TypedRange};

/// Words of a question about what was done, besides the time.
const QUESTION_WORDS: &str = "\
accomplished all back been changed did do doing done during get happened have i in me my on our over show tell the until up us \
was we week were what what's worked working you";

/// Times that need no question before them.
const TIMES: [&str; 4] = ["today", "yesterday", "last week", "last month"];

/// Returns the time in a query that asks for nothing but what was done in it: `february 21` of "what did we do on february
/// 21?", as [`TimeRange`] reads it.
pub fn find_asked_time(query: &str, now: fn() -> Zoned) -> Option<String> {
    let query = query.trim().trim_end_matches(['?', '.', '!']);
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let is_question = words.first().is_some_and(|word| word.starts_with("what"));
    if !is_question {
        let query = words.join(" ");
        return TIMES.contains(&query.as_str()).then_some(query);
    }
    let is_question_word = |word: &&String| {
        QUESTION_WORDS
            .split_whitespace()
            .any(|known| known == word.as_str())
    };
    let question_words = words.iter().take_while(is_question_word).count();
    // `week` is a question word and part of a time: the longest time that can be read counts.
    let ends = (1..=question_words).map(|start| words.get(start..).unwrap_or_default().join(" "));
    let mut times = ends.filter(|end| !end.is_empty());
    times.find(|end| TimeRange::parse(TypedRange::Within(end), now).is_ok())
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
            ("yesterday", Some("yesterday")),
            ("march", None),
            ("what did we do on the parser yesterday", None),
            ("what did we do", None),
            ("what is new in the lantern of today", None),
            ("", None),
        ] {
            assert_eq!(find_asked_time(query, now).as_deref(), expected, "{query}");
        }
    }
}
