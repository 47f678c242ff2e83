//! Cursor's command line: one JSONL file a session, with neither ids nor times, nor results of
//! calls. The editor writes such files, too, of sessions that its database has.

use crate::cursor::is_default;
use crate::cursor_ide::has_database;
use crate::file::entries_if_there;
use crate::folder_walk::folder_cannot_be_listed;
use crate::json::{joined_texts, text, texts};
use crate::project::set_directory;
use crate::warning::warning;
use crate::{
    AgentInfo, CallOutcome, Env, JsonlFormat, Listing, PathSession, TurnWriter, cursor_tools, file,
};
use fs_err::DirEntry;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use session_core::{CallStatus, PromptKind, SessionMeta};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

static AGENT: AgentInfo = AgentInfo {
    folders: &[".cursor"],
    resume: &["cursor-agent", "--resume", "{id}"],
    mark_variables: &["CURSOR_AGENT"],
    ..AgentInfo::new("cursor-cli", "Cursor CLI")
};

/// Cursor's command line.
#[derive(Debug)]
pub(crate) struct CursorCli;

/// The knowledge that a line needs of those before it.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct CursorCliState {
    /// Time of the last prompt that says one, in milliseconds since 1970.
    #[serde(skip_serializing_if = "is_default")]
    prompted: Option<i64>,
}

impl JsonlFormat for CursorCli {
    type Record<'a> = Value;
    type State = CursorCliState;

    fn agent(&self) -> &'static AgentInfo {
        &AGENT
    }

    fn files(&self) -> &'static [&'static str] {
        &[
            "projects/*/agent-transcripts/*.jsonl",
            "projects/*/agent-transcripts/*/*.jsonl",
            "projects/*/agent-transcripts/*/subagents/*.jsonl",
        ]
    }

    fn parse_path_session(&self, path: &Path) -> Option<PathSession> {
        let folder = path.parent()?;
        let parent = match folder.file_name()?.to_str()? {
            "subagents" => folder.parent()?.file_name(),
            _ => None,
        };
        Some(PathSession {
            session: Some(path.file_stem()?.to_str()?.to_owned()),
            parent: parent.and_then(|id| Some(id.to_str()?.to_owned())),
        })
    }

    /// Drops the sessions of the editor.
    fn refine(&self, env: &Env, listing: &mut Listing) {
        if listing.locations.is_empty() || !has_database(env) {
            return;
        }
        let mut own = HashSet::new();
        for folder in AGENT.history_folders(env) {
            let found = SessionFolders::list(&folder.path);
            own.extend(found.folders.iter().filter_map(|path| session_name(path)));
            for (unlisted, error) in found.unlisted {
                // Not at the folder itself: which transcripts are of its sessions is not known, so that none is gone.
                let reason = folder_cannot_be_listed(&unlisted, &error);
                listing.warnings.push(warning(&folder.path, reason));
            }
        }
        listing
            .locations
            .retain(|at| is_own(&at.path_session, &own));
    }

    fn begin(&self, path: &Path, session: &mut SessionMeta) {
        let own = session.parent.as_ref().unwrap_or(&session.id);
        let root = path
            .ancestors()
            .find(|folder| folder.ends_with("projects"))
            .and_then(Path::parent);
        let folders = root.map(|root| SessionFolders::list(root).folders);
        let mut folders = folders.into_iter().flatten();
        let folder = folders.find(|folder| folder.ends_with(own));
        if let Some(meta) = folder.and_then(|folder| chat_meta(&folder.join("meta.json"))) {
            set_directory(session, &meta.cwd.unwrap_or_default());
            session.title = meta.title.filter(|_| session.parent.is_none());
        }
    }

    /// Sets the title, which comes after the first prompt and may change.
    fn complete(&self, path: &Path, session: &mut SessionMeta) {
        self.begin(path, session);
    }

    fn record(&self, record: Value, state: &mut CursorCliState, turns: &mut TurnWriter<'_>) {
        let content = &record["message"]["content"];
        match text(&record, "role") {
            "user" => prompt(content, state, turns),
            "assistant" => {
                state.set_time(turns);
                answer(content, turns);
            }
            _ => {}
        }
    }
}

/// Returns true for a session of the command line, or a subagent's of it.
fn is_own(path_session: &PathSession, own: &HashSet<String>) -> bool {
    let session = path_session
        .parent
        .as_ref()
        .or(path_session.session.as_ref());
    session.is_some_and(|id| own.contains(id))
}

/// Folders in which the command line keeps its own state of each session: `chats/<hash of the
/// working directory>/<id>`.
#[derive(Default)]
struct SessionFolders {
    folders: Vec<PathBuf>,
    /// The folders above them that cannot be listed.
    unlisted: Vec<(PathBuf, io::Error)>,
}

