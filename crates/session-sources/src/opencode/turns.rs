//! From messages to turns.

use super::command;
use super::message::{Header, MessageRole, StoredMessage};
use super::part::PartContent;
use super::tool;
use crate::attached_files::append_file_names;
use session_core::{
    CallStatus, FileAccess, PauseClock, PromptKind, ReadDetail, ToolCall, Turn, TurnPart, TurnSpan,
};

/// The mark of messages that OpenCode keeps until the next prompt.
const REVERTED: &str = "reverted: the user undid what follows";

/// Gathers messages, given in their order, into turns.
#[derive(Debug)]
pub(super) struct TurnBuilder {
    detail: ReadDetail,
    /// In a subagent's session the "user" is a model.
    subagent: bool,
    next_index: u32,
    open: Option<Turn>,
    /// Greatest time of the open turn.
    clock: PauseClock,
    /// The open turn is a shell command that is yet to come.
    awaits_shell: bool,
    /// The first message that the user undid.
    reverted_from: Option<String>,
}

impl TurnBuilder {
    /// Begins without any message; the first turn gets the index `first`.
    pub(super) fn new(first: u32, subagent: bool, detail: ReadDetail) -> Self {
        Self {
            detail,
            subagent,
            next_index: first,
            open: None,
            clock: PauseClock::default(),
            awaits_shell: false,
            reverted_from: None,
        }
    }

    /// Marks what the user undid: the message `from` and those after it.
    pub(super) fn reverted(mut self, from: Option<String>) -> Self {
        self.reverted_from = from;
        self
    }

    /// Adds a message, and gives the turn that it ended by opening another.
    pub(super) fn push(&mut self, mut message: StoredMessage) -> Option<Turn> {
        let opening = opening(&mut message);
        if self.open.is_none() && message.header.role == MessageRole::Other {
            return None;
        }
        let ended = if opening.is_some() {
            self.open.take()
        } else {
            None
        };
        if opening.is_some() || self.open.is_none() {
            self.awaits_shell = opening.as_ref().is_some_and(|o| o.shell);
            self.open_turn(opening, &message);
        }
        self.extend(message);
        ended
    }

    /// Returns the last turn.
    pub(super) fn finish(self) -> Option<Turn> {
        self.open
    }

    fn open_turn(&mut self, opening: Option<TurnOpening>, message: &StoredMessage) {
        let kind = match &opening {
            None => PromptKind::None,
            Some(_) if self.subagent => PromptKind::Model,
            Some(opening) => opening.kind,
        };
        self.open = Some(Turn {
            index: self.next_index,
            origin: Some(message.id.clone()),
            started_ms: message.header.created,
            span: TurnSpan {
                start: message.ordinal,
                end: message.ordinal,
            },
            kind,
            typed_bytes: opening.as_ref().map(|o| o.typed_bytes),
            prompt: opening.map(|o| o.prompt).unwrap_or_default(),
            ..Turn::default()
        });
        self.clock = PauseClock::default();
        self.next_index = self.next_index.saturating_add(1);
    }

    fn extend(&mut self, message: StoredMessage) {
        let Some(turn) = &mut self.open else { return };
        let StoredMessage {
            id,
            ordinal,
            header,
            parts,
        } = message;
        turn.span.end = ordinal + 1;
        turn.ended_ms = turn.ended_ms.max(header.created).max(header.completed);
        turn.leaf = Some(id.clone());
        for at in [header.created, header.completed] {
            turn.turn_stats.add_idle(self.clock.advance(at));
        }
        turn.turn_stats.tokens += header.tokens;
        turn.turn_stats
            .add_model(header.model.as_deref().unwrap_or_default());
        if header.role == MessageRole::Other {
            return;
        }
        // Ids ascend with time.
        if self.reverted_from.as_ref().is_some_and(|from| *from <= id) && !is_marked(turn) {
            turn.parts.push(reverted_notice());
        }
        for content in parts {
            if self.awaits_shell {
                self.awaits_shell = !name_shell_command(turn, &content);
            }
            let part = part(content, &header, self.detail, &turn.parts);
            turn.parts.extend(part);
        }
        let error = header.error.map(|text| TurnPart::Error { text });
        turn.parts.extend(error);
    }
}

/// How a turn begins.
#[derive(Debug)]
struct TurnOpening {
    kind: PromptKind,
    prompt: String,
    typed_bytes: usize,
    shell: bool,
}

impl TurnOpening {
    /// Makes the opening by typed words and the files that are attached to them.
    fn new(kind: PromptKind, words: String, parts: &[PartContent]) -> Self {
        Self {
            kind,
            typed_bytes: words.len(),
            prompt: append_file_names(words, parts.iter().filter_map(file_name)),
            shell: false,
        }
    }
}

