//! Gemini CLI: one JSONL file a session, and in older versions one JSON document, which is rewritten
//! whenever something happens.
//!
//! Both hold the same messages, so both are read by the same [`JsonlFormat`]: the lines of a file
//! ([`Jsonl`]), or the messages of a document ([`GeminiDocument`]).

mod chat_paths;
mod content;
mod document;
mod output;
mod prompt;
mod record;
mod tools;

use crate::cursor::{SeenIds, fingerprint, is_default};
use crate::session_storage::{read_sessions, show_sessions};
use crate::turn_writer::TurnWriter;
use crate::{
    AgentInfo, Cursor, CursorRedaction, Env, HistoryFolder, IndexedSpan, Jsonl, JsonlFormat,
    Listing, Location, PathSession, ShownTurns, Sink, Source, milliseconds,
};
use document::GeminiDocument;
use record::{GeminiCall, GeminiRecord, MessageList};
use serde::{Deserialize, Serialize};
use session_core::{PromptKind, SessionMeta};
use std::path::Path;

static AGENT: AgentInfo = AgentInfo {
    folders: &[".gemini"],
    variables: &["GEMINI_CLI_HOME"],
    folder_in_variable: ".gemini",
    session_paths: &["tmp/*/chats/session-*"],
    resume: &["gemini", "--resume", "{id}"],
    session_variables: &["GEMINI_SESSION_ID"],
    mark_variables: &["GEMINI_CLI"],
    ..AgentInfo::new("gemini", "Gemini CLI")
};

/// Gemini CLI.
#[derive(Debug)]
pub(crate) struct Gemini;

const LINES: Jsonl<GeminiFormat> = Jsonl(GeminiFormat);

impl Source for Gemini {
    fn agent(&self) -> &'static AgentInfo {
        &AGENT
    }

    fn locate(&self, env: &Env) -> Listing {
        LINES.locate(env)
    }

    fn read(&self, at: &Location, from: Option<&Cursor>, sink: &mut dyn Sink) {
        if is_document(&at.path) {
            read_sessions(GeminiDocument::open, &at.path, from, sink)
        } else {
            LINES.read(at, from, sink)
        }
    }

    fn show(&self, at: &Path, session: &SessionMeta, spans: &[IndexedSpan]) -> ShownTurns {
        if is_document(at) {
            show_sessions(GeminiDocument::open, at, session, spans)
        } else {
            LINES.show(at, session, spans)
        }
    }

    fn redact_cursor(&self, at: &Path, cursor: &Cursor, redaction: &CursorRedaction<'_>) -> Cursor {
        if is_document(at) {
            // The cursor of a document holds ids and hashes alone.
            cursor.clone()
        } else {
            LINES.redact_cursor(at, cursor, redaction)
        }
    }
}

fn is_document(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "json")
}

/// The messages of a session.
#[derive(Debug)]
pub(crate) struct GeminiFormat;

/// The knowledge that a message needs of those before it.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct GeminiState {
    /// The line that describes the session was met.
    #[serde(skip_serializing_if = "is_default")]
    has_header: bool,
    #[serde(skip_serializing_if = "is_default")]
    is_subagent: bool,
    #[serde(skip_serializing_if = "is_default")]
    has_prompt: bool,
    /// Messages that were read.
    #[serde(skip_serializing_if = "is_default")]
    seen: SeenIds,
    #[serde(skip_serializing_if = "is_default")]
    answer: AnswerProgress,
    /// Hash of the last summary.
    #[serde(skip_serializing_if = "is_default")]
    summary: u64,
    /// The client wrote a list of messages.
    #[serde(skip_serializing_if = "is_default")]
    has_list: bool,
    /// When the messages of a checkpoint began to be written here.
    #[serde(skip_serializing_if = "is_default")]
    replay: Option<i64>,
}

/// The parts read of the last answer, which is written again when its calls end.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct AnswerProgress {
    message: String,
    has_tokens: bool,
    /// Hashes of the ids of its calls.
    calls: Vec<u64>,
    /// Hashes of the ids of those that ended.
    ended: Vec<u64>,
}

