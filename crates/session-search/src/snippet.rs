//! The lines of a turn that show best why it was found.

use crate::folded_text::FoldedText;
use crate::passage::Passage;
use crate::snippet_words::SnippetWords;
use session_core::slash_command::is_bare_command;
use session_core::{TurnContent, prompt_content, text, without_agent_trailers};
use std::borrow::Cow;

/// Mark of omitted words, one character.
const CUT: char = '…';

/// Returns at most `limit` characters of a turn: the passage with most of the query's words, or else the beginning of the
/// prompt. Of passages with equally many words the first counts, in the order prompt, answer, commands, errors. Where the
/// prompt is a bare command or a mere yes, the answer is shown in its place.
pub(crate) fn find_snippet(content: &TurnContent, words: &SnippetWords, limit: usize) -> String {
    let is_uninformative =
        |prompt: &str| is_bare_command(prompt) || prompt_content::lacks_content(prompt);
    let prompt =
        Some(&content.prompt).filter(|p| !is_uninformative(p) || content.answer.is_empty());
    let prompt = prompt.map(Cow::from).into_iter();
    let texts: Vec<_> = prompt.chain(texts_below_prompt(content)).collect();
    let best = find_best_passage(&texts, words, limit);
    best.unwrap_or_else(|| first_beginning(&texts, limit))
}

/// Returns what [`find_snippet`] does, unless that only repeats the beginning of the prompt as the session's title: then
/// the best passage of the rest of the turn, or else the beginning of the answer.
pub(crate) fn find_snippet_beside_title(
    content: &TurnContent,
    words: &SnippetWords,
    title: &str,
    limit: usize,
) -> String {
    let snippet = find_snippet(content, words, limit);
    if !repeats_title(&snippet, title, words) {
        return snippet;
    }
    let texts: Vec<_> = texts_below_prompt(content).collect();
    let other = find_best_passage(&texts, words, limit);
    let other = other.unwrap_or_else(|| shorten(&content.answer, limit));
    if other.is_empty() || repeats_title(&other, title, words) {
        snippet
    } else {
        other
    }
}

fn texts_below_prompt(content: &TurnContent) -> impl Iterator<Item = Cow<'_, str>> {
    let answer = std::iter::once(Cow::from(&content.answer));
    let commands = content.commands.iter();
    let commands = commands.map(|command| without_agent_trailers(command));
    let errors = content.errors.iter().map(Cow::from);
    answer.chain(commands).chain(errors)
}