/// Returns the turn that a user's message opens, when there is something of the user in it:
/// not when it asks for a compaction, and not when all of it was put there by
/// the program. The words that become the prompt are taken out of it.
fn opening(message: &mut StoredMessage) -> Option<TurnOpening> {
    if message.header.role != MessageRole::User
        || message
            .parts
            .iter()
            .any(|content| matches!(content, PartContent::Compaction))
    {
        return None;
    }
    if let Some(words) = take_words(&mut message.parts) {
        let (kind, words) = match command::typed_command(&words) {
            Some(command) => (PromptKind::Command, command),
            None => (PromptKind::Typed, words),
        };
        return Some(TurnOpening::new(kind, words, &message.parts));
    }
    if message
        .parts
        .iter()
        .any(|content| matches!(content, PartContent::Shell))
    {
        return Some(TurnOpening {
            kind: PromptKind::Command,
            prompt: String::new(),
            typed_bytes: 0,
            shell: true,
        });
    }
    if let Some((kind, prompt)) = message.parts.iter().find_map(subtask) {
        return Some(TurnOpening::new(kind, prompt, &message.parts));
    }
    let files = TurnOpening::new(PromptKind::Typed, String::new(), &message.parts);
    (!files.prompt.is_empty()).then_some(files)
}

fn file_name(content: &PartContent) -> Option<&str> {
    match content {
        PartContent::File(name) => Some(name),
        _ => None,
    }
}

fn take_words(parts: &mut Vec<PartContent>) -> Option<String> {
    let mut words = String::new();
    parts.retain(|content| {
        let PartContent::Words(more) = content else {
            return true;
        };
        if !words.is_empty() {
            words.push_str("\n\n");
        }
        words.push_str(more);
        false
    });
    let kept = session_core::text::clip_words(&words, session_core::TEXT_LIMIT).len();
    words.truncate(kept);
    Some(words).filter(|words| !words.is_empty())
}

fn subtask(content: &PartContent) -> Option<(PromptKind, String)> {
    match content {
        PartContent::Subtask {
            command: Some(name),
            prompt,
        } => Some((PromptKind::Command, command::command_line(name, prompt))),
        PartContent::Subtask { prompt, .. } => Some((PromptKind::Typed, prompt.trim().to_owned()))
            .filter(|(_, prompt)| !prompt.is_empty()),
        _ => None,
    }
}

/// Returns true when the content is the shell command that the open turn waits for.
fn name_shell_command(turn: &mut Turn, content: &PartContent) -> bool {
    match content {
        PartContent::Call(ToolCall {
            command: Some(command),
            ..
        }) => {
            turn.prompt = format!("!{command}");
            turn.typed_bytes = None;
            true
        }
        _ => false,
    }
}

fn reverted_notice() -> TurnPart {
    TurnPart::Notice {
        text: REVERTED.to_owned(),
    }
}

fn is_marked(turn: &Turn) -> bool {
    turn.parts
        .iter()
        .any(|part| matches!(part, TurnPart::Notice { text } if text == REVERTED))
}

/// Converts the content of a part, in a turn with the parts `before`.
fn part(
    content: PartContent,
    header: &Header,
    detail: ReadDetail,
    before: &[TurnPart],
) -> Option<TurnPart> {
    let full = detail == ReadDetail::Full;
    match content {
        PartContent::Words(text) if header.summary => full.then_some(TurnPart::Summary { text }),
        PartContent::Words(text) if header.role == MessageRole::User => {
            full.then_some(TurnPart::Notice { text })
        }
        PartContent::Words(text) => Some(TurnPart::Text { text }),
        PartContent::Aside(text) => Some(TurnPart::Notice { text }),
        PartContent::Reasoning(text) => Some(TurnPart::Thinking { text }),
        PartContent::Call(call) => Some(TurnPart::Call(call)),
        PartContent::Patch(files) => patch(files, before).map(TurnPart::Call),
        PartContent::Shell
        | PartContent::File(_)
        | PartContent::Subtask { .. }
        | PartContent::Compaction => None,
    }
}

/// Returns the changed files that no call before changed: those that a command did.
fn patch(mut files: Vec<String>, before: &[TurnPart]) -> Option<ToolCall> {
    files.retain(|file| !file.is_empty() && !before.iter().any(|part| changed(part, file)));
    (!files.is_empty()).then(|| tool::patch(files))
}

/// Returns true for a call that changed a file: calls may name it from the working directory on, patches are absolute.
fn changed(part: &TurnPart, file: &str) -> bool {
    let TurnPart::Call(call) = part else {
        return false;
    };
    if call.file_access() == FileAccess::Read || call.status != CallStatus::Done {
        return false;
    }
    call.files.iter().any(|named| {
        file.strip_suffix(named.as_str())
            .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
    })
}
