//! Answers that only confirm a commit, a push or thanks: the last words of a session whose result stands before them.

/// Greatest length of a receipt, in bytes: a longer answer reports a result, too.
const MAX_BYTES: usize = 120;
/// Verbs of a receipt.
const VERBS: [&str; 2] = ["committed", "pushed"];
/// Words behind such a verb with which a sentence is about something else: `Pushed back the retry`, `Committed memory`.
const OTHER_SENTENCES: [&str; 8] = [
    "against", "back", "down", "for", "memory", "out", "through", "up",
];
/// First words of other receipts.
const BEGINNINGS: [&[&str]; 4] = [
    &["commit", "succeeded"],
    &["commit", "successful"],
    &["commit", "created"],
    &["you're", "welcome"],
];
/// The word before them that says nothing.
const DONE: &str = "done";

/// Returns true for a short answer that begins as a receipt does: "Committed as `b567018`. All hooks passed.", "Done."
/// Words behind a colon say what came out, and a name in backticks alone is an answer.
pub(crate) fn is_receipt(answer: &str) -> bool {
    let answer = answer.trim();
    if answer.is_empty() || answer.len() > MAX_BYTES || answer.contains('\n') {
        return false;
    }
    let lower = answer.to_lowercase().replace('’', "'");
    // Hashes and names stand in backticks.
    let plain: Vec<&str> = lower.split('`').step_by(2).collect();
    let plain = plain.join(" ");
    let words = read_words(&plain);
    let explains = plain
        .split_once(": ")
        .is_some_and(|(_, rest)| !read_words(rest).is_empty());
    if explains || words.is_empty() && lower.contains('`') {
        return false;
    }
    let words = words.strip_prefix(&[DONE]).unwrap_or(&words);
    words.is_empty()
        || BEGINNINGS.iter().any(|begin| words.starts_with(begin))
        || begins_with_verb(&plain)
}

/// Returns true for a text that begins with one of [`VERBS`], and does not go on as a sentence about something else.
fn begins_with_verb(text: &str) -> bool {
    let is_before = |word: &&str| ["", DONE].contains(&trim_marks(word));
    let mut words = text.split_whitespace().skip_while(is_before);
    let Some(verb) = words.next() else {
        return false;
    };
    let may_follow = |next: &str| !OTHER_SENTENCES.contains(&trim_marks(next));
    VERBS.contains(&trim_marks(verb))
        && (!verb.ends_with(char::is_alphanumeric) || words.next().is_none_or(may_follow))
}

/// Returns the words of a text without punctuation.
fn read_words(text: &str) -> Vec<&str> {
    let words = text.split_whitespace().map(trim_marks);
    words.filter(|word| !word.is_empty()).collect()
}

/// Returns a word without punctuation.
fn trim_marks(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_told_from_a_result() {
        for receipt in [
            "Committed.",
            "Committed as `b567018`. All pre-commit hooks passed (tests, lint).",
            "Commit `af5e09e` created successfully.",
            "Commit succeeded — the hook ran 12 tests.",
            "Done — committed as `6f29be56` and pushed.",
            "Pushed to `main`.",
            "Pushed 1a2b3c4 — the hook passed.",
            "Done. Committed all 8 files.",
            "Pushed, and the hook passed.",
            "Committed changes.",
            "Pushed changes to main.",
            "Committed your changes.",
            "Committed this as 1a2b3c4.",
            "Pushed main.",
            "Committed under 1a2b.",
            "Pushed branch feature/lamp.",
            "Committed cleanly.",
            "Pushed **main** to origin.",
            "Done.",
            "Done: `b567018`",
            "Committed as `fix: a wick`.",
            "You’re welcome! Come back any time.",
        ] {
            assert!(is_receipt(receipt), "{receipt}");
        }
        for result in [
            "Done. The lamp is lit by a timer now.",
            "Commits are signed now.",
            "The lamp is lit. Committed as `b567018`.",
            "Committed the fix: the leak came from the oil cache.",
            "Committed; the leak came from the oil cache, which grew by a wick with every lamp that was lit, and is bounded \
             to 40 entries now.",
            "Pushed back the retry to the queue of the client, which now waits 3 s.",
            "Committed memory is bounded to 40 MB by the pool now.",
            "Pushed through the queue, 40 lamps a second are lit.",
            "`/etc/lampd/wick.conf`",
            "Committed. What changed:\n\n- the lamp is lit by a timer",
            "",
        ] {
            assert!(!is_receipt(result), "{result}");
        }
    }
}