/// Returns the passage of some texts with most of the words, the first of several.
fn find_best_passage(texts: &[Cow<'_, str>], words: &SnippetWords, limit: usize) -> Option<String> {
    let passages = texts.iter();
    let passages = passages.filter_map(|text| Passage::find(text, words, limit));
    let best = passages.reduce(|first, next| {
        if next.words > first.words {
            next
        } else {
            first
        }
    })?;
    Some(if best.is_within_line {
        shorten(&format!("{CUT}{}", best.text.trim_start()), limit)
    } else {
        shorten(best.text, limit)
    })
}

/// Returns the beginning of the first text that is not blank.
fn first_beginning(texts: &[Cow<'_, str>], limit: usize) -> String {
    let mut heads = texts.iter().map(|text| shorten(text, limit));
    heads.find(|head| !head.is_empty()).unwrap_or_default()
}

/// Returns true for a snippet that is the beginning of a title, or begins with the title and has no word of the query
/// behind it.
fn repeats_title(snippet: &str, title: &str, words: &SnippetWords) -> bool {
    let title = text::collapse_whitespace(title);
    let title = title.trim_end_matches(CUT);
    let snippet = snippet.trim_end_matches(CUT).trim_start_matches(['#', ' ']);
    match snippet.strip_prefix(title) {
        Some(rest) => !title.is_empty() && words.find_in(&FoldedText::new(rest)).is_empty(),
        None => title.starts_with(snippet),
    }
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
    use crate::snippet_words::WordGap;
    use proptest::prelude::*;
    use session_core::Query;
    use unicode_width::UnicodeWidthStr;

    fn words(query: &str) -> SnippetWords {
        words_with(query, WordGap::AnySigns)
    }

    fn words_with(query: &str, gap: WordGap) -> SnippetWords {
        let terms = Query::new(query).terms;
        SnippetWords::new(terms.iter().map(|term| ([term.text.as_str()], gap)))
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
        let prompt = format!("\u{3000}{}\nthe gauge is here", "x".repeat(8 * 1024));
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
    fn a_phrase_is_shown_with_whatever_signs_between_its_words() {
        for phrase in [
            "copper\nkettle gasket",
            "**copper** kettle, gaskets",
            "copper-kettle/gasket",
            "copper kettle --gasket",
        ] {
            let content = TurnContent {
                prompt: format!(
                    "a copper pot stands here, a kettle there\n{}\nand {phrase} at the end",
                    "x ".repeat(90)
                ),
                ..TurnContent::default()
            };
            let snippet = find_snippet(&content, &words("\"copper kettle --gasket\""), 60);
            assert!(snippet.contains("at the end"), "{phrase}: {snippet}");
        }
    }

    #[test]
    fn words_in_a_row_are_not_those_of_a_name() {
        let content = TurnContent {
            prompt: format!(
                "The gradient of the test is flat.\n{}\ngit add gradient_test.go",
                "x ".repeat(90)
            ),
            ..TurnContent::default()
        };
        let snippet = |gap| find_snippet(&content, &words_with("\"gradient test\"", gap), 60);
        assert!(snippet(WordGap::AnySigns).contains("git add"));
        assert!(snippet(WordGap::WhiteSpace).starts_with("The gradient"));
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
    fn what_signs_a_commit_is_no_passage() {
        let commit = "git commit -m \"trim the wick\n\nCo-Authored-By: Claude Opus <noreply@anthropic.com>\"";
        let content = TurnContent {
            commands: vec![commit.into()],
            errors: vec!["error: no key of claude".into()],
            ..TurnContent::default()
        };
        check(&content, "claude", 200, "error: no key of claude");
        check(&content, "opus", 200, "git commit -m \"trim the wick \"");
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
    fn a_better_passage_far_behind_the_beginning_is_shown() {
        let content = TurnContent {
            prompt: "Wait for the worker and check the gateway.".into(),
            answer: format!(
                "{}The lighthouse gateway drops every seventh heartbeat packet.\nDone.",
                "I check the queue again — and wait for the worker.\n".repeat(200)
            ),
            ..TurnContent::default()
        };
        check(
            &content,
            "gateway drops every seventh heartbeat packet",
            70,
            "The lighthouse gateway drops every seventh heartbeat packet. Done.",
        );
    }

    #[test]
    fn words_match_whole_in_any_form_of_their_stem() {
        let of_lines = |lines: &[&str]| TurnContent {
            prompt: lines.join("\n"),
            ..TurnContent::default()
        };
        let other_words = of_lines(&[
            "The callback is possible, the portfolio page is done.",
            "The page makes fifty calls per second.",
            "The port is 8080.",
        ]);
        check(
            &other_words,
            "calls",
            60,
            "The page makes fifty calls per second. The port is 8080.",
        );
        check(
            &other_words,
            "calling",
            60,
            "The page makes fifty calls per second. The port is 8080.",
        );
        check(&other_words, "port", 20, "The port is 8080.");
        check(
            &other_words,
            "possibility",
            60,
            "The callback is possible, the portfolio page is done. The p…",
        );
        let forms = of_lines(&["An app applies it.", "The apps are happy, hoping to run."]);
        check(
            &forms,
            "happiness",
            40,
            "The apps are happy, hoping to run.",
        );
        check(&forms, "hope", 40, "The apps are happy, hoping to run.");
        check(
            &forms,
            "running hopes",
            40,
            "The apps are happy, hoping to run.",
        );
    }

    #[test]
    fn a_passage_that_only_repeats_the_title_gives_way() {
        let content = TurnContent {
            prompt: "# Light the lantern\nat the quay, the oil is in the shed.".into(),
            answer: "Done.\nThe lantern burns.".into(),
            ..TurnContent::default()
        };
        let check = |title: &str, query: &str, expected: &str| {
            let shown = find_snippet_beside_title(&content, &words(query), title, 200);
            assert_eq!(shown, expected, "{title}, {query}");
        };
        let prompt = "# Light the lantern at the quay, the oil is in the shed.";
        check("Light the lantern at the…", "lantern", "The lantern burns.");
        check("Light the lantern at the…", "lantern oil", prompt);
        check(
            "Light the lantern at the…",
            "light",
            "Done. The lantern burns.",
        );
        check(&prompt[2..], "lantern oil", "The lantern burns.");
        check("Mend the lock", "lantern", prompt);
        check("", "lantern", prompt);
        let unanswered = TurnContent {
            answer: String::new(),
            ..content.clone()
        };
        let shown = find_snippet_beside_title(&unanswered, &words("light"), prompt, 200);
        assert_eq!(shown, prompt);
    }

    #[test]
    fn a_part_of_a_name_in_camel_case_matches() {
        for (line, query) in [
            ("wait for oilLanternWick", "lanterns"),
            ("wait for HTTPLantern", "lantern"),
            ("Größe: oilLanternWick", "lantern"),
            ("使用lantern吧", "lantern"),
        ] {
            let content = TurnContent {
                prompt: format!("Lanternfish swim.\n{line}"),
                ..TurnContent::default()
            };
            check(&content, query, 40, line);
        }
    }

    #[test]
    fn of_a_long_line_the_part_with_most_words_is_shown() {
        let gap = "so it goes on, ".repeat(7);
        let content = TurnContent {
            prompt: format!(
                "{}alpha {gap}bravo {gap}charlie delta{}",
                "x ".repeat(150),
                " y".repeat(200)
            ),
            ..TurnContent::default()
        };
        let shown = find_snippet(&content, &words("alpha bravo charlie delta"), 200);
        assert!(shown.contains("bravo"), "{shown}");
        assert!(shown.contains("charlie delta"), "{shown}");
    }

    #[test]
    fn a_wide_line_begins_near_its_match() {
        let content = TurnContent {
            prompt: format!("{}数据库连接池耗尽", "前面的文字很多".repeat(20)),
            ..TurnContent::default()
        };
        let shown = find_snippet(&content, &words("数据库连接池"), 200);
        assert!(shown.ends_with("数据库连接池耗尽"), "{shown}");
        assert!(shown.width() <= 160, "two lines of a terminal: {shown}");
    }

    #[test]
    fn a_match_at_the_end_of_a_long_line_is_shown_with_what_is_before_it() {
        let content = TurnContent {
            answer: format!("{}ends at the gauge.", "It goes on and on. ".repeat(12)),
            ..TurnContent::default()
        };
        let shown = find_snippet(&content, &words("gauge"), 200);
        assert!(shown.starts_with('…'), "{shown}");
        assert!(shown.ends_with("on. ends at the gauge."), "{shown}");
        assert!(shown.chars().count() > 160, "{shown}");
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

        #[test]
        fn of_a_long_line_as_much_is_shown_as_there_is_room_for(
            before in "([a-c]{1,9} ){1,80}",
            after in "( [a-c]{1,9}){0,80}",
            limit in 40usize..240,
        ) {
            let prompt = format!("{before}gauge{after}");
            let least = prompt.len().min(limit - limit.div_ceil(16).max(2) - " abcabcabc ".len());
            let content = TurnContent { prompt, ..TurnContent::default() };
            let shown = find_snippet(&content, &words("gauge"), limit);
            prop_assert!(shown.contains("gauge"), "{shown}");
            prop_assert!(shown.chars().count() >= least, "{least} {}: {shown}", shown.chars().count());
        }
    }
}
