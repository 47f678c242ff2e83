//! Codex CLI: one JSONL file a thread.
//!
//! All that was said stands there twice, as items of the model's conversation
//! (`response_item`) and as events of the interface (`event_msg`). Prompts are
//! taken from the events, which hold what was typed and nothing else; answers,
//! calls and their results from the items, which are the same in both modes of a
//! history, `legacy` and `paginated`. Only calls that a script of the model made are
//! recorded by events alone.

mod code_mode;
mod item;
mod output;
mod record;
mod segments;
mod titles;
mod tools;

use crate::cursor::{SeenIds, is_default};
use crate::turn_writer::TurnWriter;
use crate::{AgentInfo, Env, JsonlFormat, Listing, PathSession, milliseconds};
use record::Payload;
use serde::{Deserialize, Serialize};
use session_core::{PromptKind, SessionMeta, TokenTotals};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

static AGENT: AgentInfo = AgentInfo {
    folders: &[".codex"],
    variables: &["CODEX_HOME"],
    session_paths: &[
        "sessions/*/*/*/rollout-*",
        "sessions/rollout-*",
        "archived_sessions/rollout-*",
    ],
    resume: &["codex", "resume", "{id}"],
    fork: &["codex", "fork", "{id}"],
    session_variables: &["CODEX_THREAD_ID"],
    mark_variables: &["CODEX_SANDBOX"],
    ..AgentInfo::new("codex", "Codex CLI")
};

/// Threads of Codex CLI, of its desktop program and of its extensions for editors.
#[derive(Debug)]
pub(crate) struct Codex;

/// The knowledge that a line needs of those before it.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct CodexState {
    /// The thread's own id; empty before the first `session_meta`.
    #[serde(skip_serializing_if = "is_default")]
    thread: String,
    /// A program began the thread, not a person.
    #[serde(skip_serializing_if = "is_default")]
    is_subagent: bool,
    /// The turn at hand was begun by Codex itself, for a compaction or to report a review: what the
    /// model says in it is recorded elsewhere.
    #[serde(skip_serializing_if = "is_default")]
    is_own_task: bool,
    /// Id of the turn at hand, as Codex counts turns, and how many prompts it has had.
    #[serde(skip_serializing_if = "is_default")]
    turn: String,
    #[serde(skip_serializing_if = "is_default")]
    prompts: u32,
    /// Hash of the command that the user ran last.
    #[serde(skip_serializing_if = "is_default")]
    shell_escape: u64,
    #[serde(skip_serializing_if = "is_default")]
    model: String,
    /// Tokens of the thread so far.
    #[serde(skip_serializing_if = "is_default")]
    tokens: TokenTotals,
    #[serde(skip_serializing_if = "is_default")]
    calls: SpecialCalls,
    /// Ids of calls that scripts made.
    #[serde(skip_serializing_if = "is_default")]
    script_calls: SeenIds,
}

/// Calls whose results mean more than their text.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct SpecialCalls {
    /// Of commands that go on: id of the call by the number of the process.
    running: BTreeMap<u64, String>,
    /// Of calls that look after them: number of the process by the id of the call.
    polls: BTreeMap<String, u64>,
    /// Of questions to the user.
    questions: Vec<String>,
}

impl JsonlFormat for Codex {
    type Record<'a> = Payload<'a>;
    type State = CodexState;

    fn agent(&self) -> &'static AgentInfo {
        &AGENT
    }

    fn files(&self) -> &'static [&'static str] {
        &[
            "sessions/**/rollout-*.jsonl",
            "sessions/**/rollout-*.jsonl.zst",
            "archived_sessions/**/rollout-*.jsonl",
            "archived_sessions/**/rollout-*.jsonl.zst",
        ]
    }

    fn own_id<'s>(&self, session: &'s str) -> &'s str {
        thread_id(session)
    }

    fn has_prompt_history(&self) -> bool {
        true
    }

    /// Joins the segments of threads.
    fn refine(&self, _env: &Env, listing: &mut Listing) {
        segments::join(&mut listing.locations);
    }

    fn continuations(&self, path: &Path) -> Vec<PathBuf> {
        segments::list(path)
    }

    /// Reads the id in `rollout-<time>-<id>.jsonl`; after an undo `<id>_<segment>`, which goes on with that file.
    fn parse_path_session(&self, path: &Path) -> Option<PathSession> {
        let name = path.file_name()?.to_str()?.strip_prefix("rollout-")?;
        let name = name.split('.').next()?;
        let id = name.get("2026-01-01T00-00-00-".len()..);
        Some(PathSession {
            session: Some(id.filter(|id| !id.is_empty()).unwrap_or(name).to_owned()),
            parent: None,
        })
    }

    fn complete(&self, path: &Path, session: &mut SessionMeta) {
        if let Some(title) = titles::given_title(path, thread_id(&session.id)) {
            session.title = Some(title);
        }
    }

    fn record(&self, record: Payload<'_>, state: &mut CodexState, turns: &mut TurnWriter<'_>) {
        turns.set_time(milliseconds(record.timestamp.or_empty()));
        let kind = record.kind.or_empty();
        match (kind, &record.payload.0) {
            ("session_meta", Some(payload)) => state.note_session(payload, turns),
            ("turn_context", Some(payload)) => state.note_context(payload, turns),
            ("response_item", Some(payload)) => item::add(payload, state, turns),
            ("event_msg", Some(payload)) => state.event(payload, turns),
            ("compacted", Some(payload)) => turns.summary(payload.message.or_empty()),
            (_, None) => state.bare_item(&record, turns),
            _ => {}
        }
    }
}

