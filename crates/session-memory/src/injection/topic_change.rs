//! Phrases of a prompt, in English and Chinese, that change the topic, go on with it, or want no memories.

/// Phrases that want no memories, wherever they stand.
const OPT_OUT_PHRASES: &[&str] = &[
    "without any memory",
    "don't use memory",
    "do not use memory",
    "ignore my memories",
    "不要用记忆",
    "不用记忆",
];
/// Words that may follow such a phrase.
const OPT_OUT_ENDINGS: &[&str] = &[
    "and", "at", "for", "from", "here", "in", "now", "on", "please", "this", "to", "today", "when",
    "while", "with",
];
/// Phrases that change the topic where a prompt begins with them.
const TOPIC_CHANGES: &[&str] = &[
    "unrelated question",
    "unrelated to this project",
    "forget the previous",
    "ignore the previous context",
    "by the way,",
    "换个话题",
    "换一个话题",
    "换个问题",
    "换一个问题",
    "问个无关的问题",
    "问一个无关的问题",
    "顺便问一下",
    "题外话",
    "新问题:",
    "新问题：",
];
/// Phrases that count only before punctuation or the end: a new topic may be one of Kafka's.
const TOPIC_HEADINGS: &[&str] = &[
    "new topic",
    "change topic",
    "change the topic",
    "change of topic",
    "change the subject",
    "different topic",
    "off topic",
    "off-topic",
    "新话题",
    "另一个话题",
    "无关的问题",
];
/// Words that may stand before such a phrase.
const LEAD_INS: &[&str] = &[
    "ok",
    "okay",
    "so",
    "now",
    "well",
    "alright",
    "great",
    "perfect",
    "thanks",
    "thank you",
    "hi",
    "hello",
    "hey",
    "please",
    "and",
    "but",
    "oh",
    "sorry",
    "let's",
    "let us",
    "can we",
    "could we",
    "i have",
    "i've got",
    "i want to",
    "this is",
    "here is",
    "here's",
    "on to",
    "a",
    "an",
    "one",
    "just",
    "quick",
    "completely",
    "totally",
    "entirely",
    "好的",
    "好",
    "那么",
    "那",
    "嗯",
    "谢谢",
    "我们",
    "现在",
    "请",
    "我有",
    "我想",
    "先",
    "再",
];
/// Marks that end a heading.
const HEADING_ENDS: &[char] = &[
    ':', '：', ',', '，', '.', '。', ';', '；', '!', '！', '?', '？', '–', '—', '\n', '\r',
];

/// Phrases that go on with earlier work.
const CONTINUATION: &[&str] = &[
    "as last time",
    "like last time",
    "last time",
    "as before",
    "as we discussed",
    "we discussed",
    "we agreed",
    "we decided",
    "we settled",
    "continue with",
    "continue the",
    "pick up where",
    "you mentioned",
    "as i said",
    "remember when",
    "do you remember",
    "remind me",
    "previously",
    "yesterday",
    "what did we",
    "did we",
    "earlier we",
    "继续",
    "接着",
    "上次",
    "之前",
    "昨天",
    "刚才",
    "我们讨论过",
    "你记得",
    "还记得",
    "提到过",
    "说过",
    "照旧",
];

/// Returns true if a prompt says anywhere that it wants no memories.
pub(crate) fn opts_out_of_memories(prompt: &str) -> bool {
    let text = fold_prompt(prompt);
    let opts_out = |phrase: &&str| {
        let mut found = find_phrase(&text, phrase).map(|at| &text[at + phrase.len()..]);
        found.any(|rest| !phrase.is_ascii() || ends_opt_out(rest))
    };
    OPT_OUT_PHRASES.iter().any(opts_out)
}

/// Returns true if a prompt begins with a change of the topic.
pub(crate) fn changes_topic(prompt: &str) -> bool {
    begins_with_topic_change(skip_lead_in(&fold_prompt(prompt)))
}

/// Returns a prompt in lower case, with plain apostrophes.
fn fold_prompt(prompt: &str) -> String {
    prompt.to_lowercase().replace('’', "'")
}

