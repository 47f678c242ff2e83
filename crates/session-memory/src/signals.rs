//! What a prompt says of whether memories are wanted.

use serde::Serialize;

/// A sign in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    /// Something else begins: no memories.
    Exclusion,
    /// Something goes on.
    Continuation,
    /// It is to be as the user likes it.
    Preference,
    /// It is about this project.
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

/// The signs in a prompt.
pub fn of(prompt: &str) -> Vec<Signal> {
    let text = format!(" {} ", prompt.to_lowercase().replace('’', "'"));
    let lists = [
        (Signal::Exclusion, EXCLUSION),
        (Signal::Continuation, CONTINUATION),
        (Signal::Preference, PREFERENCE),
        (Signal::Project, PROJECT),
    ];
    let is_there = |words: &[&str]| {
        words
            .iter()
            .any(|word| places(&text, word).next().is_some())
    };
    let found = lists.into_iter().filter(|(_, words)| is_there(words));
    found.map(|(signal, _)| signal).collect()
}

/// A prompt without the words that say that something goes on: they are no
/// words of what it is about.
pub fn subject(prompt: &str) -> String {
    let mut text = prompt.to_owned();
    let mut longest = CONTINUATION.to_vec();
    longest.sort_by_key(|words| std::cmp::Reverse(words.len()));
    for words in longest {
        // Same length in small letters, or the places would not agree.
        let small = text.to_lowercase();
        if small.len() == text.len() {
            for at in places(&small, words) {
                text.replace_range(at..at + words.len(), &" ".repeat(words.len()));
            }
        }
    }
    text
}

/// Where the text holds these words, and not within another word.
fn places<'t>(text: &'t str, words: &'t str) -> impl Iterator<Item = usize> {
    let is_ascii = words.starts_with(|c: char| c.is_ascii());
    let found = text.match_indices(words).map(|(at, _)| at);
    found.filter(move |at| {
        let before = text[..*at].chars().next_back();
        !is_ascii || !before.is_some_and(|c| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_heard_in_both_languages() {
        use Signal::{Continuation, Exclusion, Preference, Project};
        assert_eq!(of("New topic: what is a monad?"), [Exclusion]);
        assert_eq!(of("换个话题，天气怎么样"), [Exclusion]);
        assert_eq!(
            of("Do it as last time, in our repo"),
            [Continuation, Project]
        );
        assert_eq!(of("按照我的风格继续写"), [Continuation, Preference]);
        assert_eq!(of("four hours of sour milk"), []);
    }
}
