//! Signals: phrases of a prompt, in English and Chinese, that say whether memories are wanted.

use serde::Serialize;

/// A signal in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    /// The prompt changes the topic, and wants no memories.
    Exclusion,
    /// The prompt goes on with earlier work.
    Continuation,
    /// The prompt refers to the user's preferences.
    Preference,
    /// The prompt refers to this project.
    Project,
}

const EXCLUSION: &[&str] = &[
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
const PREFERENCE: &[&str] = &[
    "my style",
    "my preference",
    "my usual",
    "as i like",
    "the way i like",
    "i prefer",
    "i usually",
    "my conventions",
    "our conventions",
    "our style",
    "我的风格",
    "我的习惯",
    "我习惯",
    "我喜欢",
    "我偏好",
    "我通常",
    "我一般",
    "我的偏好",
    "老规矩",
];
const PROJECT: &[&str] = &[
    "this project",
    "our project",
    "our codebase",
    "our code base",
    "this repo",
    "our repo",
    "our ",
    "this codebase",
    "in our",
    "这个项目",
    "本项目",
    "我们的",
    "当前项目",
    "咱们",
    "项目里",
    "项目中",
    "代码库",
    "我们项目",
    "仓库里",
];

/// Finds the signals in a prompt.
pub fn find_signals(prompt: &str) -> Vec<Signal> {
    let text = format!(" {} ", prompt.to_lowercase().replace('’', "'"));
    let lists = [
        (Signal::Exclusion, EXCLUSION),
        (Signal::Continuation, CONTINUATION),
        (Signal::Preference, PREFERENCE),
        (Signal::Project, PROJECT),
    ];
    let has_any = |phrases: &[&str]| {
        let mut phrases = phrases.iter();
        phrases.any(|phrase| find_phrase(&text, phrase).next().is_some())
    };
    let found = lists.into_iter().filter(|(_, phrases)| has_any(phrases));
    found.map(|(signal, _)| signal).collect()
}

/// Blanks the phrases of [`Signal::Continuation`], which say nothing about the prompt's subject.
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
    fn signals_are_found_in_english_and_chinese() {
        use Signal::{Continuation, Exclusion, Preference, Project};
        assert_eq!(find_signals("New topic: what is a monad?"), [Exclusion]);
        assert_eq!(find_signals("换个话题，天气怎么样"), [Exclusion]);
        assert_eq!(
            find_signals("Do it as last time, in our repo"),
            [Continuation, Project]
        );
        assert_eq!(
            find_signals("按照我的风格继续写"),
            [Continuation, Preference]
        );
        assert_eq!(find_signals("four hours of sour milk"), []);
    }
}
