//! Question words of Chinese and Japanese, which no space sets apart from what is asked about.

use crate::text;

/// Words of a language that is written without spaces, with spaces between them, the longest first.
struct QuestionWords {
    /// Words by which a text asks, or speaks of an earlier time.
    asking: &'static str,
    /// Words that name no subject beside those.
    fillers: &'static str,
}

const LANGUAGES: [QuestionWords; 2] = [
    // Chinese, in simplified and traditional characters.
    QuestionWords {
        asking: "是怎么解决 是怎麼解決 是怎么修复 是怎麼修復 是怎么处理 是怎麼處理 是如何解决 是如何解決 怎么解决 怎麼解決 \
        怎么修复 怎麼修復 怎么处理 怎麼處理 如何解决 如何解決 如何修复 如何修復 如何处理 如何處理 可不可以 能不能 \
        是不是 有没有 有沒有 为什么 為什麼 怎么样 怎麼樣 怎么办 怎麼辦 是怎么 是怎麼 是如何 是什么 是什麼 看一下 \
        怎么 怎麼 如何 为何 為何 什么 什麼 哪里 哪裡 哪个 哪個 哪些 请问 請問 帮我 幫我 上次 那次 吗 嗎 呢",
        fillers: "的时候 的時候 我们 我們 你们 你們 他们 他們 这个 這個 那个 那個 这些 這些 那些 这里 這裡 那里 那裡 一下 \
        之前 以前 已经 已經 因为 因為 所以 但是 然后 然後 的 了",
    },
    // Japanese.
    QuestionWords {
        asking: "どのように解決 どうやって解決 教えてください どうやって直 でしたっけ ましたっけ どうやって どうしたら \
        どうすれば どのように でしょうか どうして どう解決 ましたか んですか 教えて だっけ たっけ ですか ますか \
        この前 どんな どこで どこに なんで なぜ",
        fillers: "について したんで している したん 前回 先日 した から たか たの の を は が に か",
    },
];

/// Returns a run of characters with spaces in the place of question words, and of words that say nothing beside them. Returns
/// `None` where it asks nothing: then all of it may be meant as typed.
pub fn without_question_words(run: &str) -> Option<String> {
    if !run.contains(text::is_unspaced) {
        return None;
    }
    let asks = |words: &&QuestionWords| words.asking().any(|word| run.contains(word));
    let language = LANGUAGES.iter().find(asks)?;
    let mut rest = run.to_owned();
    for word in language.asking().chain(language.fillers()) {
        rest = rest.replace(word, " ");
    }
    Some(rest)
}

/// Returns true for a run of question words alone.
pub(crate) fn is_question_alone(run: &str) -> bool {
    let rest = without_question_words(run);
    rest.is_some_and(|rest| !rest.contains(char::is_alphanumeric))
}

impl QuestionWords {
    fn asking(&self) -> impl Iterator<Item = &'static str> {
        self.asking.split_whitespace()
    }

    fn fillers(&self) -> impl Iterator<Item = &'static str> {
        self.fillers.split_whitespace()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_about_is_left() {
        for (run, left) in [
            ("数据库连接池的问题怎么解决的", "数据库连接池 问题"),
            ("定时任务时区的问题上次是怎么解决的", "定时任务时区 问题"),
            ("為什麼訊息會重複", "訊息會重複"),
            (
                "この前の文字化けはどうやって解決したんでしたっけ",
                "文字化け",
            ),
            ("二重送信はどうやって直したの", "二重送信"),
            (
                "キャッシュの問題をどうやって解決したか教えて",
                "キャッシュ 問題",
            ),
        ] {
            let rest = without_question_words(run).unwrap();
            let words: Vec<&str> = rest.split_whitespace().collect();
            assert_eq!(words.join(" "), left, "{run}");
        }
    }

    #[test]
    fn what_asks_nothing_stays_whole() {
        for run in [
            "数据库的连接",
            "目的地",
            "文字化けの原因",
            "基本的な設定",
            "왜",
            "how",
            "超时",
        ] {
            assert_eq!(without_question_words(run), None, "{run}");
        }
    }

    #[test]
    fn a_question_without_a_subject_is_known() {
        for run in ["怎么解决的", "是什么", "どうやって解決したの", "教えて"] {
            assert!(is_question_alone(run), "{run}");
        }
        for run in ["网络怎么了", "锁怎么了", "docker", "的"] {
            assert!(!is_question_alone(run), "{run}");
        }
    }

    #[test]
    fn longer_words_stand_before_their_parts() {
        for words in LANGUAGES.iter().flat_map(|l| [l.asking, l.fillers]) {
            let lengths = words.split_whitespace().map(|word| word.chars().count());
            assert!(lengths.is_sorted_by(|a, b| a >= b), "{words}");
        }
    }
}
