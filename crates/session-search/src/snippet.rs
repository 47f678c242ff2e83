//! The lines of a turn that show best why it was found.

use crate::snippet_words::{SnippetWords, WordMatch};
use session_core::slash_command::is_bare_command;
use session_core::text::{FilteredChar, fold_word, folded_chars};
use session_core::{TurnContent, noise, text};
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// Bytes of a text in which the best passage is looked for. Where no text has one there, the first behind them is shown.
const SEARCHED_BYTES: usize = 8 * 1024;
/// Mark of omitted words, one character.
const CUT: char = '…';

/// Returns at most `limit` characters of a turn: the passage with most of the query's words, or else the beginning of the
/// prompt. Of passages with equally many words the first counts, in the order prompt, answer, commands, errors. Where the
/// prompt is a bare command or a mere yes, the answer is shown in its place.
pub(crate) fn find_snippet(content: &TurnContent, words: &SnippetWords, limit: usize) -> String {
    let is_uninformative = |prompt: &str| is_bare_command(prompt) || noise::is_noise(prompt);
    let prompt =
        Some(&content.prompt).filter(|p| !is_uninformative(p) || content.answer.is_empty());
    let typed_and_answered = prompt.into_iter().chain([&content.answer]);
    let texts = typed_and_answered
        .chain(&content.commands)
        .chain(&content.errors);
    let best = texts
        .clone()
        .filter_map(|text| find_best_passage(text, words, limit))
        .reduce(|first, next| {
            if next.words > first.words {
                next
            } else {
                first
            }
        });
    let best = best.or_else(|| {
        let mut texts = texts.clone();
        texts.find_map(|text| find_late_passage(text, words, limit))
    });
    match best {
        Some(best) if best.is_within_line => {
            shorten(&format!("{CUT}{}", best.text.trim_start()), limit)
        }
        Some(best) => shorten(best.text, limit),
        None => texts
            .map(|text| shorten(text, limit))
            .find(|head| !head.is_empty())
            .unwrap_or_default(),
    }
}

/// A part of a text that holds words of the query.
struct Passage<'a> {
    text: &'a str,
    /// Number of different words of the query in what is shown of it.
    words: usize,
    /// Whether its line begins before it.
    is_within_line: bool,
}

/// The beginning of a passage: byte offsets in a folded text.
#[derive(Clone, Copy, Default)]
struct PassageStart {
    offset: usize,
    /// The beginning of its line.
    line: usize,
}

/// Returns the matches that begin at or after `from`.
fn matches_from(matches: &[WordMatch], from: usize) -> &[WordMatch] {
    let before = matches.partition_point(|matched| matched.start < from);
    matches.get(before..).unwrap_or_default()
}

/// Counts the different words that match within a range of the text.
fn count_words(matches: &[WordMatch], range: Range<usize>) -> usize {
    let within = matches_from(matches, range.start)
        .iter()
        .take_while(|matched| matched.start < range.end)
        .filter(|matched| matched.end <= range.end);
    let mut words: Vec<usize> = within.map(|matched| matched.word).collect();
    words.sort_unstable();
    words.dedup();
    words.len()
}

/// Returns the passage of a text with most of the words, if it has any of them.
fn find_best_passage<'a>(text: &'a str, words: &SnippetWords, limit: usize) -> Option<Passage<'a>> {
    let text = text::clip(text, SEARCHED_BYTES);
    let folded = fold_word(text);
    let matches = words.find_in(&folded);
    let (mut most_words, mut best) = (0, PassageStart::default());
    for start in find_passage_starts(&folded, &matches, limit) {
        let shown = text::clip(folded.get(start.offset..)?, limit);
        let words = count_words(&matches, start.offset..start.offset + shown.len());
        if words > most_words {
            (most_words, best) = (words, start);
        }
    }
    (most_words > 0).then_some(Passage {
        text: text.get(unfold_offset(text, best.offset)..)?,
        words: most_words,
        is_within_line: best.offset > best.line,
    })
}

/// Returns the first passage of a text behind its beginning that has a word of the query.
fn find_late_passage<'a>(text: &'a str, words: &SnippetWords, limit: usize) -> Option<Passage<'a>> {
    let mut rest = text;
    let parts = std::iter::from_fn(|| {
        let part = text::clip(rest, SEARCHED_BYTES);
        // Not within a line, whose words stand together, nor within a word.
        let end = match part.len() == rest.len() {
            true => part.len(),
            false => part.rfind(char::is_whitespace).unwrap_or(part.len()),
        };
        let least = rest.chars().next().map_or(0, char::len_utf8);
        rest = rest.get(end.max(least)..)?;
        (!rest.is_empty()).then_some(rest)
    });
    Iterator::find_map(&mut { parts }, |part| find_best_passage(part, words, limit))
}

