//! The texts that are embedded: one per turn, a few per session.

use crate::slash_command::is_bare_command;
use crate::{TurnContent, prompt_content, text};

/// Returns the text that stands for a turn in the dense index: the user's words and
/// the head of the answer, at most `budget` bytes together. `None` when the
/// turn has no searchable words.
///
/// Each side may have half of the budget, and the other side what one leaves over.
pub fn build_turn_document(content: &TurnContent, budget: usize) -> Option<String> {
    let prompt = indexable_text(&content.prompt);
    let answer = indexable_text(&content.answer);
    if (is_bare_command(prompt) || prompt_content::lacks_content(prompt))
        && prompt_content::lacks_content(answer)
    {
        return None;
    }
    let room = budget.saturating_sub(answer.len()).max(budget / 2);
    let prompt = text::clip(prompt, room);
    let answer = text::clip(answer, budget.saturating_sub(prompt.len()));
    let mut document = String::with_capacity(prompt.len() + 1 + answer.len());
    document.push_str(prompt);
    if !prompt.is_empty() && !answer.is_empty() {
        document.push('\n');
    }
    document.push_str(answer);
    document.truncate(document.trim_end().len());
    Some(document)
}

/// Returns the texts that stand for a session: its title and all that the user said,
/// cut at turn boundaries into chunks of at most `budget` bytes. A prompt
/// longer than that is clipped.
pub fn build_session_documents<'a>(
    title: Option<&'a str>,
    prompts: impl Iterator<Item = &'a str>,
    budget: usize,
) -> Vec<String> {
    let mut builder = SessionChunks::new(budget);
    let texts = title.into_iter().chain(prompts.map(session_prompt));
    let mut chunks: Vec<String> = texts.filter_map(|text| builder.push(text)).collect();
    chunks.extend(builder.finish());
    chunks
}

/// Builds the texts that stand for a session, as [`build_session_documents`] does, from one prompt after the other.
#[derive(Debug)]
pub struct SessionChunks {
    budget: usize,
    last: Option<String>,
}

impl SessionChunks {
    /// Begins a session without texts.
    pub fn new(budget: usize) -> Self {
        Self { budget, last: None }
    }

    /// Adds a prompt and returns the chunk that it completes, if any.
    pub fn push_prompt(&mut self, prompt: &str) -> Option<String> {
        self.push(session_prompt(prompt))
    }

    /// Adds the title, or a prompt that may be indexed, and returns the chunk that it completes, if any.
    pub fn push(&mut self, text: &str) -> Option<String> {
        if prompt_content::lacks_content(text) {
            return None;
        }
        let text = text::clip(text, self.budget);
        match &mut self.last {
            Some(last) if last.len() + text.len() < self.budget => {
                last.push('\n');
                last.push_str(text);
                None
            }
            last => last.replace(text.to_owned()),
        }
    }

    /// Returns the last chunk.
    pub fn finish(&mut self) -> Option<String> {
        self.last.take()
    }
}

/// Returns a prompt as it stands for its session: a slash command without arguments does not.
fn session_prompt(prompt: &str) -> &str {
    if is_bare_command(prompt) {
        ""
    } else {
        indexable_text(prompt)
    }
}

/// Returns the text, unless it is a blob of data or this tool's own output.
fn indexable_text(words: &str) -> &str {
    let words = words.trim();
    if prompt_content::is_json_blob(words) || prompt_content::is_own_output(words) {
        ""
    } else {
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(prompt: &str, answer: &str) -> TurnContent {
        TurnContent {
            prompt: prompt.into(),
            answer: answer.into(),
            ..TurnContent::default()
        }
    }

    #[test]
    fn both_sides_get_their_share() {
        let document =
            build_turn_document(&content(&"p ".repeat(500), &"a ".repeat(500)), 200).unwrap();
        assert!(document.len() <= 201, "{}", document.len());
        assert_eq!(document.matches('p').count(), 50);
        assert_eq!(document.matches('a').count(), 50);
        let short = build_turn_document(&content("Where is the port set?", &"a ".repeat(500)), 200)
            .unwrap();
        assert!(short.matches('a').count() > 80);
    }

    #[test]
    fn a_bare_yes_is_no_document() {
        assert_eq!(build_turn_document(&content("yes", ""), 900), None);
        assert_eq!(
            build_turn_document(&content("{\"a\": [1, 2, 3]}", "ok"), 900),
            None
        );
        assert_eq!(
            build_turn_document(&content("SESSIONS  \"oil the gate\"   3 sessions", ""), 900),
            None
        );
        assert!(build_turn_document(&content("fix EMFILE", ""), 900).is_some());
        assert!(
            build_turn_document(&content("yes", "The watcher leaks one handle a file."), 900)
                .is_some()
        );
    }

    #[test]
    fn a_bare_command_is_no_document_unless_it_is_answered() {
        assert_eq!(build_turn_document(&content("/plugin", ""), 900), None);
        for (prompt, answer) in [("/review the parser", ""), ("/review", "The parser leaks.")] {
            assert!(build_turn_document(&content(prompt, answer), 900).is_some());
        }
        let chunks = build_session_documents(None, ["/plugin", "Oil the gate"].into_iter(), 900);
        assert_eq!(chunks, ["Oil the gate"]);
    }

    #[test]
    fn sessions_are_cut_between_turns() {
        let prompts = [
            "Rename the parser module",
            "ok",
            "Now the tests fail on Windows",
            "Publish it to crates.io",
        ];
        let chunks = build_session_documents(Some("parser work"), prompts.into_iter(), 60);
        assert_eq!(
            chunks,
            [
                "parser work\nRename the parser module",
                "Now the tests fail on Windows\nPublish it to crates.io",
            ]
        );
    }
}
