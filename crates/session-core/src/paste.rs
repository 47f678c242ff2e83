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
        let unclosed_bytes = prompt
            .rfind(CLOSE)
            .map_or(usize::MAX, |at| prompt.len() - at);
        for _ in 0..MAX_TAGS {
            let Some(found) = rest.get(from..).and_then(|text| text.find(OPEN)) else {
                break;
            };
            let at = from + found;
            if rest.len() - at < unclosed_bytes {
                break;
            }
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

/// Most pastes of a prompt that are looked for where they were typed.
const MAX_MOVED_PASTES: usize = 8;

/// Returns what a transcript's prompt with pastes where they were typed, without tags, has in common with that of a history of
/// prompts, which has them behind the typed words: its words, sorted, and the number of its blank lines. `None` for a prompt
/// without a paste that would be marked.
pub fn unmarked_paste_key(prompt: &str) -> Option<String> {
    let prompt = prompt.trim();
    may_be_marked(prompt).then(|| paste_key(count_blank_lines(prompt), &sort_words(prompt)))
}

/// Returns the [keys](unmarked_paste_key) of the prompts of transcripts that a prompt of a history of prompts may be.
///
/// The history has a blank line before each paste, which a transcript lacks where the paste was typed. With as many blank
/// lines its paragraphs have another order: that is another prompt.
pub fn moved_paste_keys(prompt: &str) -> Vec<String> {
    let prompt = prompt.trim();
    let behind_typed = prompt.split_once("\n\n").map(|(_, pasted)| pasted);
    if !behind_typed.is_some_and(may_be_marked) {
        return Vec::new();
    }
    let (blank_lines, words) = (count_blank_lines(prompt), sort_words(prompt));
    let moved = 1..=blank_lines.min(MAX_MOVED_PASTES);
    moved
        .map(|moved| paste_key(blank_lines - moved, &words))
        .collect()
}

/// Returns true for a text that is long enough to be marked as a paste.
fn may_be_marked(text: &str) -> bool {
    text.len() >= MIN_MARKED_BYTES || text.contains('\n')
}

fn paste_key(blank_lines: usize, words: &str) -> String {
    format!("{blank_lines} {words}")
}

fn count_blank_lines(prompt: &str) -> usize {
    prompt.matches("\n\n").count()
}

/// Returns the words and marks of a prompt, sorted.
fn sort_words(prompt: &str) -> String {
    let is_mark = |c: char| !c.is_alphanumeric();
    let words = prompt.split_inclusive(is_mark).flat_map(|word| {
        let (letters, mark) = word.split_at(word.trim_end_matches(is_mark).len());
        [letters, mark.trim()]
    });
    let mut words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.join(" ")
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

    /// Returns true if a prompt of a history of prompts may be that of a transcript.
    fn is_moved(history: &str, transcript: &str) -> bool {
        let key = unmarked_paste_key(transcript);
        key.is_some_and(|key| moved_paste_keys(history).contains(&key))
    }

    #[test]
    fn a_paste_is_known_wherever_it_stands() {
        let long = "lamp ".repeat(200);
        for (history, transcript) in [
            (
                "why:\n\nLamp one\nLamp two",
                "Lamp one\nLamp two why:".to_owned(),
            ),
            (
                "why:\n\nLamp one\nLamp two",
                "why:Lamp one\nLamp two".to_owned(),
            ),
            (
                "a, b\n\nLamp\n\none\n\nkiln\ntwo",
                "a Lamp\n\none, b kiln\ntwo".to_owned(),
            ),
            (&format!("why\n\n{long}"), format!("{long}why")),
        ] {
            assert!(is_moved(history, &transcript), "{history}");
        }
    }

    #[test]
    fn prompts_with_words_in_another_order_are_different() {
        for (history, transcript) in [
            ("review PR 4812\nand merge", "review PR 4821\nand merge"),
            ("oil the lamp\nmend the door", "mend the door\noil the lamp"),
            ("lamp\n\ndoor", "door lamp"),
            ("mend\ndoor\n\noil\nlamp", "oil\nlamp\n\nmend\ndoor"),
            ("why\n\nPR 4812\nmerge", "PR 4821\nmerge why"),
            ("why\n\nLamp one\nLamp two", "Lamp one\nLamp six why"),
            ("why\n\na > b\nc", "a < b\nc why"),
        ] {
            assert!(!is_moved(history, transcript), "{history}");
        }
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
