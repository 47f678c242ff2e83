//! One kind of thing out of a session's turns.

use crate::args::Only;
use crate::output::session::rfc3339;
use crate::output::style::{CALL, FAILED, FAINT, ID, paint};
use serde::Serialize;
use session_core::text::printable;
use session_core::{AccessedFile, FileAccess, TurnContent};
use session_search::Exchange;

/// The things of one kind in a turn.
enum Things {
    Lines(Vec<(String, Option<&'static str>)>),
    Words(String),
}

/// The things of one kind in these turns, each turn by its number; empty where
/// there are none.
pub fn text(exchanges: &[Exchange], id: &str, only: Only) -> String {
    let mut out = String::new();
    for exchange in exchanges {
        let place = format!("{id}:{}", exchange.turn.index);
        match things(exchange, only) {
            Things::Lines(lines) if !lines.is_empty() => {
                out.push_str(&format!("{}\n", paint(ID, place)));
                lines
                    .iter()
                    .for_each(|line| out.push_str(&self::line(line)));
            }
            Things::Words(words) if !words.trim().is_empty() => {
                let words = printable(&words);
                out.push_str(&format!("{}\n{}\n\n", paint(ID, place), words.trim_end()));
            }
            _ => {}
        }
    }
    out
}

/// True when a turn has nothing of this kind.
pub fn is_empty(exchange: &Exchange, only: Only) -> bool {
    match things(exchange, only) {
        Things::Lines(lines) => lines.is_empty(),
        Things::Words(words) => words.trim().is_empty(),
    }
}

fn things(exchange: &Exchange, only: Only) -> Things {
    let content = TurnContent::from_turn(&exchange.turn);
    match only {
        Only::Commands => {
            let runs = content.command_runs();
            let command =
                |run: session_core::CommandRunRef<'_>| (format!("$ {}", run.command), end(&run));
            Things::Lines(runs.map(command).collect())
        }
        Only::Files => {
            let files = content.accessed_files();
            let file = |file: AccessedFile<'_>| (file.path.to_owned(), Some(name(file.access)));
            Things::Lines(files.map(file).collect())
        }
        Only::Errors => Things::Lines(content.errors.into_iter().map(|e| (e, None)).collect()),
        Only::Prompts => Things::Words(content.prompt),
        Only::Answers => Things::Words(content.answer),
    }
}

fn end(run: &session_core::CommandRunRef<'_>) -> Option<&'static str> {
    match (run.failed, run.unfinished) {
        (true, _) => Some("failed"),
        (_, true) => Some("unfinished"),
        _ => None,
    }
}

fn name(touch: FileAccess) -> &'static str {
    match touch {
        FileAccess::Read => "read",
        FileAccess::Edited => "edited",
        FileAccess::Written => "written",
    }
}

/// A command may have several lines; the note goes behind the first.
fn line((text, note): &(String, Option<&'static str>)) -> String {
    let style = if *note == Some("failed") {
        FAILED
    } else {
        FAINT
    };
    let note = note.map(|note| paint(style, format!("   {note}")));
    let safe = printable(text);
    let mut lines = safe.trim_end().lines();
    let first = paint(CALL, lines.next().unwrap_or_default());
    let mut out = format!("  {first}{}\n", note.unwrap_or_default());
    lines.for_each(|line| out.push_str(&format!("    {line}\n")));
    out
}

/// The things of one kind in a turn, as `docs/cli.md` describes them.
#[derive(Debug, Serialize)]
pub struct JsonOnly {
    turn: u32,
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<Vec<JsonRun>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<JsonFile>>,
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
    failed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unfinished: bool,
}

#[derive(Debug, Serialize)]
struct JsonFile {
    path: String,
    touch: FileAccess,
}

/// The things of one kind in a turn.
pub fn json(exchange: &Exchange, only: Only) -> JsonOnly {
    let content = TurnContent::from_turn(&exchange.turn);
    let runs = content.command_runs().map(|run| JsonRun {
        command: run.command.to_owned(),
        failed: run.failed,
        unfinished: run.unfinished,
    });
    let files = content.accessed_files().map(|file| JsonFile {
        path: file.path.to_owned(),
        touch: file.access,
    });
    JsonOnly {
        turn: exchange.turn.index,
        date: rfc3339(exchange.turn.started_ms),
        commands: (only == Only::Commands).then(|| runs.collect()),
        files: (only == Only::Files).then(|| files.collect()),
        errors: (only == Only::Errors).then(|| content.errors.clone()),
        prompt: (only == Only::Prompts).then(|| content.prompt.clone()),
        answer: (only == Only::Answers).then(|| content.answer.clone()),
    }
}