/// Returns the id of a thread, without that of a segment that an undo began.
fn thread_id(session: &str) -> &str {
    session.split('_').next().unwrap_or(session)
}

impl CodexState {
    /// Notes the session of the first such line, which is the file's own; others came with a copied history or a resume.
    fn note_session(&mut self, meta: &Payload<'_>, turns: &mut TurnWriter<'_>) {
        if !self.thread.is_empty() {
            return;
        }
        let id = meta
            .id
            .get()
            .unwrap_or_else(|| thread_id(&turns.session.id));
        self.thread = id.to_owned();
        self.is_subagent = meta.source.is_subagent;
        let session = &mut turns.session;
        match session.id.split_once('_') {
            // What came before the undo is in another file.
            Some((thread, _)) if thread == self.thread => {
                session.forked_from = Some(self.thread.clone());
            }
            _ => session.id.clone_from(&self.thread),
        }
        if let Some(id) = meta.forked_from_id.get() {
            session.forked_from = Some(id.to_owned());
        }
        if let Some(id) = meta
            .parent_thread_id
            .get()
            .or(meta.source.parent.as_deref())
        {
            session.parent = Some(id.to_owned());
        }
        turns.set_directory(meta.cwd.or_empty());
        if let Some(git) = &meta.git.0 {
            turns.set_branch(git.branch.or_empty());
        }
    }

    /// Takes an item by itself: before September 2025 a file had these, and no events.
    fn bare_item(&mut self, item: &Payload<'_>, turns: &mut TurnWriter<'_>) {
        match (item.kind.or_empty(), item.role.or_empty()) {
            ("", _) if item.id.get().is_some() => self.note_session(item, turns),
            ("message", "user") => {
                let words = item.content.joined();
                self.prompt(PromptKind::Typed, tools::typed_words_of_item(&words), turns);
            }
            _ => item::add(item, self, turns),
        }
    }

    fn note_context(&mut self, context: &Payload<'_>, turns: &mut TurnWriter<'_>) {
        self.begin_codex_turn(context.turn_id.or_empty());
        self.is_own_task = false;
        turns.set_directory(context.cwd.or_empty());
        context.model.or_empty().clone_into(&mut self.model);
    }

    fn begin_codex_turn(&mut self, id: &str) {
        if self.turn != id {
            id.clone_into(&mut self.turn);
            self.prompts = 0;
        }
    }

    /// Opens a turn. Its id is the same in a fork, where its time is not.
    fn prompt(&mut self, kind: PromptKind, words: &str, turns: &mut TurnWriter<'_>) {
        if !self.turn.is_empty() {
            turns.set_message(&format!("{}/{}", self.turn, self.prompts));
        }
        self.prompts += 1;
        self.is_own_task = false;
        turns.prompt(kind.in_session(self.is_subagent), words);
    }

    /// Events of the interface that record what no item does.
    fn event(&mut self, event: &Payload<'_>, turns: &mut TurnWriter<'_>) {
        match event.kind.or_empty() {
            "task_started" => {
                self.begin_codex_turn(event.turn_id.or_empty());
                self.is_own_task = true;
            }
            "task_complete" => {
                turns.touch();
                if let Some(error) = &event.error.0 {
                    turns.error(error.message.or_empty());
                }
            }
            "user_message" => self.user_message(event, turns),
            "error" => turns.error(event.message.or_empty()),
            "turn_aborted" => turns.notice(&format!("turn {}", event.reason.or_empty())),
            "thread_rolled_back" => turns.notice("undone: the user took turns back"),
            "thread_name_updated" => turns.set_title(event.thread_name.or_empty()),
            "entered_review_mode" => self.enter_review(event.user_facing_hint.or_empty(), turns),
            "exited_review_mode" => item::review(&event.review_output, turns),
            "exec_command_end" if event.source.name == "user_shell" => {
                self.shell_escape(
                    &event.command_line(),
                    event.call_id.or_empty(),
                    event,
                    turns,
                );
            }
            "exec_command_end" | "patch_apply_end" => self.end_of_call(event, turns),
            "mcp_tool_call_end" => item::end(event, turns),
            "item_completed" => self.thread_item(event, turns),
            "token_count" => self.count_tokens(event, turns),
            _ => {}
        }
    }

    fn user_message(&mut self, message: &Payload<'_>, turns: &mut TurnWriter<'_>) {
        let is_plain = matches!(message.kind_of_message.or_empty(), "" | "plain");
        let words = tools::typed_words(message.message.or_empty());
        let has_image = message.images.0.len() + message.local_images.0.len() > 0;
        match words {
            "" if has_image => self.prompt(PromptKind::Typed, "[Image]", turns),
            words if is_plain => self.prompt(PromptKind::Typed, words, turns),
            _ => {}
        }
    }

    fn enter_review(&mut self, hint: &str, turns: &mut TurnWriter<'_>) {
        let command = format!("/review {hint}");
        self.prompt(PromptKind::Command, command.trim_end(), turns);
    }

    /// Adds the tokens of an event. Codex writes the counts of the thread and of the last answer. It may write the same
    /// counts more than once, and none after an answer. A thread may begin with the count of another thread, and return
    /// to an earlier count.
    fn count_tokens(&mut self, event: &Payload<'_>, turns: &mut TurnWriter<'_>) {
        let Some(info) = &event.info.0 else { return };
        let total = info.total_token_usage.tokens();
        let known = std::mem::replace(&mut self.tokens, total);
        let has_fallen = !known.saturating_sub(total).is_zero();
        turns.tokens(match total == known {
            true => return,
            false if known.is_zero() || has_fallen => info.last_token_usage.tokens(),
            false => total.saturating_sub(known),
        });
    }
}
