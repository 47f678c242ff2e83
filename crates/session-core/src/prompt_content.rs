//! Texts without content of their own, which are no titles and are not embedded: short talk, blobs of data, this program's own output.

use crate::paste::strip_image_marks;
use crate::slash_command::is_built_in_command;
use crate::text::{fold_word, trim_punctuation};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Words so common in prompts to an agent that a short prompt of them alone has no
/// content.
const COMMON: &str = "\
a about again all also an and any are as at be been but by can cool could did do does doing done \
dont else fine first for from get give go going good got great had has have hello hey hi how i if \
im in into is it its just keep know let lets like look looks make makes me more my need next nice \
no nope not now of off oh ok okay on one or other our out over perfect please proceed really right \
same see should show so some something still sure thank thanks that thats the them then there these \
they thing things think this those to too try two up us use very wait want was we well were what \
when where which who why will with would yeah yep yes yet you your \
add change check code commit continue create edit error errors file files fix fixed bug issue \
issues move push read remove rename rerun retry run start stop test tests update work works write \
merge pr approve approved correct exactly agree agreed option sounds another step steps";

static COMMON_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| COMMON.split_whitespace().collect());

/// Words of go-aheads and greetings in other languages. Some are names or English words, too: they count only in a prompt of
/// such words alone.
const GO_AHEADS: &str = "\
ja mach weiter bitte danke hallo guten morgen genau passt oui vas y continuez bonjour salut merci daccord \
si sigue continua adelante dale vale hola gracias por favor sim obrigado avanti procedi grazie ciao \
да давай дальше продолжай привет спасибо tak dalej kontynuuj dziekuje evet devam et merhaba tamam \
继续 你好 您好 好的 好 是的 可以 请继续 谢谢 繼續 はい 続けて 続けてください お願いします こんにちは おはよう ありがとう \
네 응 좋아 계속 계속해 계속해줘 계속해주세요 안녕 안녕하세요 부탁해";

static GO_AHEAD_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| GO_AHEADS.split_whitespace().map(fold_word).collect());

/// Texts at least this long, in characters, have content, whatever their words.
const MIN_CONTENT_TEXT_CHARS: usize = 30;

/// Returns true for a text without content: empty, or under 30 characters and either without a rare word ("yes, go on"; not
/// "fix EMFILE"), or a go-ahead in another language.
pub fn lacks_content(text: &str) -> bool {
    text.chars().take(MIN_CONTENT_TEXT_CHARS).count() < MIN_CONTENT_TEXT_CHARS
        && (is_go_ahead(text) || !text.split_whitespace().any(is_rare))
}

/// Prompts at least this long, in characters, have a meaning without the turns before them.
const MIN_CONTENT_CHARS: usize = 80;

/// Words that move the work to another branch or part of a plan, and do not name it.
const MOVES: [&str; 14] = [
    "back", "branch", "branches", "checkout", "develop", "main", "master", "origin", "phase",
    "pull", "rebase", "switch", "trunk", "worktree",
];

/// Words that refer to the turns before: to their results, and to the next step; and greetings.
const REFERENCES: &str = "\
applicable applied applies apply batch best brainstorm called changes ci comment comments commits e2e \
failing failure failures few finish fixes idea ill im ive left looking many mentioned ones \
problem problems proper properly pushed re-check ready recheck remaining remember report research \
result results resume review reviews seems suggestion suggestions summarize summary theres valid \
whats afternoon evening morning";

static REFERRING_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| REFERENCES.split_whitespace().chain(MOVES).collect());

/// Returns true for a prompt that has no meaning without the turns before it: a shell line (`!git status`), a built-in
/// command (`/model opus`), or a short prompt that is a numbered choice, ends with a colon, or has no content word.
/// "5 seems good to tackle", "ok, let's get back to main", "hide this:".
pub fn needs_context(prompt: &str) -> bool {
    let prompt = strip_image_marks(prompt).trim();
    let is_short = prompt.chars().take(MIN_CONTENT_CHARS).count() < MIN_CONTENT_CHARS;
    let is_incomplete = || begins_with_choice(prompt) || prompt.ends_with(':');
    is_for_program(prompt)
        || is_short && (is_incomplete() || content_words(prompt).next().is_none())
}

/// Returns true for a shell line, and for a built-in command of the agent's program.
fn is_for_program(prompt: &str) -> bool {
    prompt.starts_with('!') || is_built_in_command(prompt)
}