fn begins_with_topic_change(text: &str) -> bool {
    let mut headings = TOPIC_HEADINGS.iter();
    TOPIC_CHANGES.iter().any(|phrase| text.starts_with(phrase))
        || headings.any(|phrase| text.strip_prefix(phrase).is_some_and(ends_heading))
}

/// Returns true if memories of a session are meant before this text: not `memory-mapped files`, nor `memory limits`.
fn ends_opt_out(rest: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let word = rest.trim_start_matches(' ');
    let end = word.find(|c| !is_word(c)).unwrap_or(word.len());
    ends_heading(rest) || (rest.starts_with(' ') && OPT_OUT_ENDINGS.contains(&&word[..end]))
}

/// Returns true if a heading ends before this text.
fn ends_heading(rest: &str) -> bool {
    let rest = rest.trim_start_matches(' ');
    rest.is_empty() || rest.starts_with(HEADING_ENDS) || rest.starts_with("- ")
}

/// Returns a text from the first word on that is no [lead-in](LEAD_INS).
fn skip_lead_in(text: &str) -> &str {
    let is_gap = |c: char| !c.is_alphanumeric();
    let mut rest = text.trim_start_matches(is_gap);
    while let Some(after) = LEAD_INS.iter().find_map(|word| strip_word(rest, word)) {
        rest = after.trim_start_matches(is_gap);
    }
    rest
}

fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?;
    let goes_on = word.is_ascii() && rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'');
    (!goes_on).then_some(rest)
}

/// Blanks the phrases that go on with earlier work, which say nothing about the prompt's subject.
pub(crate) fn blank_continuations(prompt: &str) -> String {
    let mut text = prompt.to_owned();
    let mut longest_first = CONTINUATION.to_vec();
    longest_first.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    for phrase in longest_first {
        // Letters beyond ASCII may be longer or shorter in lower case; no phrase has one that has two cases.
        let lower = text.to_ascii_lowercase();
        for at in find_phrase(&lower, phrase) {
            text.replace_range(at..at + phrase.len(), &" ".repeat(phrase.len()));
        }
    }
    text
}

/// Finds the offsets of a phrase that does not begin within an ASCII word.
fn find_phrase<'t>(text: &'t str, phrase: &'t str) -> impl Iterator<Item = usize> {
    let is_ascii = phrase.starts_with(|c: char| c.is_ascii());
    let found = text.match_indices(phrase).map(|(at, _)| at);
    found.filter(move |at| {
        let before = text[..*at].chars().next_back();
        !is_ascii || !before.is_some_and(|c| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_topic_and_an_opt_out_are_found_in_english_and_chinese() {
        for prompt in [
            "New topic: what is a monad?",
            "Ok, thanks. Let's change the topic! What is a monad?",
            "new topic\nwhat is a monad?",
            "By the way, what is a monad?",
            "I have an unrelated question about monads",
            "换个话题，天气怎么样",
            "好的，我们换个话题吧",
            "新问题：天气怎么样",
        ] {
            assert!(changes_topic(prompt), "{prompt}");
        }
        for prompt in [
            "What is a monad? Don’t use memory.",
            "Do not use memory for this one",
            "不要用记忆，什么是单子",
        ] {
            assert!(opts_out_of_memories(prompt), "{prompt}");
        }
    }

    #[test]
    fn a_topic_or_a_problem_that_is_spoken_about_changes_nothing() {
        for prompt in [
            "Do it as last time, in our repo",
            "Requests time out, do not use memory-mapped files",
            "The workers do not use memory limits",
            "Create a new topic orders in kafka",
            "New topic orders-v2 has no consumers",
            "a new topic-level ACL is refused",
            "The consumer died: error on a new topic: no leader",
            "Change the subject line of the mail",
            "按照我的风格继续写",
            "发现了一个新问题",
            "部署之后出现新问题：连接池超时",
        ] {
            assert!(!changes_topic(prompt), "{prompt}");
            assert!(!opts_out_of_memories(prompt), "{prompt}");
        }
    }

    #[test]
    fn phrases_that_go_on_are_blanked() {
        let blanked = blank_continuations("As last time, fix the pool");
        assert_eq!(blanked.trim(), ", fix the pool");
        let blanked = blank_continuations("İ日last time日 İ \u{212A} LAST TIME");
        assert_eq!(blanked, "İ日         日 İ \u{212A}          ");
    }
}
