//! Selects the parts of a prompt that are embedded and compared with memories.

use session_core::paste::PromptParts;
use session_core::text::clip;
use std::borrow::Cow;

/// The longest beginning of a prompt that is a part, in bytes.
const MAX_BEGINNING_BYTES: usize = 2000;
/// The longest paragraphs at the ends of a long prompt that are a part, in bytes.
const MAX_PARAGRAPHS_BYTES: usize = 1000;
/// Separators of paragraphs; the first one that a prompt contains is used.
const SEPARATORS: [&str; 3] = ["\n\n", "\r\n\r\n", "\n"];

/// Returns what the user typed: the prompt without pastes, the pastes if there is nothing else, and an empty
/// string for a notification.
pub(crate) fn typed_text(prompt: &str) -> Cow<'_, str> {
    if is_notification(prompt) {
        return Cow::Borrowed("");
    }
    let parts = PromptParts::split(prompt);
    match (parts.pasted.is_empty(), parts.typed.is_empty()) {
        (true, _) => Cow::Borrowed(prompt),
        (false, true) => Cow::Owned(parts.join()),
        (false, false) => Cow::Owned(parts.typed),
    }
}

/// Returns true for a notification of an agent's program in the place of a prompt: `<task-notification>…`.
pub(crate) fn is_notification(text: &str) -> bool {
    let tag = text
        .trim_start()
        .strip_prefix('<')
        .and_then(|rest| rest.split_once('>'));
    let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
    tag.is_some_and(|(name, _)| name.ends_with("-notification") && name.chars().all(is_name))
}

/// Returns the parts of a prompt that are compared with memories. A short prompt is one part. A prompt over
/// `MAX_BEGINNING_BYTES` may contain a paste, and has up to three: its beginning, its last two paragraphs, its
/// first two. Two paragraphs over `MAX_PARAGRAPHS_BYTES` are reduced to one, and one over it is left out.
pub(crate) fn split_prompt(prompt: &str) -> Vec<Cow<'_, str>> {
    let prompt = prompt.trim();
    let mut parts = vec![Cow::Borrowed(clip(prompt, MAX_BEGINNING_BYTES))];
    if prompt.len() > MAX_BEGINNING_BYTES {
        let paragraphs = split_paragraphs(prompt);
        let count = paragraphs.len();
        let last = [2, 1].map(|n| &paragraphs[count.saturating_sub(n)..]);
        let first = [2, 1].map(|n| &paragraphs[..n.min(count)]);
        let ends = [last, first]
            .into_iter()
            .filter_map(join_first_within_limit);
        parts.extend(ends.map(Cow::Owned));
        parts.dedup();
    }
    parts
}

fn split_paragraphs(prompt: &str) -> Vec<&str> {
    let mut separators = SEPARATORS.into_iter();
    let separator = separators.find(|separator| prompt.contains(separator));
    let paragraphs = prompt.split(separator.unwrap_or("\n")).map(str::trim);
    paragraphs.filter(|part| !part.is_empty()).collect()
}

/// Joins the first run of paragraphs that is short enough.
fn join_first_within_limit(runs: [&[&str]; 2]) -> Option<String> {
    let mut joined = runs.into_iter().map(|run| run.join("\n\n"));
    joined.find(|text| text.len() <= MAX_PARAGRAPHS_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_prompt_is_one_part() {
        assert_eq!(split_prompt(" why?\n\nand how?\n"), ["why?\n\nand how?"]);
    }

    #[test]
    fn a_long_prompt_has_its_beginning_and_the_paragraphs_at_its_ends() {
        let log = "a line of a log that was pasted\n".repeat(100);
        let prompt = format!("first\n\nsecond\n\n{log}\n\nbefore the last\n\nlast");
        let parts = split_prompt(&prompt);
        assert_eq!(parts[0].len(), MAX_BEGINNING_BYTES);
        assert_eq!(parts[1..], ["before the last\n\nlast", "first\n\nsecond"]);
    }

    #[test]
    fn a_long_paragraph_at_an_end_is_left_out() {
        let long = "word ".repeat(500);
        let parts = split_prompt(&long);
        assert_eq!(parts.len(), 1);
        let prompt = format!("{long}\n\nlast");
        assert_eq!(split_prompt(&prompt)[1..], ["last"]);
    }

    #[test]
    fn pastes_and_notifications_are_not_typed() {
        let paste = "<pasted_content id=\"1\">a log</pasted_content id=\"1\">";
        assert_eq!(typed_text(&format!("{paste}\nwhy?")), "why?");
        assert_eq!(typed_text(paste), "a log");
        let notification = "<task-notification>\n<summary>x</summary>\n</task-notification>";
        assert_eq!(typed_text(notification), "");
    }
}
