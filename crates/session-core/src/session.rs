//! The data model of a history: sessions, turns, parts and calls.

use crate::call_status::CallStatus;
use crate::prompt_kind::PromptKind;
use crate::turn_stats::TurnStats;
use crate::{shell, text};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Longest text of one prompt, answer or output that is kept, in bytes. What
/// is longer is cut at a character boundary; an output has a note of that in its last line.
pub const TEXT_LIMIT: usize = 256 * 1024;

/// Metadata of a session. A source sends it when it opens a
/// session and again, more complete, when it has read to the end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMeta {
    /// The agent's own id: a UUID, `ses_…`, or `agent-…` for a subagent.
    pub id: String,
    /// Id of the session that started this one, for a subagent.
    pub parent: Option<String>,
    /// Best title known, by the source's own order of titles. `None` when the
    /// agent gave none; the store then falls back to the first prompt.
    pub title: Option<String>,
    /// First working directory.
    pub cwd: Option<String>,
    /// Root of the project, when it is another folder than `cwd`: the main
    /// checkout of a git worktree.
    pub project: Option<String>,
    /// Last git branch seen.
    pub branch: Option<String>,
    /// Id of the session that this one was forked or resumed from, if stated.
    pub forked_from: Option<String>,
    /// It began with turns of another session, whose id its history does not state.
    #[serde(default)]
    pub is_unnamed_fork: bool,
    /// The agent keeps nothing of it but its prompts: its transcript was deleted.
    #[serde(default)]
    pub prompts_only: bool,
}

/// The span of a turn in its history file.
///
/// For JSONL files: bytes, half open. For databases: ordinals of messages in
/// the session, half open. Only the source that made a span can read it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnSpan {
    /// First byte or ordinal.
    pub start: u64,
    /// One past the last.
    pub end: u64,
}

/// A user message with all that the agent did until the next one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Position in the session, from 0.
    pub index: u32,
    /// True when this is more of a turn that was delivered earlier, not always the last one: its
    /// parts are to be appended, its prompt is empty, its span, unless it is empty, extends.
    pub continues: bool,
    /// The message's own identity across copies of a history (a UUID, or the
    /// one it was forked from). Two turns with one origin are one turn.
    pub origin: Option<String>,
    /// Id of the last message of the turn, by which a summary in another file
    /// may name it.
    pub leaf: Option<String>,
    /// Start time of the turn's first message, in milliseconds since 1970, UTC.
    pub started_ms: Option<i64>,
    /// Greatest time in the turn.
    pub ended_ms: Option<i64>,
    /// Git branch at its end.
    pub branch: Option<String>,
    /// Its span in the history.
    pub span: TurnSpan,
    /// The origin of the prompt.
    pub kind: PromptKind,
    /// The user's words that begin the turn, without reminders and wrappers.
    pub prompt: String,
    /// Bytes at the beginning of the prompt, as it was read, that were typed, where the source knows that something else
    /// follows: pastes, which a client marks, or names of attached files.
    #[serde(skip)]
    pub typed_bytes: Option<usize>,
    /// Answers, calls and notices, in order.
    pub parts: Vec<TurnPart>,
    /// Time, tokens and models; of a turn that continues one, those of the continuation.
    #[serde(default)]
    pub turn_stats: TurnStats,
}

impl Turn {
    /// Returns the part of the prompt that was typed, as far as the source tells. Of a prompt in which secrets were replaced
    /// it may be another part.
    pub fn typed_prompt(&self) -> &str {
        let typed = self.typed_bytes.and_then(|bytes| self.prompt.get(..bytes));
        typed.unwrap_or(&self.prompt)
    }
}

/// One thing that happened in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum TurnPart {
    /// The agent's words to the user.
    Text {
        /// The words.
        text: String,
    },
    /// The agent's reasoning. Only with [`ReadDetail::Full`].
    Thinking {
        /// The words.
        text: String,
    },
    /// A tool call with its result, as far as known.
    Call(ToolCall),
    /// A notice of the program: an interruption, a command's output,
    /// background news. Shown, never indexed. Only with [`ReadDetail::Full`].
    Notice {
        /// The words.
        text: String,
    },
    /// An error that ended an answer: of the model's provider, or an
    /// interruption. Its lines are indexed with those of outputs.
    Error {
        /// The words.
        text: String,
    },
    /// A recap of the session in prose that the program wrote (`away_summary`):
    /// short and good for search, indexed with the answer.
    Recap {
        /// The words.
        text: String,
    },
    /// A compaction summary: repeats the session, so shown but never indexed.
    /// Only with [`ReadDetail::Full`].
    Summary {
        /// The words.
        text: String,
    },
}

impl TurnPart {
    /// Returns the name of the part, as it stands above it.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Text { .. } => "answer",
            Self::Thinking { .. } => "thinking",
            Self::Call(_) => "call",
            Self::Notice { .. } => "notice",
            Self::Error { .. } => "error",
            Self::Recap { .. } => "recap",
            Self::Summary { .. } => "summary after compaction",
        }
    }
}