/// Returns where passages may begin: at a line with words of the query; in a line that is longer than `limit`, a little
/// before such a word.
fn find_passage_starts(folded: &str, matches: &[WordMatch], limit: usize) -> Vec<PassageStart> {
    let mut starts = Vec::new();
    let mut from = 0;
    while let Some(matched) = matches_from(matches, from).first() {
        let line = folded.get(..matched.start).and_then(|t| t.rfind('\n'));
        let line = line.map_or(0, |end| end + 1);
        let end = folded.get(matched.start..).and_then(|t| t.find('\n'));
        let end = end.map_or(folded.len(), |length| matched.start + length + 1);
        let text = folded.get(line..end).unwrap_or_default();
        // A wide character takes two columns of a terminal, which shows some two lines.
        if text.width() <= limit {
            starts.push(PassageStart { offset: line, line });
        } else {
            let within = find_passage_starts_within(text, line, matches, limit);
            starts.extend(within.map(|offset| PassageStart { offset, line }));
        }
        from = end;
    }
    starts
}

/// Returns the offsets in a long line from which words of the query are shown, far
/// enough from each other to show something else.
fn find_passage_starts_within<'a>(
    text: &'a str,
    line: usize,
    matches: &'a [WordMatch],
    limit: usize,
) -> impl Iterator<Item = usize> + 'a {
    // More than a character, so that each step is one forward.
    let step = (limit / 2).max(char::MAX.len_utf8());
    let mut from = line;
    std::iter::from_fn(move || {
        let matched = matches_from(matches, from).first()?;
        from = matched.start + step;
        let at = matched.start - line;
        (at < text.len()).then(|| line + find_word_start(text, at, limit))
    })
}

/// Returns the beginning of a word some bytes before `at`: a quarter of `limit`, or up
/// to half of it to the beginning of a path. `at` where there is none.
fn find_word_start(line: &str, at: usize, limit: usize) -> usize {
    let back = |bytes: usize| text::clip(line, at.saturating_sub(bytes)).len();
    let (far, near) = (back(limit / 2), back(limit / 4));
    let space = char::is_whitespace;
    match (line.get(far..near), line.get(near..at)) {
        _ if near == 0 => 0,
        (_, Some(close)) if close.contains(space) => near + close.find(space).unwrap_or_default(),
        (Some(before), _) => before.rfind(space).map_or(at, |space| far + space),
        _ => at,
    }
}

/// Returns the offset in a text of the character that is at `at` when it is folded:
/// letters may change their length.
fn unfold_offset(text: &str, at: usize) -> usize {
    let mut end = 0;
    let reaches = |folded: &FilteredChar| {
        end += folded.c.len_utf8();
        end > at
    };
    let found = folded_chars(text).find(reaches);
    found.map_or(text.len(), |folded| folded.start)
}

