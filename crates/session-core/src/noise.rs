//! Texts that are not indexed.

use crate::shell;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Words so common in talk with an agent that a short prompt made of nothing
/// else says nothing.
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

/// Texts at least this long, in characters, are never noise by their words.
const MIN_WORDY_CHARS: usize = 30;

/// Returns true for a text without information: empty, or under 30
/// characters without a rare word. "yes, go on" is noise; "fix EMFILE" and "merge #1558" are not.
pub fn is_noise(text: &str) -> bool {
    text.chars().take(MIN_WORDY_CHARS).count() < MIN_WORDY_CHARS
        && !text.split_whitespace().any(is_rare)
}

/// Returns true for a text that is uninformative about its turn: noise, a blob of data or this program's output.
pub fn is_uninformative(text: &str) -> bool {
    is_noise(text) || is_json_blob(text) || is_own_output(text)
}

/// Fewest digits of a number that says something: `404`, where `12` chooses among what was offered.
const MIN_DIGITS: usize = 3;

/// Returns true when the word carries information of its own.
fn is_rare(word: &str) -> bool {
    if word.bytes().filter(u8::is_ascii_digit).count() >= MIN_DIGITS {
        return true;
    }
    let core = word.trim_matches(|c: char| !c.is_alphanumeric());
    if !core.is_ascii() {
        return core.chars().any(char::is_alphabetic);
    }
    let plain: String = core
        .chars()
        .filter(|c| *c != '\'')
        .collect::<String>()
        .to_ascii_lowercase();
    is_abbreviation(word, core)
        || plain.len() > 2
            && plain.bytes().any(|b| b.is_ascii_alphabetic())
            && !COMMON_WORDS.contains(plain.as_str())
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

/// Returns true for a notification of an agent's program in the place of a prompt: `<task-notification>…`.
pub fn is_notification(text: &str) -> bool {
    let tag = text
        .trim_start()
        .strip_prefix('<')
        .and_then(|rest| rest.split_once('>'));
    let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
    tag.is_some_and(|(name, _)| name.ends_with("-notification") && name.chars().all(is_name))
}

/// Returns true for the output of this program, pasted or captured: it would find
/// itself.
pub fn is_own_output(text: &str) -> bool {
    let text = text.trim_start();
    let head = crate::text::clip(text, 400);
    let human = ["SESSIONS  \"", "TURNS  \""]
        .iter()
        .any(|h| head.starts_with(h));
    let json = head.starts_with("{\"query\":")
        && text.contains("\"level\":")
        && text.contains("\"hits\":");
    human || json
}

/// Returns true for a shell command that runs this program, and no other but what leads to it or
/// follows in its pipe: words that somebody searched for would find themselves.
pub(crate) fn is_own_command(command: &str) -> bool {
    if !command.contains("session-search") {
        return false; // most need not be parsed
    }
    let mut own = false;
    for pipe in shell::split_pipes(command) {
        match shell::find_program(&pipe) {
            Some("session-search" | "session-search.exe") => own = true,
            Some(other) if !NEUTRAL_PROGRAMS.contains(&other) => return false,
            _ => {}
        }
    }
    own
}

/// Programs that do no work of their own next to this one.
const NEUTRAL_PROGRAMS: [&str; 20] = [
    "cd", "pushd", "popd", "export", "unset", "set", "echo", "printf", "true", "false", ":", "cat",
    "head", "tail", "wc", "jq", "sleep", "pwd", "test", "[",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_talk_is_noise_and_rare_words_are_not() {
        for noise in [
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
            assert!(is_noise(noise), "{noise:?}");
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
            assert!(!is_noise(words), "{words:?}");
        }
        assert!(!is_noise("yes please do it like you said before"));
    }

    #[test]
    fn own_output_and_blobs_are_known() {
        assert!(is_own_output("SESSIONS  \"docker\"   3 sessions"));
        assert!(is_own_output(
            "{\"query\":\"x\",\"level\":\"session\",\"hits\":[]}"
        ));
        assert!(!is_own_output("The sessions are lost"));
        assert!(is_own_command("cd /tmp && session-search search docker"));
        assert!(is_own_command(
            "NO_COLOR=1 ~/.cargo/bin/session-search status"
        ));
        assert!(is_own_command(
            "session-search search 'a; b && make' --json | jq ."
        ));
        for other in [
            "cargo build -p session-search",
            "session-search commands deploy; cd /srv/app && make deploy",
            "git commit -m 'docs\n\nsession-search is in them' && git push",
            "make || session-search search make",
            "session-search search it\\'s foo; make deploy",
        ] {
            assert!(!is_own_command(other), "{other}");
        }
        assert!(
            is_json_blob(" {\"a\":1}\n") && !is_json_blob("{a}") && !is_json_blob("[see below]")
        );
    }
}
