//! Commands, files, edits, errors, prompts or answers of a session's turns.

use crate::exchange_text::format_diffs;
use crate::style::{CALL, FAILED, FAINT, ID, paint};
use anstyle::Style;
use serde::{Deserialize, Serialize};
use session_core::text::sanitize_text;
use session_core::{AccessedFile, CallStatus, CommandRunRef, TurnAddress, TurnContent, TurnPart};
use session_display::{Note, format_rfc3339};
use session_export::{CallView, TextLimit};
use session_search::Exchange;
use session_store::{TurnId, TurnRow};

/// A kind of item in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnItemKind {
    /// Commands, with those that failed.
    Commands,
    /// Files, with what was done to them.
    Files,
    /// Edits of files, as diffs.
    Edits,
    /// The words of the user.
    Prompts,
    /// The words of the agent.
    Answers,
    /// Error lines of outputs.
    Errors,
}

impl TurnItemKind {
    /// All kinds, in the order of the help.
    pub const ALL: [Self; 6] = [
        Self::Commands,
        Self::Files,
        Self::Edits,
        Self::Prompts,
        Self::Answers,
        Self::Errors,
    ];

    /// Returns its name as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Files => "files",
            Self::Edits => "edits",
            Self::Prompts => "prompts",
            Self::Answers => "answers",
            Self::Errors => "errors",
        }
    }
}

/// Notes that turns have no item of this kind; `last` is the turn before them that has one.
pub fn format_no_items(kind: TurnItemKind, last: Option<&TurnAddress>) -> Note {
    let note = Note::new(match kind {
        TurnItemKind::Commands => "no command ran in these turns",
        TurnItemKind::Files => "no file was read or changed in these turns",
        TurnItemKind::Edits => "no call edited a file in these turns",
        TurnItemKind::Prompts => "no prompt stands in these turns",
        TurnItemKind::Answers => "no answer stands in these turns",
        TurnItemKind::Errors => "no error stands in these turns",
    });
    note.with_hints(last.map(|address| format!("{address} is the last turn before them with one")))
}

/// Formats the items of one kind in these turns, each turn by its number; empty where there are none. With a limit commands
/// and diffs are cut.
pub fn format_items(
    exchanges: &[Exchange],
    id: &str,
    kind: TurnItemKind,
    limit: Option<TextLimit>,
) -> String {
    let mut out = String::new();
    for exchange in exchanges {
        let items = TurnItems::collect(exchange, kind).shorten(limit);
        if !items.is_empty() {
            let address = TurnAddress::new(id, exchange.turn.index);
            out.push_str(&format!("{}\n{}", paint(ID, &address), items.format()));
        }
    }
    out
}

/// Returns true if a turn has an item of this kind.
pub fn has_items(exchange: &Exchange, kind: TurnItemKind) -> bool {
    !TurnItems::collect(exchange, kind).is_empty()
}

/// Most turns that are looked at for one with an item.
const MAX_SOUGHT_TURNS: usize = 64;

/// Finds the last turn before the turn `first` that has an item of a kind, by what the index holds of the turns, which
/// `read` reads. `rows` are all turns of the session.
///
/// # Errors
/// When a turn cannot be read.
pub fn find_turn_with_items<E>(
    rows: &[TurnRow],
    first: u32,
    kind: TurnItemKind,
    read: impl Fn(TurnId) -> Result<TurnContent, E>,
) -> Result<Option<u32>, E> {
    let before = rows.iter().rev().filter(|row| row.index < first);
    for row in before.take(MAX_SOUGHT_TURNS) {
        if holds_items(&read(row.id)?, kind) {
            return Ok(Some(row.index));
        }
    }
    Ok(None)
}

/// Returns true if the index has an item of this kind of a turn. It does not know edits.
fn holds_items(content: &TurnContent, kind: TurnItemKind) -> bool {
    match kind {
        TurnItemKind::Commands => !content.commands.is_empty(),
        TurnItemKind::Files => !content.files.is_empty(),
        // A file that a shell command wrote is a change and no edit.
        TurnItemKind::Edits => false,
        TurnItemKind::Errors => !content.errors.is_empty(),
        TurnItemKind::Prompts => !content.prompt.trim().is_empty(),
        TurnItemKind::Answers => !content.answer.trim().is_empty(),
    }
}

/// The items of one kind in a turn, as `docs/cli.md` describes them.
#[derive(Debug, Serialize)]
pub struct JsonItems {
    turn: u32,
    date: Option<String>,
    #[serde(flatten)]
    items: TurnItems,
}

impl JsonItems {
    /// Returns the items of one kind in a turn; with a limit commands and diffs are cut.
    pub fn new(exchange: &Exchange, kind: TurnItemKind, limit: Option<TextLimit>) -> Self {
        Self {
            turn: exchange.turn.index,
            date: format_rfc3339(exchange.turn.started_ms),
            items: TurnItems::collect(exchange, kind).shorten(limit),
        }
    }
}