/// Returns a text on one line of at most `limit` characters, with [`CUT`] where its end is cut off.
fn shorten(text: &str, limit: usize) -> String {
    let line = text::collapse_whitespace(text);
    let Some((end, _)) = line.char_indices().nth(limit) else {
        return line;
    };
    let head = text::clip(&line, end);
    let cut: String = head.chars().take(limit.saturating_sub(1)).collect();
    format!("{}{CUT}", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use session_core::Query;

    fn words(query: &str) -> SnippetWords {
        let terms = Query::new(query).terms;
        SnippetWords::new(terms.iter().map(|term| [term.text.as_str()].into_iter()))
    }

    fn check(content: &TurnContent, query: &str, limit: usize, expected: &str) {
        assert_eq!(
            find_snippet(content, &words(query), limit),
            expected,
            "{query}"
        );
    }

    #[test]
    fn a_word_of_another_alphabet_is_not_found_within_words() {
        let content = TurnContent {
            prompt: "Этот декодер меняет перекодировку всего текста.\nЗдесь код выхода равен двум."
                .into(),
            ..TurnContent::default()
        };
        check(&content, "код", 60, "Здесь код выхода равен двум.");
    }

    #[test]
    fn a_wide_space_at_the_beginning_of_a_part_ends_no_search() {
        let prompt = format!("\u{3000}{}\nthe gauge is here", "x".repeat(SEARCHED_BYTES));
        let content = TurnContent {
            prompt,
            ..TurnContent::default()
        };
        check(&content, "gauge", 60, "the gauge is here");
    }

    #[test]
    fn the_best_line_is_shown() {
        let content = TurnContent {
            prompt: "Hello there, this is a question about containers.\nThe backend network does not resolve.".into(),
            answer: "Use the service name.".into(),
            ..TurnContent::default()
        };
        check(
            &content,
            "network resolve",
            200,
            "The backend network does not resolve.",
        );
        check(&content, "service", 200, "Use the service name.");
        check(&content, "nothing of it", 20, "Hello there, this i…");
        check(&content, "network", 20, "…network does not r…");
    }

    #[test]
    fn of_equals_the_conversation_goes_before_commands() {
        let content = TurnContent {
            prompt: "Why is the build slow?\nMeasure the linker.".into(),
            answer: "The linker is slow; mold is faster.".into(),
            commands: vec!["time cargo build --linker slow".into()],
            errors: vec!["error: ldb: no such linker, build stopped".into()],
            ..TurnContent::default()
        };
        check(
            &content,
            "slow linker",
            200,
            "Why is the build slow? Measure the linker.",
        );
        check(&content, "mold", 200, "The linker is slow; mold is faster.");
        check(&content, "cargo", 200, "time cargo build --linker slow");
        // Neither within `faster` nor within `build`.
        check(
            &content,
            "ster uild ldb",
            200,
            "error: ldb: no such linker, build stopped",
        );
    }

    #[test]
    fn the_answer_speaks_for_a_bare_command_or_a_mere_yes() {
        for prompt in ["/compact", "/plugin ", "yes, go on"] {
            let mut content = TurnContent {
                prompt: prompt.into(),
                answer: "The talk was summed up.".into(),
                ..TurnContent::default()
            };
            check(&content, "compact plugin", 200, "The talk was summed up.");
            check(&content, "harbour", 200, "The talk was summed up.");
            content.answer.clear();
            check(&content, "harbour", 200, prompt.trim());
        }
        let silent = TurnContent {
            commands: vec!["make  all".into()],
            ..TurnContent::default()
        };
        check(&silent, "harbour", 200, "make all");
        check(&TurnContent::default(), "harbour", 200, "");
    }

    #[test]
    fn a_long_line_is_shown_from_the_beginning_of_a_word() {
        let content = TurnContent {
            prompt: format!(
                "{} @src/harbour/lantern.rs needs oil {}",
                "so ".repeat(90),
                "yes ".repeat(90)
            ),
            ..TurnContent::default()
        };
        check(
            &content,
            "lantern oil",
            40,
            "…@src/harbour/lantern.rs needs oil yes…",
        );
    }

    #[test]
    fn letters_that_change_their_length_do_not_shift_the_cut() {
        let content = TurnContent {
            prompt: format!("{}lantern on the {}", "İ ".repeat(40), "quay ".repeat(40)),
            ..TurnContent::default()
        };
        check(&content, "LANTERN", 24, "…İ İ lantern on the qua…");
    }

    #[test]
    fn a_word_is_found_in_its_other_forms_and_without_its_accents() {
        let content = TurnContent {
            prompt: "Seit gestern ist es so.\nDie Größe der Verbindungen, die große Zahl.".into(),
            answer: "The migration failed.".into(),
            ..TurnContent::default()
        };
        check(&content, "migrations failing", 200, "The migration failed.");
        check(
            &content,
            "GROSSE",
            200,
            "Die Größe der Verbindungen, die große Zahl.",
        );
    }

    #[test]
    fn a_match_far_behind_the_beginning_is_shown() {
        let content = TurnContent {
            prompt: "Mend the lock.".into(),
            answer: format!("{}the lantern burns\nquietly", "It turns.\n".repeat(2_000)),
            ..TurnContent::default()
        };
        check(&content, "lantern", 25, "the lantern burns quietly");
        check(&content, "harbour", 25, "Mend the lock.");
        let wide = TurnContent {
            answer: format!("{} lantern", "字".repeat(9_000)),
            ..content
        };
        assert!(find_snippet(&wide, &words("lantern"), 20).ends_with("lantern"));
    }

    #[test]
    fn a_wide_line_begins_near_its_match() {
        let content = TurnContent {
            prompt: format!("{}数据库连接池耗尽", "前面的文字很多".repeat(20)),
            ..TurnContent::default()
        };
        let shown = find_snippet(&content, &words("数据库连接池"), 200);
        let before = shown.split("数据库").next().unwrap_or_default();
        assert!(before.width() < 80, "{shown}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

        #[test]
        fn any_text_gives_at_most_the_limit(
            prompt in "([a-cİßΣ字👨\u{200d}/ \n]{0,60}|\\PC{0,80})",
            answer in any::<String>(),
            command in "[a-c /\n]{0,40}",
            query in "([a-cİßΣς字/ \"]{0,8}|\\PC{0,8})",
            limit in 1usize..60,
        ) {
            let content = TurnContent { prompt, answer, commands: vec![command], ..TurnContent::default() };
            let shown = find_snippet(&content, &words(&query), limit);
            prop_assert!(shown.chars().count() <= limit, "{:?}", shown);
            prop_assert!(!shown.contains('\n'));
        }
    }
}