/// Longest time that the messages of a checkpoint are being written, in milliseconds.
const MAX_REPLAY_MS: i64 = 10_000;

impl JsonlFormat for GeminiFormat {
    type Record<'a> = GeminiRecord<'a>;
    type State = GeminiState;

    fn agent(&self) -> &'static AgentInfo {
        &AGENT
    }

    fn files(&self) -> &'static [&'static str] {
        &[
            "tmp/*/chats/session-*.json",
            "tmp/*/chats/session-*.jsonl",
            "tmp/*/chats/*/*.jsonl",
        ]
    }

    /// Returns the folders to look in: the variable names another home folder.
    fn folders(&self, env: &Env) -> Vec<HistoryFolder> {
        let [variable] = AGENT.variables else {
            return Vec::new();
        };
        let Some(home) = env.get(variable) else {
            return AGENT.history_folders(env);
        };
        vec![HistoryFolder {
            path: env.path(home).join(AGENT.folder_in_variable),
            named_by: Some(variable),
        }]
    }

    fn parse_path_session(&self, path: &Path) -> Option<PathSession> {
        chat_paths::parse_path_session(path)
    }

    /// Drops copies of sessions.
    fn refine(&self, _env: &Env, listing: &mut Listing) {
        listing.continued = chat_paths::drop_copies(&mut listing.locations);
    }

    fn begin(&self, path: &Path, session: &mut SessionMeta) {
        chat_paths::set_directory(path, session);
    }

    /// Sets the directory where the client named it later.
    fn complete(&self, path: &Path, session: &mut SessionMeta) {
        if session.cwd.is_none() {
            chat_paths::set_directory(path, session);
        }
    }

    fn record(
        &self,
        record: GeminiRecord<'_>,
        state: &mut GeminiState,
        turns: &mut TurnWriter<'_>,
    ) {
        let ms = milliseconds(record.timestamp.or_empty());
        turns.set_time(ms);
        if let Some(changes) = &record.changes.0 {
            state.note_title(changes, turns);
            state.note_list(&changes.messages, turns);
        } else if record.rewind_to.get().is_some() {
            turns.notice("undone: the user took turns back");
        } else if let Some(id) = record.id.get() {
            // A header that comes later is not the file's own, which was damaged.
            state.has_header = true;
            turns.set_message(id);
            state.message(id, &record, ms, turns);
        } else if let Some(session) = record.session_id.get() {
            state.note_session(session, &record, turns);
        }
    }
}

impl GeminiState {
    /// Notes the session of the first such line, which is the file's own; others come with each resume.
    fn note_session(&mut self, id: &str, header: &GeminiRecord<'_>, turns: &mut TurnWriter<'_>) {
        if !self.has_header {
            self.has_header = true;
            self.is_subagent = header.kind_of_session.get() == Some("subagent");
            id.clone_into(&mut turns.session.id);
        }
        self.note_title(header, turns);
        if let Some(folder) = header.directories.0.first() {
            turns.set_directory(folder.or_empty());
        }
    }

    fn note_title(&self, record: &GeminiRecord<'_>, turns: &mut TurnWriter<'_>) {
        if let Some(title) = record.summary.get() {
            turns.set_title(title);
        }
    }

    /// Notes a list of messages, which repeats them in another shape: all that is new in it is how a compression began it.
    fn note_list(&mut self, messages: &Option<MessageList<'_>>, turns: &mut TurnWriter<'_>) {
        let Some(messages) = messages else { return };
        self.has_list = true;
        self.replay = None;
        let Some(summary) = messages.compression_summary() else {
            return;
        };
        let hash = fingerprint(&summary);
        if std::mem::replace(&mut self.summary, hash) != hash {
            turns.summary(&summary);
        }
    }

    fn message(
        &mut self,
        id: &str,
        record: &GeminiRecord<'_>,
        ms: Option<i64>,
        turns: &mut TurnWriter<'_>,
    ) {
        let is_new = !self.seen.repeats(id);
        let kind = record.kind.or_empty();
        if kind == "user" && is_new && self.has_list && record.content.begins_session() {
            turns.notice("a checkpoint was resumed");
            self.replay = ms;
        }
        if self.is_replayed(ms) {
            return;
        }
        match kind {
            "user" if is_new => self.user(id, record, turns),
            "gemini" => self.answer(id, is_new, record, turns),
            "info" | "warning" if is_new => turns.notice(&record.content.joined()),
            "error" if is_new && self.has_prompt => turns.error(&record.content.joined()),
            _ => {}
        }
    }

