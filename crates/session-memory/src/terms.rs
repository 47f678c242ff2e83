//! Words as they are compared: English by its stems, scripts without spaces by
//! pairs of characters.

use crate::glossary;
use rust_stemmers::{Algorithm, Stemmer};
use session_core::Query;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Words that prompts are full of and that name nothing.
const OF_PROMPTS: &str = "please help want need make made let get got give like write add use using used \
work works working try thing things way good new old also still really just now today okay ok yes sure thanks thank \
one two first next last see look find show tell know think say said ask explain change update check \
fix run go come keep put set take start stop much many lot bit something anything someone best better";

static PROMPT_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| OF_PROMPTS.split_whitespace().map(stem).collect());

/// Words between the words that mean something, the longest first.
const BETWEEN: [&str; 82] = [
    "为什么",
    "怎么样",
    "怎么办",
    "能不能",
    "可不可以",
    "是不是",
    "有没有",
    "一下子",
    "请问",
    "帮我",
    "我们",
    "你们",
    "他们",
    "这个",
    "那个",
    "这些",
    "那些",
    "这里",
    "那里",
    "什么",
    "怎么",
    "如何",
    "为何",
    "哪里",
    "哪个",
    "一下",
    "一个",
    "可以",
    "需要",
    "应该",
    "现在",
    "目前",
    "已经",
    "还是",
    "或者",
    "以及",
    "因为",
    "所以",
    "如果",
    "但是",
    "然后",
    "关于",
    "对于",
    "进行",
    "使用",
    "没有",
    "不是",
    "就是",
    "时候",
    "上次",
    "之前",
    "继续",
    "写",
    "帮",
    "请",
    "的",
    "了",
    "吗",
    "呢",
    "吧",
    "啊",
    "么",
    "是",
    "在",
    "和",
    "与",
    "或",
    "把",
    "被",
    "给",
    "对",
    "我",
    "你",
    "他",
    "她",
    "它",
    "这",
    "那",
    "就",
    "也",
    "都",
    "要",
];

/// A word of a query, in all the ways in which a memory may say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// As it was typed, or its stem.
    pub(crate) said: String,
    /// Each way is some stems or pairs that stand together.
    pub(crate) ways: Vec<Vec<String>>,
}

/// The words of a text, in order, as they are compared. Nothing is left out but
/// what is no word; what the glossary knows is there in English, too.
pub(crate) fn of_text(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for run in runs(text) {
        match run {
            Run::Word(word) => out.push(stem(word)),
            Run::Unspaced(text) => {
                pairs(text, &mut out);
                let known = glossary::pieces(text)
                    .into_iter()
                    .filter_map(|piece| piece.english);
                out.extend(known.flat_map(str::split_whitespace).map(stem));
            }
        }
    }
    out.extend(joined(text));
    out
}

/// The words of a query that say something, each once. Stop words are left out
/// as long as others remain.
pub(crate) fn of_query(text: &str) -> Vec<Wanted> {
    let query = Query::new(text);
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for term in &query.terms {
        let runs = runs(&term.text);
        let is_alone = runs.len() == 1;
        for run in runs {
            match run {
                Run::Word(word) if !is_alone && says_nothing(word) => {}
                Run::Word(word) => out.push(plain(stem(word))),
                Run::Unspaced(text) => unspaced(&without_between(text), &mut out),
            }
        }
    }
    out.retain(|term| seen.insert(term.said.clone()));
    let telling = |term: &&Wanted| !PROMPT_WORDS.contains(&term.said);
    match out.iter().any(|term| telling(&term)) {
        true => out.iter().filter(telling).cloned().collect(),
        false => out,
    }
}

/// True for the parts of `partner's`, "in 3 days" or `0.1` that name nothing.
fn says_nothing(part: &str) -> bool {
    part.len() == 1 || !Query::new(part).telling
}

fn plain(said: String) -> Wanted {
    Wanted {
        ways: vec![vec![said.clone()]],
        said,
    }
}

/// Words of the glossary, each in both languages; of what it does not know, pairs of
/// characters.
fn unspaced(text: &str, out: &mut Vec<Wanted>) {
    for piece in text.split_whitespace().flat_map(glossary::pieces) {
        let mut own = Vec::new();
        pairs(piece.text, &mut own);
        match piece.english {
            Some(english) => out.push(Wanted {
                said: piece.text.to_owned(),
                ways: vec![own, english.split_whitespace().map(stem).collect()],
            }),
            None => out.extend(own.into_iter().map(plain)),
        }
    }
}

/// What is left of a text in a script without spaces, in pieces.
pub(crate) fn without_between(text: &str) -> String {
    let mut out = text.to_owned();
    for word in BETWEEN {
        if out.contains(word) {
            out = out.replace(word, " ");
        }
    }
    out
}

enum Run<'a> {
    Word(&'a str),
    Unspaced(&'a str),
}

/// Words, and runs of characters that are written without spaces between.
fn runs(text: &str) -> Vec<Run<'_>> {
    let kind = |c: char| match (is_unspaced(c), c.is_alphanumeric()) {
        (true, _) => 2,
        (false, true) => 1,
        (false, false) => 0,
    };
    let mut out = Vec::new();
    let mut begin = 0;
    let mut open = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let now = kind(c);
        if now != open {
            match open {
                1 => out.push(Run::Word(&text[begin..at])),
                2 => out.push(Run::Unspaced(&text[begin..at])),
                _ => {}
            }
            (begin, open) = (at, now);
        }
    }
    out
}

/// True for a character of a script that is written without spaces.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(
        session_core::text::spaced(c.encode_utf8(&mut [0; 4])),
        std::borrow::Cow::Owned(_)
    )
}

/// Pairs of characters that stand side by side; a single one stands for itself.
fn pairs(text: &str, out: &mut Vec<String>) {
    for piece in text.split_whitespace() {
        let chars: Vec<char> = piece.chars().collect();
        match chars.as_slice() {
            [one] => out.push(one.to_string()),
            many => out.extend(many.windows(2).map(String::from_iter)),
        }
    }
}

/// Words with a hyphen, also as one: `time-out` is `timeout`.
fn joined(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '-');
    let is_joined = |w: &&str| w.trim_matches('-').contains('-');
    words.filter(is_joined).map(|w| stem(&w.replace('-', "")))
}

/// A word's stem. Memories and their cues say the same words over and over, so that each is
/// worked out once.
fn stem(word: &str) -> String {
    thread_local! {
        static KNOWN: RefCell<HashMap<String, String>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(stem) = known.get(word) {
            return stem.clone();
        }
        let lower = word.to_lowercase();
        let stem = ENGLISH.stem(&lower).into_owned();
        known.insert(word.to_owned(), stem.clone());
        stem
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_by_stems_and_pairs() {
        let asked = |text: &str| -> Vec<String> {
            of_query(text).into_iter().map(|term| term.said).collect()
        };
        assert_eq!(
            of_text("Connection pools time-outs"),
            ["connect", "pool", "time", "out", "timeout"]
        );
        assert_eq!(
            of_text("连接池 v2"),
            ["连接", "接池", "connect", "pool", "v2"]
        );
        assert_eq!(
            asked("please fix the connection pooling"),
            ["connect", "pool"]
        );
        assert_eq!(asked("帮我看一下连接池的超时"), ["看", "连接池", "超时"]);
        assert_eq!(asked("please help"), ["pleas", "help"]);
        let both = &of_query("连接池")[0].ways;
        assert_eq!(both, &[vec!["连接", "接池"], vec!["connect", "pool"]]);
    }
}
