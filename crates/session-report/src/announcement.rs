//! Answers that announce the next step: the last words of a turn that was interrupted, or went on elsewhere.

/// Greatest length of an announcement, in bytes: a longer answer reports a result, too.
const MAX_BYTES: usize = 400;
/// Words of a sentence that says what the agent will do.
const INTENTIONS: [&str; 3] = ["let me ", "i'll ", "i will "];
/// The words with which an agent ends a result, not an intention.
const OFFER: &str = "let me know";
/// Words before the gerund of what the agent is doing: `I'm committing it`.
const SUBJECTS: [&str; 2] = ["i'm ", "i am "];

/// Returns true for a short answer whose last sentence says what the agent is about to do, or does: "Let me check the
/// diff", "I'm committing it now".
pub(crate) fn is_announcement(answer: &str) -> bool {
    let answer = answer.trim();
    if answer.len() > MAX_BYTES || answer.contains('\n') {
        return false;
    }
    let lower = answer.to_lowercase().replace('’', "'");
    let last = lower.split(". ").last().unwrap_or(&lower);
    let mut intentions = INTENTIONS.iter();
    let is_intended = intentions.any(|words| has_words(last, words)) && !last.contains(OFFER);
    let mut subjects = SUBJECTS.iter();
    let after_subject = subjects.find_map(|subject| last.strip_prefix(subject));
    is_intended || after_subject.is_some_and(begins_with_gerund) || answer.ends_with(':')
}

/// Returns true if words stand in a sentence, and not the end of another one: `the api will `.
fn has_words(sentence: &str, words: &str) -> bool {
    let mut found = sentence.match_indices(words);
    found.any(|(at, _)| !sentence[..at].ends_with(char::is_alphanumeric))
}

fn begins_with_gerund(sentence: &str) -> bool {
    let mut words = sentence.split_whitespace();
    words.next().is_some_and(|first| first.ends_with("ing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_step_is_told_from_a_result() {
        for step in [
            "Let me check the full diff to see what else is in there…",
            "The staged diff is only the removal. I’m committing it now.",
            "I’ll run the tests again.",
            "Got it, skipping the design. Let me find the component.",
            "I'm branching it off. After that I'll commit it.",
            "The failing tests are these:",
            "The API is asked twice, so I will try again.",
        ] {
            assert!(is_announcement(step), "{step}");
        }
        for result in [
            "The cache was read twice. It is read once now.",
            "I'm sure that the lock was held twice.",
            "The lock was held twice. Let me know if it comes back.",
            "Let me run it.\nThe tests pass.",
            "Now the API will be asked three times before the lamp goes dark.",
            "It fails as before. The GUI will say why, and CI will need the flag.",
        ] {
            assert!(!is_announcement(result), "{result}");
        }
    }
}
