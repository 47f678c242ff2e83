//! Commands, files, errors, prompts or answers of a session's turns.

use crate::session_label::format_rfc3339;
use crate::style::{CALL, FAILED, FAINT, ID, paint};
use serde::Serialize;
use session_core::text::sanitize_text;
use session_core::{AccessedFile, CallStatus, FileAccess, TurnAddress, TurnContent};
use session_search::Exchange;

/// A kind of item in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnItemKind {
    /// Commands, with those that failed.
    Commands,
    /// Files, with what was done to them.
    Files,
    /// The words of the user.
    Prompts,
    /// The words of the agent.
    Answers,
    /// Error lines of outputs.
    Errors,
}

impl TurnItemKind {
    /// All kinds, in the order of the help.
    pub const ALL: [Self; 5] = [
        Self::Commands,
        Self::Files,
        Self::Prompts,
        Self::Answers,
        Self::Errors,
    ];

    /// Returns its name as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Files => "files",
            Self::Prompts => "prompts",
            Self::Answers => "answers",
            Self::Errors => "errors",
        }
    }
}

/// Formats that turns have no item of this kind.
pub fn format_no_items(kind: TurnItemKind) -> &'static str {
    match kind {
        TurnItemKind::Commands => "no command ran in these turns",
        TurnItemKind::Files => "no file was read or changed in these turns",
        TurnItemKind::Prompts => "no prompt stands in these turns",
        TurnItemKind::Answers => "no answer stands in these turns",
        TurnItemKind::Errors => "no error stands in these turns",
    }
}

/// The items of one kind in a turn.
enum TurnItems {
    Lines(Vec<ItemLine>),
    Words(String),
}

/// An item that is a line, such as a command or a path.
struct ItemLine {
    text: String,
    note: ItemNote,
}

/// A note behind an item.
enum ItemNote {
    Nothing,
    Status(CallStatus),
    Access(FileAccess),
}

impl ItemNote {
    /// Formats the note in its colour; empty where there is nothing to note.
    fn format(&self) -> String {
        let (words, style) = match self {
            Self::Nothing => (None, FAINT),
            Self::Status(CallStatus::Failed) => (CallStatus::Failed.label(), FAILED),
            Self::Status(status) => (status.label(), FAINT),
            Self::Access(access) => (Some(access.label()), FAINT),
        };
        words.map_or(String::new(), |words| paint(style, format!("   {words}")))
    }
}

/// Formats the items of one kind in these turns, each turn by its number; empty where there are none.
pub fn format_items(exchanges: &[Exchange], id: &str, kind: TurnItemKind) -> String {
    let mut out = String::new();
    for exchange in exchanges {
        let address = TurnAddress::new(id, exchange.turn.index);
        match collect_items(exchange, kind) {
            TurnItems::Lines(lines) if !lines.is_empty() => {
                out.push_str(&format!("{}\n", paint(ID, &address)));
                lines
                    .iter()
                    .for_each(|line| out.push_str(&format_item(line)));
            }
            TurnItems::Words(words) if !words.trim().is_empty() => {
                let words = sanitize_text(&words);
                out.push_str(&format!(
                    "{}\n{}\n\n",
                    paint(ID, &address),
                    words.trim_end()
                ));
            }
            _ => {}
        }
    }
    out
}

/// Returns true where a turn has an item of this kind.
pub fn has_items(exchange: &Exchange, kind: TurnItemKind) -> bool {
    match collect_items(exchange, kind) {
        TurnItems::Lines(lines) => !lines.is_empty(),
        TurnItems::Words(words) => !words.trim().is_empty(),
    }
}

fn collect_items(exchange: &Exchange, kind: TurnItemKind) -> TurnItems {
    let content = TurnContent::from_turn(&exchange.turn);
    match kind {
        TurnItemKind::Commands => {
            let runs = content.command_runs();
            let command = |run: session_core::CommandRunRef<'_>| ItemLine {
                text: format!("$ {}", run.command),
                note: ItemNote::Status(run.status),
            };
            TurnItems::Lines(runs.map(command).collect())
        }
        TurnItemKind::Files => {
            let files = content.accessed_files();
            let file = |file: AccessedFile<'_>| ItemLine {
                text: file.path.to_owned(),
                note: ItemNote::Access(file.access),
            };
            TurnItems::Lines(files.map(file).collect())
        }
        TurnItemKind::Errors => {
            let error = |text| ItemLine {
                text,
                note: ItemNote::Nothing,
            };
            TurnItems::Lines(content.errors.into_iter().map(error).collect())
        }
        TurnItemKind::Prompts => TurnItems::Words(content.prompt),
        TurnItemKind::Answers => TurnItems::Words(content.answer),
    }
}

/// Formats an item with its note behind the first line: a command may have several.
fn format_item(ItemLine { text, note }: &ItemLine) -> String {
    let safe = sanitize_text(text);
    let mut lines = safe.trim_end().lines();
    let first = paint(CALL, lines.next().unwrap_or_default());
    let mut out = format!("  {first}{}\n", note.format());
    lines.for_each(|line| out.push_str(&format!("    {line}\n")));
    out
}

/// The items of one kind in a turn, as `docs/cli.md` describes them.
#[derive(Debug, Serialize)]
pub struct JsonItems {
    turn: u32,
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<Vec<JsonRun>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<JsonAccessedFile>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
}

#[derive(Debug, Serialize)]
struct JsonRun {
    command: String,
    #[serde(flatten)]
    status: CallStatus,
}

#[derive(Debug, Serialize)]
struct JsonAccessedFile {
    path: String,
    touch: FileAccess,
}

impl JsonItems {
    /// Returns the items of one kind in a turn.
    pub fn new(exchange: &Exchange, kind: TurnItemKind) -> Self {
        let content = TurnContent::from_turn(&exchange.turn);
        let runs = content.command_runs().map(|run| JsonRun {
            command: run.command.to_owned(),
            status: run.status,
        });
        let files = content.accessed_files().map(|file| JsonAccessedFile {
            path: file.path.to_owned(),
            touch: file.access,
        });
        Self {
            turn: exchange.turn.index,
            date: format_rfc3339(exchange.turn.started_ms),
            commands: (kind == TurnItemKind::Commands).then(|| runs.collect()),
            files: (kind == TurnItemKind::Files).then(|| files.collect()),
            errors: (kind == TurnItemKind::Errors).then(|| content.errors.clone()),
            prompt: (kind == TurnItemKind::Prompts).then(|| content.prompt.clone()),
            answer: (kind == TurnItemKind::Answers).then(|| content.answer.clone()),
        }
    }
}