/// Returns true if the later of two consecutive prompts names the subject of the work and the earlier one
/// does not. One content word is not enough unless the earlier has none: "commit and psuh".
pub fn names_subject_better(later: &str, earlier: &str) -> bool {
    let count = |prompt: &str| {
        if is_for_program(prompt) {
            0
        } else {
            content_words(prompt).count()
        }
    };
    needs_context(earlier)
        && !needs_context(later)
        && (count(later) > 1 || count(later) > count(earlier))
}

/// Returns the content words of a prompt: rare ones that do not refer to the turns before it. A go-ahead has none.
pub(crate) fn content_words(prompt: &str) -> impl Iterator<Item = &str> {
    let text = if is_go_ahead(prompt) { "" } else { prompt };
    let words = text.split_whitespace();
    words.filter(|word| {
        let is_reference = || REFERRING_WORDS.contains(plain_word(word).as_str());
        is_rare(word) && !is_reference() && !is_branch(word)
    })
}

/// The beginnings of names of branches: `feat/warm-start`.
const BRANCH_KINDS: [&str; 8] = [
    "bugfix", "chore", "feat", "feature", "fix", "hotfix", "refactor", "release",
];

fn is_branch(word: &str) -> bool {
    let kind = trim_punctuation(word).split_once('/').map(|(kind, _)| kind);
    kind.is_some_and(|kind| BRANCH_KINDS.contains(&kind))
}

/// Returns true for a text that begins with a number of one or two digits and goes on; `1.` begins a list.
fn begins_with_choice(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    let number = first.trim_end_matches(',');
    (1..MIN_DIGITS).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
}

/// Returns true for a text that is uninformative about its turn: without content, a blob of data or this program's output.
pub fn is_uninformative(text: &str) -> bool {
    lacks_content(text) || is_json_blob(text) || is_own_output(text)
}

/// Fewest digits of a number that is an identifier: `404`, where `12` is a numbered choice.
const MIN_DIGITS: usize = 3;

/// Returns true when the word carries information of its own.
fn is_rare(word: &str) -> bool {
    if word.bytes().filter(u8::is_ascii_digit).count() >= MIN_DIGITS {
        return true;
    }
    let core = trim_punctuation(word);
    if !core.is_ascii() {
        return core.chars().any(char::is_alphabetic);
    }
    let plain = plain_word(word);
    is_abbreviation(word, core)
        || plain.len() > 2
            && plain.bytes().any(|b| b.is_ascii_alphabetic())
            && !COMMON_WORDS.contains(plain.as_str())
}

/// Returns true for a prompt of [`GO_AHEADS`] alone, with spaces or marks between them: `好的，继续`.
fn is_go_ahead(prompt: &str) -> bool {
    let words = prompt.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    let is_known = |word: &str| GO_AHEAD_WORDS.contains(&fold_word(&word.replace('\'', "")));
    words.peek().is_some() && words.all(is_known)
}

/// Returns a word in lower case, without apostrophes and the punctuation around it.
pub(crate) fn plain_word(word: &str) -> String {
    let letters = trim_punctuation(word).chars().filter(|c| *c != '\'');
    letters.collect::<String>().to_ascii_lowercase()
}

/// Returns true for two capitals, and a letter with what makes it the name of a language: `CI`, `C++`, `C#`.
fn is_abbreviation(word: &str, core: &str) -> bool {
    let has_capitals = core.len() == 2
        && core.bytes().all(|b| b.is_ascii_uppercase())
        && !COMMON_WORDS.contains(core.to_ascii_lowercase().as_str());
    has_capitals || core.len() == 1 && (word.ends_with("++") || word.ends_with('#'))
}