impl SessionFolders {
    fn list(folder: &Path) -> Self {
        let mut found = Self::default();
        for hash in found.list_or_note(folder.join("chats")) {
            let mut sessions = found.list_or_note(hash);
            found.folders.append(&mut sessions);
        }
        found
    }

    fn list_or_note(&mut self, folder: PathBuf) -> Vec<PathBuf> {
        let entries = entries_if_there(&folder).unwrap_or_else(|error| {
            self.unlisted.push((folder, error));
            Vec::new()
        });
        entries.iter().map(DirEntry::path).collect()
    }
}

fn session_name(folder: &Path) -> Option<String> {
    Some(folder.file_name()?.to_str()?.to_owned())
}

impl CursorCliState {
    /// Sets the time of a line to that of its prompt. Without one it keeps that of the file's last change.
    fn set_time(&self, turns: &mut TurnWriter<'_>) {
        if self.prompted.is_some() {
            turns.set_time(self.prompted);
        }
    }
}

/// The part of a session's `meta.json` that is read.
#[derive(Deserialize)]
struct ChatMeta {
    cwd: Option<String>,
    title: Option<String>,
}

/// Most bytes of `meta.json` that are read.
const META_LIMIT: u64 = 64 << 10;

fn chat_meta(path: &Path) -> Option<ChatMeta> {
    let json = file::read_limited(path, META_LIMIT).ok()?;
    serde_json::from_slice(&json).ok()
}

/// Adds the prompt of a user's message. Only the text in `<user_query>` was typed. A text that begins with another tag was
/// added by the program.
fn prompt(content: &Value, state: &mut CursorCliState, turns: &mut TurnWriter<'_>) {
    for words in texts(content) {
        if let Some(ms) = tagged(words, "timestamp").and_then(prompt_time) {
            state.prompted = Some(ms);
        }
        state.set_time(turns);
        match tagged(words, "user_query") {
            Some(typed) => turns.prompt(PromptKind::Typed, typed),
            None if words.trim_start().starts_with('<') => turns.notice(words),
            None => turns.prompt(PromptKind::Typed, words),
        }
    }
    for block in content.as_array().into_iter().flatten() {
        if text(block, "type") == "tool_result" {
            turns.result(CallOutcome {
                id: text(block, "tool_use_id").to_owned(),
                output: joined_texts(&block["content"]),
                status: CallStatus::from_failure(block["is_error"] == true),
                ..CallOutcome::default()
            });
        }
    }
}

/// Returns the text between the first opening tag and the last closing one.
fn tagged<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    Some(rest.rsplit_once(&format!("</{tag}>"))?.0)
}

/// Reads a time like `Friday, Sep 4, 2026, 2:21 AM (UTC+8)`, in milliseconds since 1970. One
/// without an offset is local.
fn prompt_time(text: &str) -> Option<i64> {
    let (time, zone) = text.split_once(" (UTC").unwrap_or((text, ""));
    let (_, date) = time.split_once(", ")?;
    let date = DateTime::strptime("%b %d, %Y, %I:%M %p", date.trim()).ok()?;
    let zone = match zone.strip_suffix(')') {
        None => TimeZone::system(),
        Some(offset) => TimeZone::fixed(utc_offset(offset)?),
    };
    let zoned = date.to_zoned(zone).ok()?;
    Some(zoned.timestamp().as_millisecond())
}

/// Reads `+8`, `-7`, `+5:30`, or nothing for UTC itself.
fn utc_offset(text: &str) -> Option<Offset> {
    let (hours, minutes) = text.split_once(':').unwrap_or((text, "0"));
    if text.is_empty() {
        return Some(Offset::UTC);
    }
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let minutes = minutes.checked_mul(sign * 60)?;
    let seconds = hours.checked_mul(3600)?.checked_add(minutes)?;
    Offset::from_seconds(seconds).ok()
}

/// Stands for reasoning that Cursor does not keep.
const REDACTED: &str = "[REDACTED]";

fn answer(content: &Value, turns: &mut TurnWriter<'_>) {
    let kept = |words: &str| words.trim_end().trim_end_matches(REDACTED).to_owned();
    if let Some(words) = content.as_str() {
        turns.text(&kept(words));
    }
    for block in content.as_array().into_iter().flatten() {
        match text(block, "type") {
            "text" => turns.text(&kept(text(block, "text"))),
            "tool_use" => {
                let name = text(block, "name");
                turns.call(cursor_tools::call("", name, block["input"].clone()));
            }
            _ => {}
        }
    }
}