/// The items of one kind in a turn.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum TurnItems {
    Commands(Vec<RunItem>),
    Files(Vec<AccessedFile>),
    Edits(Vec<EditItem>),
    Errors(Vec<String>),
    Prompt(String),
    Answer(String),
}

/// A command that ran.
#[derive(Debug, Serialize)]
struct RunItem {
    command: String,
    #[serde(flatten)]
    status: CallStatus,
}

/// The edits that a call made.
#[derive(Debug, Serialize)]
struct EditItem {
    files: Vec<String>,
    /// Lines with the marks of a unified diff, `…` for those that are left out.
    diff: String,
    #[serde(flatten)]
    status: CallStatus,
}

impl TurnItems {
    fn collect(exchange: &Exchange, kind: TurnItemKind) -> Self {
        let content = TurnContent::from_turn(&exchange.turn);
        let to_run = |run: CommandRunRef<'_>| RunItem {
            command: run.command.to_owned(),
            status: run.status,
        };
        match kind {
            TurnItemKind::Commands => Self::Commands(content.command_runs().map(to_run).collect()),
            TurnItemKind::Files => {
                Self::Files(content.accessed_files().map(AccessedFile::from).collect())
            }
            TurnItemKind::Edits => Self::Edits(EditItem::collect(exchange)),
            TurnItemKind::Errors => Self::Errors(content.errors),
            TurnItemKind::Prompts => Self::Prompt(content.prompt),
            TurnItemKind::Answers => Self::Answer(content.answer),
        }
    }

    /// Cuts commands and diffs. What was said stays whole, and the others are a line each.
    fn shorten(mut self, limit: Option<TextLimit>) -> Self {
        let cut = |text: &mut String| {
            if let Some(limit) = limit {
                *text = limit.shorten(text);
            }
        };
        match &mut self {
            Self::Commands(runs) => runs.iter_mut().for_each(|run| cut(&mut run.command)),
            Self::Edits(edits) => edits.iter_mut().for_each(|edit| cut(&mut edit.diff)),
            Self::Files(_) | Self::Errors(_) | Self::Prompt(_) | Self::Answer(_) => {}
        }
        self
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Commands(runs) => runs.is_empty(),
            Self::Files(files) => files.is_empty(),
            Self::Edits(edits) => edits.is_empty(),
            Self::Errors(errors) => errors.is_empty(),
            Self::Prompt(words) | Self::Answer(words) => words.trim().is_empty(),
        }
    }

    /// Formats the items, each with its note in its colour.
    fn format(&self) -> String {
        match self {
            Self::Commands(runs) => runs.iter().map(RunItem::format).collect(),
            Self::Files(files) => files.iter().map(format_file).collect(),
            Self::Edits(edits) => edits.iter().map(EditItem::format).collect(),
            Self::Errors(errors) => errors.iter().map(|error| format_item(error, "")).collect(),
            Self::Prompt(words) | Self::Answer(words) => {
                format!("{}\n\n", sanitize_text(words).trim_end())
            }
        }
    }
}

impl RunItem {
    fn format(&self) -> String {
        format_item(&format!("$ {}", self.command), &format_status(self.status))
    }
}

impl EditItem {
    fn collect(exchange: &Exchange) -> Vec<Self> {
        let calls = exchange.turn.parts.iter().filter_map(|part| match part {
            TurnPart::Call(call) => Some(call),
            _ => None,
        });
        let edits = calls.map(|call| Self {
            files: call.files.clone(),
            diff: format_diffs(&CallView::new(call).edits),
            status: call.status,
        });
        edits.filter(|edit| !edit.diff.is_empty()).collect()
    }

    fn format(&self) -> String {
        let head = format_item(&self.files.join(", "), &format_status(self.status));
        let diff = sanitize_text(&self.diff);
        let lines = diff.lines().map(|line| format!("    {line}\n"));
        head + &lines.collect::<String>()
    }
}

/// Formats the end of a call that is not just done.
fn format_status(status: CallStatus) -> String {
    let style = if status.is_failed() { FAILED } else { FAINT };
    let note = status.label().map(|label| format_note(style, label));
    note.unwrap_or_default()
}

fn format_file(file: &AccessedFile) -> String {
    format_item(&file.path, &format_note(FAINT, file.access.label()))
}

fn format_note(style: Style, words: &str) -> String {
    paint(style, format!("   {words}"))
}

/// Formats an item with its note behind the first line: a command may have several.
fn format_item(text: &str, note: &str) -> String {
    let safe = sanitize_text(text);
    let mut lines = safe.trim_end().lines();
    let first = paint(CALL, lines.next().unwrap_or_default());
    let mut out = format!("  {first}{note}\n");
    lines.for_each(|line| out.push_str(&format!("    {line}\n")));
    out
}
