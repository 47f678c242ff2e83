//! Phrases of a prompt, in English and Chinese, that change the topic or go on with it.

/// Phrases that change the topic: such a prompt wants no memories.
const TOPIC_CHANGE: &[&str] = &[
    "new topic",
    "change topic",
    "change the topic",
    "change of topic",
    "change the subject",
    "different topic",
    "unrelated question",
    "unrelated to this project",
    "off topic",
    "off-topic",
    "forget the previous",
    "ignore the previous context",
    "by the way,",
    "without any memory",
    "don't use memory",
    "do not use memory",
    "ignore my memories",
    "换个话题",
    "换一个话题",
    "新话题",
    "新问题",
    "另一个话题",
    "无关的问题",
    "顺便问一下",
    "题外话",
    "不要用记忆",
    "不用记忆",
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
/// Returns true where a prompt changes the topic, or says that it wants no memories.
pub fn changes_topic(prompt: &str) -> bool {
    let text = format!(" {} ", prompt.to_lowercase().replace('’', "'"));
    let mut phrases = TOPIC_CHANGE.iter();
    phrases.any(|phrase| find_phrase(&text, phrase).next().is_some())
}

/// Blanks the phrases that go on with earlier work, which say nothing about the prompt's subject.
pub fn without_continuation(prompt: &str) -> String {
    let mut text = prompt.to_owned();
    let mut longest_first = CONTINUATION.to_vec();
    longest_first.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    for phrase in longest_first {
        let lower = text.to_lowercase();
        // Offsets agree only where lower case has the same length.
        if lower.len() == text.len() {
            for at in find_phrase(&lower, phrase) {
                text.replace_range(at..at + phrase.len(), &" ".repeat(phrase.len()));
            }
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
    fn a_change_of_topic_is_found_in_english_and_chinese() {
        for prompt in ["New topic: what is a monad?", "换个话题，天气怎么样"] {
            assert!(changes_topic(prompt), "{prompt}");
        }
        for prompt in ["Do it as last time, in our repo", "按照我的风格继续写"] {
            assert!(!changes_topic(prompt), "{prompt}");
        }
    }

    #[test]
    fn phrases_that_go_on_are_blanked() {
        let blanked = without_continuation("As last time, fix the pool");
        assert_eq!(blanked.trim(), ", fix the pool");
    }
}