    /// Returns true while `/chat resume` writes the messages of another session here, or those that stand
    /// above: under new ids, until a list of them all.
    fn is_replayed(&self, ms: Option<i64>) -> bool {
        let since = self.replay.and_then(|begun| Some(ms? - begun));
        since.is_some_and(|since| since < MAX_REPLAY_MS)
    }

    fn user(&mut self, id: &str, record: &GeminiRecord<'_>, turns: &mut TurnWriter<'_>) {
        if prompt::is_client_message(record) || (self.is_subagent && self.has_prompt) {
            if !record.content.begins_session() {
                turns.notice(&record.content.joined());
            }
            return turns.touch();
        }
        let texts = record.content.texts();
        let (escapes, rest) = prompt::split_shell_escapes(&texts);
        for (n, escape) in escapes.iter().enumerate() {
            self.prompt(PromptKind::Command, &format!("!{}", escape.command), turns);
            turns.set_message(&format!("{id}/{}", n + 1));
            escape.push_call(&format!("{id}-{n}"), turns);
        }
        let sent = prompt::typed_words(rest);
        let shown = record.display_content.joined();
        match shown.trim() {
            // Results of calls, which stand with their calls.
            _ if rest.is_empty() => turns.touch(),
            shown if !shown.is_empty() && escapes.is_empty() => {
                self.prompt(prompt::prompt_kind(shown, &sent), shown, turns);
            }
            _ => self.prompt(PromptKind::Typed, &sent, turns),
        }
    }

    fn prompt(&mut self, kind: PromptKind, words: &str, turns: &mut TurnWriter<'_>) {
        self.has_prompt |= !words.is_empty();
        turns.prompt(kind.in_session(self.is_subagent), words);
    }

    /// Adds what is new of an answer, which is written as it comes, and again with its calls. Of one that is written after
    /// another nothing is new.
    fn answer(
        &mut self,
        id: &str,
        is_new: bool,
        record: &GeminiRecord<'_>,
        turns: &mut TurnWriter<'_>,
    ) {
        if is_new {
            self.answer = AnswerProgress {
                message: id.to_owned(),
                ..AnswerProgress::default()
            };
            push_answer(record, turns);
        }
        if self.answer.message != id {
            return;
        }
        if let Some(tokens) = record.tokens.0.as_ref().filter(|_| !self.answer.has_tokens) {
            self.answer.has_tokens = true;
            turns.tokens(tokens.tokens());
        }
        for (n, call) in record.tool_calls.0.iter().enumerate() {
            if let Some(call) = &call.0 {
                self.answer.call(call, n, turns);
            }
        }
    }
}

fn push_answer(record: &GeminiRecord<'_>, turns: &mut TurnWriter<'_>) {
    turns.model(record.model.or_empty());
    for thought in &record.thoughts.0 {
        let (subject, description) = (thought.subject.or_empty(), thought.description.or_empty());
        turns.thinking(&format!("{}\n{}", subject.trim(), description.trim()));
    }
    turns.text(&record.content.joined());
}

impl AnswerProgress {
    fn call(&mut self, call: &GeminiCall<'_>, n: usize, turns: &mut TurnWriter<'_>) {
        let unnamed = || format!("{}-{n}", self.message);
        let id = call.id.get().map_or_else(unnamed, str::to_owned);
        let hash = fingerprint(&id);
        if !self.calls.contains(&hash) {
            self.calls.push(hash);
            turns.call(tools::call(&id, call));
        }
        if call.has_ended() && !self.ended.contains(&hash) {
            self.ended.push(hash);
            if let Some(ms) = milliseconds(call.timestamp.or_empty()) {
                turns.set_time(Some(ms));
            }
            turns.result(tools::outcome(&id, call));
        }
    }
}
