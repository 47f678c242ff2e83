//! Question words of Chinese and Japanese, which no space sets apart from what is asked about.

use crate::text;

/// Words of a language that is written without spaces, with spaces between them, the longest first. What may be a part of
/// another word is known by its place alone: `的` ends a question, and stands within `目的地`.
struct QuestionWords {
    /// Words by which a text asks, or speaks of an earlier time, wherever they stand.
    asking: &'static str,
    /// Words by which it asks at its end.
    closing: &'static str,
    /// Words that name no subject beside those, wherever they stand.
    fillers: &'static str,
    /// Words that name none at the beginning, behind any of those, or by themselves.
    leading: &'static str,
    /// Words that name none before any of those, or at the end. Of each kind one is left out.
    trailing: &'static str,
    /// Particles that name none by themselves.
    particles: &'static str,
}

const LANGUAGES: [QuestionWords; 2] = [
    // Chinese, in simplified and traditional characters.
    QuestionWords {
        asking: "是怎么解决 是怎麼解決 是怎么修复 是怎麼修復 是怎么处理 是怎麼處理 是如何解决 是如何解決 帮我看一下 幫我看一下 \
        怎么解决 怎麼解決 怎么修复 怎麼修復 怎么处理 怎麼處理 如何解决 如何解決 如何修复 如何修復 如何处理 如何處理 \
        可不可以 能不能 是不是 有没有 有沒有 为什么 為什麼 怎么样 怎麼樣 怎么办 怎麼辦 是怎么 是怎麼 是如何 是什么 是什麼 \
        怎么 怎麼 如何 为何 為何 什么 什麼 哪里 哪裡 哪个 哪個 哪些 帮我 幫我",
        closing: "吗 嗎 呢",
        fillers: "的时候 的時候 我们 我們 你们 你們 他们 他們 这个 這個 那个 那個 这些 這些 那些 这里 這裡 那里 那裡 \
        已经 已經 因为 因為",
        leading: "之前的 上次的 那次的 请问 請問 之前 上次 那次",
        trailing: "之前 上次 那次 的问题 的問題",
        particles: "的 了",
    },
    // Japanese.
    QuestionWords {
        asking: "どうやって解決したの どうやって解決した どうやって直したの どうやって直した したんでしたっけ どうやって解決 \
        どのように解決 どうすればいい 教えてください どうやって直 んでしたっけ したか教えて どうやって どうしたら どうすれば \
        どのように でしたっけ ましたっけ どうして どう解決 この前の 教えて だっけ たっけ どんな どこで どこに なぜ",
        closing: "でしょうか ましたか ませんか んですか ますか ですか",
        fillers: "について 前回の 先日の",
        leading: "",
        trailing: "のか か には のは のが のを は が を に の問題",
        particles: "の は が を に か",
    },
];

/// Returns a run of characters with spaces in the place of question words, and of words that say nothing beside them. Returns
/// `None` if it asks nothing: then all of it may be meant as typed.
pub fn without_question_words(run: &str) -> Option<String> {
    if !run.contains(text::is_unspaced) {
        return None;
    }
    let mut languages = LANGUAGES.iter();
    languages.find_map(|language| language.subject_of(run))
}

/// Returns true for a run of question words alone.
pub(crate) fn is_question_alone(run: &str) -> bool {
    let rest = without_question_words(run);
    rest.is_some_and(|rest| !rest.contains(char::is_alphanumeric))
}

impl QuestionWords {
    /// Returns what a run asks about; `None` if it asks nothing in this language.
    fn subject_of(&self, run: &str) -> Option<String> {
        let open = words(self.closing).find_map(|word| run.strip_suffix(word));
        let asks = || words(self.asking).any(|word| run.contains(word));
        let names_none = || words(self.leading).any(|word| run == word);
        if open.is_none() && !asks() && !names_none() {
            return None;
        }
        let mut rest = open.unwrap_or(run).to_owned();
        for word in words(self.asking).chain(words(self.fillers)) {
            rest = rest.replace(word, " ");
        }
        let parts = rest.split_whitespace().map(|part| self.trim_part(part));
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        Some(parts.join(" "))
    }

    /// Returns the text between question words, without the words at its two ends that name no subject.
    fn trim_part<'a>(&self, part: &'a str) -> &'a str {
        if words(self.particles).any(|particle| particle == part) {
            return "";
        }
        let begun = words(self.leading).find_map(|word| part.strip_prefix(word));
        let part = begun.unwrap_or(part);
        words(self.trailing).fold(part, |part, word| part.strip_suffix(word).unwrap_or(part))
    }
}

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(run: &str) -> String {
        without_question_words(run).unwrap()
    }

    #[test]
    fn what_is_asked_about_is_left() {
        for (run, left) in [
            ("数据库连接池的问题怎么解决的", "数据库连接池"),
            ("定时任务时区的问题上次是怎么解决的", "定时任务时区"),
            ("上次的测试怎么修复的", "测试"),
            ("之前那个容器网络不通的问题是怎么解决的", "容器网络不通"),
            ("帮我看一下上次的登录状态", "登录状态"),
            ("為什麼訊息會重複", "訊息會重複"),
            ("连接池满了吗", "连接池满了"),
            (
                "この前の文字化けはどうやって解決したんでしたっけ",
                "文字化け",
            ),
            ("二重送信はどうやって直したの", "二重送信"),
            ("キャッシュの問題をどうやって解決したか教えて", "キャッシュ"),
            ("設定できますか", "設定でき"),
        ] {
            assert_eq!(subject(run), left, "{run}");
        }
    }

    #[test]
    fn parts_of_other_words_are_left() {
        for (run, left) in [
            ("目的地怎么配置", "目的地 配置"),
            ("了解目的怎么写", "了解目的 写"),
            ("申请问题怎么写", "申请问题 写"),
            ("线上次数怎么统计", "线上次数 统计"),
            ("怎么统一下载", "统一下载"),
            ("動かないのはなぜ", "動かない"),
            ("効かないのはどうして", "効かない"),
            ("なぜ見つからないのか", "見つからない"),
            ("動きますからなぜ", "動きますから"),
        ] {
            assert_eq!(subject(run), left, "{run}");
        }
    }

    #[test]
    fn what_asks_nothing_stays_whole() {
        for run in [
            "数据库的连接",
            "目的地",
            "线上次数",
            "上次登录时间",
            "文字化けの原因",
            "基本的な設定",
            "動きますから",
            "왜",
            "how",
            "超时",
        ] {
            assert_eq!(without_question_words(run), None, "{run}");
        }
    }

    #[test]
    fn a_question_without_a_subject_is_known() {
        for run in [
            "怎么解决的",
            "是什么",
            "上次",
            "どうやって解決したの",
            "教えて",
        ] {
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