/// A tool call, its names normalised to Claude Code's (`Bash`, `file_path`).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The call's id, joining it to its result. May be empty.
    pub id: String,
    /// Tool name: `Bash`, `Edit`, `mcp__server__tool`.
    pub name: String,
    /// Shell command, for tools that run one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Files the call names (`file_path`, `path`, `notebook_path`, patches), or its command writes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The whole input. `Null` unless [`ReadDetail::Full`].
    #[serde(skip_serializing_if = "serde_json::Value::is_null")]
    pub input: serde_json::Value,
    /// The whole output with [`ReadDetail::Full`]; with [`ReadDetail::Index`] only its
    /// error lines, see [`crate::find_error_lines`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The end of the call.
    #[serde(flatten)]
    pub status: CallStatus,
    /// Session id of the subagent that the call started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// Addresses of the pull requests that its command opened.
    #[serde(skip)]
    pub pull_requests: Vec<String>,
    /// Its questions to the user and the reply.
    #[serde(skip)]
    pub dialog: Option<Box<CallDialog>>,
    /// The position of the call, for a result whose call an earlier read delivered.
    #[serde(skip)]
    pub delivered: Option<Box<DeliveredCall>>,
}

/// A question of a call to the user, and the user's words in its result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallDialog {
    /// Questions, a line each.
    pub question: Option<String>,
    /// Answers to its questions, or what to do instead of it.
    pub reply: Option<String>,
}

impl CallDialog {
    /// Makes a dialog of these, if there is either.
    pub fn new(question: Option<String>, reply: Option<String>) -> Option<Box<Self>> {
        let is_known = question.is_some() || reply.is_some();
        is_known.then(|| Box::new(Self { question, reply }))
    }

    /// Merges what a later line records of the same call.
    pub fn merge(known: &mut Option<Box<Self>>, more: Option<Box<Self>>) {
        match (known.as_mut(), more) {
            (Some(known), Some(more)) => {
                known.question = more.question.or_else(|| known.question.take());
                known.reply = more.reply.or_else(|| known.reply.take());
            }
            (None, more) => *known = more,
            (Some(_), None) => {}
        }
    }
}

/// The position in its turn of a call that was delivered before its result: which of the turn's
/// command runs, changes and reads of files belong to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveredCall {
    /// The number of commands that ran before it, if it ran one.
    pub run: Option<u32>,
    /// The number of files that were changed before it.
    #[serde(rename = "change")]
    pub first_change: u32,
    /// The number of files that it changed.
    #[serde(rename = "changes")]
    pub change_count: u32,
    /// The number of files that were read before it.
    #[serde(rename = "read", default)]
    pub first_read: u32,
    /// The number of files that it read.
    #[serde(rename = "reads", default)]
    pub read_count: u32,
}

/// Fields of a call's input that describe it in a few words, the best first.
const SUBJECT_FIELDS: [&str; 5] = ["description", "skill", "command", "query", "url"];

/// The access of a turn to a file, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileAccess {
    /// The file was named, mostly to read it.
    Read,
    /// A part of the file was changed.
    Edited,
    /// The whole file was written.
    Written,
}

impl FileAccess {
    /// Returns the access as a label.
    pub fn label(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edited => "edited",
            Self::Written => "written",
        }
    }
}

impl ToolCall {
    /// The name of a list of files that changed, whichever tool or command did it:
    /// no tool.
    pub const PATCH: &'static str = "Patch";

    /// Returns the command as it is kept, if it ran one: a long one abridged, and none of this program,
    /// since our own hits in a transcript would find themselves.
    pub fn kept_command(&self) -> Option<Cow<'_, str>> {
        let command = self.command.as_deref()?;
        let kept = !command.trim().is_empty() && !shell::runs_only_own_program(command);
        kept.then(|| shell::abridge_command(command))
    }

    /// Returns the subject of the call: its command, the pattern that it looks for, its first file, a description in its
    /// input, or its questions. The input is known with [`ReadDetail::Full`] alone.
    pub fn subject(&self) -> Option<&str> {
        let description = || {
            let mut fields = SUBJECT_FIELDS.into_iter();
            fields.find_map(|name| self.text_input(name))
        };
        let file = || self.files.first().map(String::as_str);
        let question = || self.dialog.as_ref()?.question.as_deref();
        let subject = self.command.as_deref().or_else(|| self.search_pattern());
        let subject = subject.or_else(file);
        subject.or_else(description).or_else(question)
    }

    /// Returns the pattern that a call looks for in files or in their names; `None` for one that changes files.
    pub fn search_pattern(&self) -> Option<&str> {
        let pattern = self.text_input("pattern").filter(|it| !it.is_empty())?;
        (self.file_access() == FileAccess::Read).then_some(pattern)
    }

    fn text_input(&self, name: &str) -> Option<&str> {
        self.input.get(name)?.as_str()
    }

    /// Returns how it accesses the files that it names.
    pub fn file_access(&self) -> FileAccess {
        match self.name.as_str() {
            "Write" => FileAccess::Written,
            Self::PATCH | "" | "Edit" | "MultiEdit" | "NotebookEdit" | "ApplyPatch" => {
                FileAccess::Edited
            }
            // Those that its command writes.
            _ if self.command.is_some() => FileAccess::Edited,
            other if has_change_verb(other) => FileAccess::Edited,
            _ => FileAccess::Read,
        }
    }

    /// Counts the files that it changes, or tries to.
    pub fn count_changed_files(&self) -> u32 {
        match self.file_access() {
            FileAccess::Read => 0,
            _ => u32::try_from(self.files.len()).unwrap_or(u32::MAX),
        }
    }

    /// Counts the files that it reads, or tries to.
    pub fn count_read_files(&self) -> u32 {
        match self.file_access() {
            FileAccess::Read => u32::try_from(self.files.len()).unwrap_or(u32::MAX),
            _ => 0,
        }
    }

    /// Returns true when error lines in the output are the call's own: it ran a command
    /// or failed. Text of a file or a page about errors is none, nor is why it did not run.
    pub(crate) fn reports_errors(&self) -> bool {
        let is_own = self.command.is_some() && self.status != CallStatus::NotRun;
        is_own || self.status.is_failed()
    }
}