/// Returns true for a text that is a JSON object or array and nothing else.
pub(crate) fn is_json_blob(text: &str) -> bool {
    let text = text.trim();
    let enclosed = (text.starts_with('{') && text.ends_with('}'))
        || (text.starts_with('[') && text.ends_with(']'));
    enclosed && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Returns true for a listing of this program, pasted or captured: it would find itself.
pub fn is_own_output(text: &str) -> bool {
    let headings = ["SESSIONS  \"", "TURNS  \""];
    headings.iter().any(|it| text.trim_start().starts_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_talk_is_noise_and_rare_words_are_not() {
        for prompt in [
            "",
            "  ",
            "yes",
            "ok, go on",
            "Continue.",
            "run the tests again",
            "👍",
            "1",
            "2.",
            "y",
            "option 12",
            "ls -la",
            "OK",
        ] {
            assert!(lacks_content(prompt), "{prompt:?}");
        }
        for words in [
            "fix EMFILE",
            "why tokio?",
            "rebase onto develop",
            "テスト",
            "ECONNRESET",
            "--no-verify please",
            "error 404",
            "fix #77123",
            "10.0.0.1:8080",
            "fix the CI",
            "C++ vs C#",
        ] {
            assert!(!lacks_content(words), "{words:?}");
        }
        assert!(!lacks_content("yes please do it like you said before"));
    }

    #[test]
    fn go_aheads_and_greetings_of_other_languages_are_noise() {
        for prompt in [
            "继续",
            "你好",
            "好的，继续",
            "続けて",
            "はい、お願いします。",
            "こんにちは",
            "계속해줘",
            "안녕하세요!",
            "ja, mach weiter",
            "JA",
            "oui vas-y",
            "d'accord, merci",
            "да, давай",
            "tak, dalej",
            "devam et",
            "sí, continúa",
            "Sí, por favor",
        ] {
            assert!(lacks_content(prompt) && needs_context(prompt), "{prompt:?}");
            assert!(
                names_subject_better("修复数据库连接池", prompt),
                "{prompt:?}"
            );
            assert!(names_subject_better("Oil the gate", prompt), "{prompt:?}");
        }
        for words in [
            "继续修复登录",
            "oui, le phare",
            "ログイン続けて",
            "да, маяк",
            "run vale",
            "fix the sim",
            "run mach please",
        ] {
            assert!(!lacks_content(words), "{words:?}");
        }
        assert_eq!(content_words("run vale").next(), Some("vale"));
    }

    #[test]
    fn prompts_that_need_a_context_are_known() {
        for prompt in [
            "",
            "yes, please do it",
            "ok lets get back to main",
            "Switch to the phase 12 branch.",
            "!git switch main",
            "!make lamp && ./lamp --oil --wick 3 # a long line for the shell that says all that is to be done at once",
            "5 seems like a great one to tackle",
            "3, but apply the changes to this branch",
            "12",
            "please push the e2e fixes up",
            "Can you re-check and see which ones still apply?",
            "so how did the research go?",
            "that's not the branch I was looking for - it's called feat/warm-start",
            "this should be hidden on the \"gate\" page :",
            "resume please",
            "good morning",
            "[Image #1]",
            "[Image #1] [Image #2] please fix",
            "/model opus",
            "/compact but keep what was said of the lamps and of the oil in the tower, and all that the keeper wants",
        ] {
            assert!(needs_context(prompt), "{prompt:?}");
        }
        for prompt in [
            "Oil the gate",
            "fix EMFILE",
            "why is main so slow?",
            "1. Oil the gate 2. Hang the lamp",
            "404 on the main page",
            "切换到主分支",
            "3 of the lamps in the tower are dark since the last change, and the gauge of the oil is stuck",
            "Hide this on the gate page: the lamp",
            "fix/lamp does not build",
        ] {
            assert!(!needs_context(prompt), "{prompt:?}");
        }
    }

    #[test]
    fn a_later_prompt_says_more_by_its_content_words() {
        for (earlier, later, expected) in [
            ("ok lets get back to main", "Oil the gate", true),
            ("ok lets get back to main", "fix EMFILE", true),
            (
                "this should be hidden on the gate page:",
                "Oil the gate",
                true,
            ),
            (
                "this should be hidden on the gate page:",
                "commit and psuh",
                false,
            ),
            ("ok lets get back to main", "and the fixes", false),
            ("!git pull", "/lamp:plan 14", true),
            ("/add-dir ../lib", "Oil the gate", true),
            ("ok lets get back to main", "/model opus large", false),
            ("Oil the gate", "Hang the lamp in the tower", false),
        ] {
            assert_eq!(names_subject_better(later, earlier), expected, "{later}");
        }
    }

    #[test]
    fn own_output_and_blobs_are_known() {
        assert!(is_own_output("SESSIONS  \"docker\"   3 sessions"));
        assert!(!is_own_output("The sessions are lost"));
        assert!(
            is_json_blob(" {\"a\":1}\n") && !is_json_blob("{a}") && !is_json_blob("[see below]")
        );
    }
}
