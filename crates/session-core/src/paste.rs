//! Text and images that were pasted into a prompt: `<pasted_content id="…">…</pasted_content id="…">` and `[Image #1]`.

use std::borrow::Cow;

const OPEN: &str = "<pasted_content";
const CLOSE: &str = "</pasted_content";
/// Tags beyond which the rest of a prompt is not looked through: each may cost a search of it.
const MAX_TAGS: usize = 1_000;

/// A prompt taken apart into what was typed and what was pasted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptParts<'t> {
    /// The words outside of all pastes.
    pub typed: String,
    /// The texts of the pastes, in order. Some may be empty.
    pub pasted: Vec<&'t str>,
}

impl<'t> PromptParts<'t> {
    /// Splits a prompt at the tags of its pastes. A tag that is not closed is text.
    pub fn split(prompt: &'t str) -> Self {
        let mut parts = Self::default();
        let (mut rest, mut from) = (prompt, 0);
        for _ in 0..MAX_TAGS {
            let Some(found) = rest.get(from..).and_then(|text| text.find(OPEN)) else {
                break;
            };
            let at = from + found;
            match split_paste(&rest[at..]) {
                Some((inner, after)) => {
                    parts.add_typed(&rest[..at]);
                    parts.pasted.push(inner.trim());
                    (rest, from) = (after, 0);
                }
                None => from = at + OPEN.len(),
            }
        }
        parts.add_typed(rest);
        parts.typed.truncate(parts.typed.trim_end().len());
        parts
    }

    /// Appends typed words; a paste between words on one line was a space.
    fn add_typed(&mut self, words: &str) {
        let spaced = words.starts_with(char::is_whitespace) || self.typed.ends_with(['\n', ' ']);
        if !self.typed.is_empty() && !spaced {
            self.typed.push(' ');
        }
        let blank = self.typed.is_empty() || self.typed.ends_with(['\n', ' ']);
        let words = if blank { words.trim_start() } else { words };
        self.typed.push_str(words);
    }

    /// Returns the typed words first, then the pastes, each after a blank line.
    pub fn join(&self) -> String {
        let typed = Some(self.typed.as_str()).filter(|typed| !typed.is_empty());
        let pasted = self.pasted.iter().copied().filter(|text| !text.is_empty());
        let all: Vec<&str> = typed.into_iter().chain(pasted).collect();
        all.join("\n\n")
    }
}

/// Returns the prompt without the tags of its pastes, the typed words first.
pub fn strip_paste_tags(prompt: &str) -> Cow<'_, str> {
    if !prompt.contains(OPEN) {
        return Cow::Borrowed(prompt);
    }
    let parts = PromptParts::split(prompt);
    if parts.pasted.is_empty() {
        Cow::Borrowed(prompt)
    } else {
        Cow::Owned(parts.join())
    }
}

/// Bytes of a prompt from which on a paste in it is marked where it was typed: Claude Code marks none of a line that is
/// shorter.
const MIN_MARKED_BYTES: usize = 800;

/// Returns the characters of a prompt that may hold a paste, sorted and without white space: the same with its pastes where
/// they were typed and behind the typed words. `None` for a short line.
pub fn paste_letters(prompt: &str) -> Option<String> {
    let prompt = prompt.trim();
    if prompt.len() < MIN_MARKED_BYTES && !prompt.contains('\n') {
        return None;
    }
    let letters = prompt.chars().filter(|letter| !letter.is_whitespace());
    let mut letters: Vec<char> = letters.collect();
    letters.sort_unstable();
    Some(letters.into_iter().collect())
}

/// Returns the text of the paste that `text` begins with, and what follows it.
fn split_paste(text: &str) -> Option<(&str, &str)> {
    let (attributes, body) = text.strip_prefix(OPEN)?.split_once('>')?;
    let close = format!("{CLOSE}{attributes}>");
    let is_tag = attributes.is_empty() || attributes.starts_with(' ');
    let plain = || body.split_once("</pasted_content>");
    body.split_once(close.as_str())
        .or_else(plain)
        .filter(|_| is_tag)
}

/// Returns a prompt without the marks of images that it begins with: `[Image #1]`.
pub(crate) fn strip_image_marks(prompt: &str) -> &str {
    let mut rest = prompt;
    while let Some(mark) = rest.trim_start().strip_prefix("[Image")
        && let Some((number, after)) = mark.split_once(']')
        && number
            .trim_start_matches(" #")
            .bytes()
            .all(|b| b.is_ascii_digit())
    {
        rest = after;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pastes_come_after_what_was_typed() {
        let cases = [
            ("why", "why"),
            ("P1(a\nb)", "a\nb"),
            ("P1(a\nb) why?", "why?\n\na\nb"),
            ("Compare P1(a) with P2(b)", "Compare with\n\na\n\nb"),
            (
                "P1(<pasted_content id=\"2\">) why",
                "why\n\n<pasted_content id=\"2\">",
            ),
            ("P1() why", "why"),
            ("P1(a)why\nP2(b)\nnow", "why\nnow\n\na\n\nb"),
            (
                "a <pasted_content id=\"1\"> b",
                "a <pasted_content id=\"1\"> b",
            ),
            ("a <pasted_contents> P1(b)", "a <pasted_contents>\n\nb"),
            ("<pasted_content>a</pasted_content>b", "b\n\na"),
            ("<pasted_content id=\"1\">a</pasted_content>b", "b\n\na"),
            ("<pasted_content", "<pasted_content"),
            ("", ""),
        ];
        for (prompt, expected) in cases {
            let prompt = tagged(prompt);
            assert_eq!(strip_paste_tags(&prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn a_paste_has_the_same_letters_wherever_it_stands() {
        let letters = paste_letters("why:\n\nLamp one\nLamp two");
        assert_eq!(letters, paste_letters("Lamp one\nLamp two why:"));
        assert_eq!(letters, paste_letters("why:Lamp one\nLamp two"));
        assert_ne!(letters, paste_letters("why:\n\nLamp one\nLamp six"));
        assert_eq!(paste_letters("Lamp one why"), None);
        assert!(paste_letters(&"lamp ".repeat(200)).is_some());
    }

    #[test]
    fn marks_of_images_are_taken_off_the_beginning() {
        for (prompt, expected) in [
            ("[Image #1] why?", " why?"),
            ("[Image]\n [Image #12]why?", "why?"),
            ("[Image #1]", ""),
            ("why [Image #1]?", "why [Image #1]?"),
            ("[Images] of lamps", "[Images] of lamps"),
            ("[Image #1", "[Image #1"),
        ] {
            assert_eq!(strip_image_marks(prompt), expected, "{prompt}");
        }
    }

    /// Replaces `P1(text)` by a paste with the id 1.
    fn tagged(prompt: &str) -> String {
        let mut out = prompt.to_owned();
        for id in ["1", "2"] {
            while let Some(at) = out.find(&format!("P{id}(")) {
                let end = at + out[at..].find(')').unwrap();
                let inner = out[at + 3..end].to_owned();
                let tag = format!("pasted_content id=\"{id}\"");
                out.replace_range(at..=end, &format!("<{tag}>{inner}</{tag}>"));
            }
        }
        out
    }
}
