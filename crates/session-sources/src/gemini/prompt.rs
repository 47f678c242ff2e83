//! Separates what a user typed from what the client writes in the user's role.

use super::record::GeminiRecord;
use super::{output, tools};
use crate::TurnWriter;
use crate::turn_writer::CallOutcome;
use session_core::PromptKind;

/// Beginnings of messages that the client writes by itself.
const CLIENT_MESSAGES: [&str; 6] = [
    "System: Please continue.",
    "System: Potential loop detected.",
    "[System: ",
    "You have stopped calling tools without finishing.",
    "Here is the user's editor context",
    "Here is a summary of changes in the user's editor context",
];

/// The lines before the contents of files that a prompt names, as the command line and an editor write them.
const FILES_FOLLOW: [&str; 2] = [
    "--- Content from referenced files ---",
    "--- Content from referenced context ---",
];
/// The tag of text that a hook adds to a prompt.
const HOOK_CONTEXT: &str = "<hook_context>";
/// Beginnings of prompts that were typed while the model works.
const STEERING: [&str; 2] = ["User steering update:\n", "User hints:\n"];

/// The prompt by which the client goes on; its `displayContent` repeats the typed one.
const CONTINUE: &str = "Please continue.";

/// Returns true for a message that the client wrote by itself.
pub(super) fn is_client_message(record: &GeminiRecord<'_>) -> bool {
    let texts = record.content.texts();
    let first = texts.first().map_or("", |text| text.trim());
    let is_repeated = !record.display_content.texts().is_empty();
    record.content.begins_session()
        || (is_repeated && first == CONTINUE)
        || CLIENT_MESSAGES.iter().any(|begin| first.starts_with(begin))
}

/// Returns what was typed of these texts.
pub(super) fn typed_words(texts: &[&str]) -> String {
    let is_file = |text: &str| FILES_FOLLOW.iter().any(|line| text.starts_with(line));
    let is_typed = |text: &&&str| !is_file(text.trim_start());
    let texts = texts.iter().take_while(is_typed);
    let texts = texts.filter(|text| !text.trim_start().starts_with(HOOK_CONTEXT));
    let words: Vec<&str> = texts.map(|text| steering(without_context(text))).collect();
    words.join("\n").trim().to_owned()
}

/// Returns the kind of a prompt: a slash command is sent as the text that it stands for.
pub(super) fn prompt_kind(shown: &str, sent: &str) -> PromptKind {
    if shown.starts_with('/') && !sent.starts_with('/') {
        PromptKind::Command
    } else {
        PromptKind::Typed
    }
}

/// Returns a text without the files and the hook context that older versions put behind the prompt.
fn without_context(text: &str) -> &str {
    let ends = FILES_FOLLOW.into_iter().chain([HOOK_CONTEXT]);
    let ends = ends.filter_map(|end| text.find(&format!("\n{end}")));
    ends.min().map_or(text, |end| &text[..end])
}

fn steering(text: &str) -> &str {
    let inner = || {
        let (_, rest) = text.split_once("<user_input>\n")?;
        Some(rest.rsplit_once("\n</user_input>")?.0)
    };
    if STEERING.iter().any(|begin| text.starts_with(begin)) {
        inner().unwrap_or(text)
    } else {
        text
    }
}

/// A command that the user ran, as the model gets it.
pub(super) struct TypedCommand<'t> {
    pub command: &'t str,
    output: &'t str,
}

/// Splits the commands that the user ran from the texts after them.
pub(super) fn split_shell_escapes<'s, 't>(
    texts: &'s [&'t str],
) -> (Vec<TypedCommand<'t>>, &'s [&'t str]) {
    let escapes: Vec<TypedCommand<'_>> = texts
        .iter()
        .map_while(|text| TypedCommand::parse(text))
        .collect();
    let rest = texts.get(escapes.len()..).unwrap_or_default();
    (escapes, rest)
}

impl<'t> TypedCommand<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let rest = text.trim_start();
        let rest = rest.strip_prefix("I ran the following shell command:\n```sh\n")?;
        let (command, rest) = rest.split_once("\n```\n\nThis produced the following result:\n")?;
        let output = rest.trim().trim_start_matches("```");
        Some(Self {
            command,
            output: output.strip_suffix("```").unwrap_or(output).trim(),
        })
    }

    /// Adds the command as a call with its result.
    pub(super) fn push_call(&self, id: &str, turns: &mut TurnWriter<'_>) {
        turns.call(tools::user_shell(id, self.command));
        turns.result(CallOutcome {
            id: id.to_owned(),
            output: output::unless_empty(self.output).to_owned(),
            status: output::status_by_prefix(self.output),
            ..CallOutcome::default()
        });
    }
}