/// Verbs in the name of a tool that changes the files that it names.
const CHANGE_VERBS: [&str; 14] = [
    "write", "edit", "replace", "patch", "append", "create", "insert", "delete", "remove", "move",
    "rename", "save", "update", "design",
];

/// Returns true for a third party's tool with a verb of change in its name, as
/// `mcp__fs__write_file`. The name of its server does not count.
fn has_change_verb(tool: &str) -> bool {
    let of_server = tool
        .strip_prefix("mcp__")
        .and_then(|name| name.split_once("__"));
    let name = of_server.map_or(tool, |(_, name)| name);
    let humps = text::camel_case_parts(std::iter::once(name));
    let words = name.split(|c: char| !c.is_alphanumeric());
    let mut words = words.chain(humps.split(' '));
    words.any(|word| CHANGE_VERBS.contains(&&*word.to_lowercase()))
}

/// The detail in which a source builds a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadDetail {
    /// The parts that the index holds: texts, commands, paths, error lines.
    Index,
    /// Everything, for `show`.
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_says_what_it_is_about() {
        let call = |command: Option<&str>, files: &[&str], input| ToolCall {
            command: command.map(str::to_owned),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            input,
            ..ToolCall::default()
        };
        let agent = json!({"description": "Find the leak", "prompt": "Look at …"});
        let skill = json!({"skill": "deploy", "args": "staging"});
        for (call, subject) in [
            (call(Some("ls"), &[], agent.clone()), Some("ls")),
            (call(None, &["/a"], agent.clone()), Some("/a")),
            (call(None, &[], agent), Some("Find the leak")),
            (call(None, &[], skill), Some("deploy")),
            (
                call(None, &[], json!({"command": "/deploy"})),
                Some("/deploy"),
            ),
            (call(None, &[], json!({"description": 7})), None),
            (call(None, &[], json!(null)), None),
        ] {
            assert_eq!(call.subject(), subject);
        }
        let search = json!({"output_mode": "content", "path": "/a", "pattern": "fn a"});
        for (name, files, input, subject) in [
            ("Grep", &["/a"][..], search.clone(), Some("fn a")),
            ("ReplaceText", &["/a"], search, Some("/a")),
            (
                "WebSearch",
                &[],
                json!({"query": "lamp oil"}),
                Some("lamp oil"),
            ),
            (
                "WebFetch",
                &[],
                json!({"prompt": "p", "url": "u"}),
                Some("u"),
            ),
        ] {
            let name = name.to_owned();
            let call = ToolCall {
                name,
                ..call(None, files, input)
            };
            assert_eq!(call.subject(), subject);
        }
    }

    #[test]
    fn a_tool_that_says_so_changes_its_files() {
        let access = |name: &str| {
            let call = ToolCall {
                name: name.to_owned(),
                ..ToolCall::default()
            };
            call.file_access()
        };
        for name in [
            "mcp__fs__write_file",
            "mcp__fs__create_file",
            "mcp__fs__delete_file",
            "mcp__fs__move-file",
            "mcp__code__insert_after_symbol",
            "mcp__pen__batch_design",
            "mcp__ide__renameSymbol",
            "RemoveFile",
            "save",
        ] {
            assert_eq!(access(name), FileAccess::Edited, "{name}");
        }
        for name in [
            "mcp__fs__read_file",
            "mcp__edit__find_symbol",
            "mcp__fs__created_files",
            "mcp__fs__removable_drives",
            "WebFetch",
        ] {
            assert_eq!(access(name), FileAccess::Read, "{name}");
        }
    }
}
