//! Turns in full: read again from the agent's history, else from the index.

use serde::Serialize;
use session_core::{
    AccessedFileRef, CallStatus, CommandRunRef, FileAccess, ToolCall, Turn, TurnContent, TurnPart,
};
use session_redact::Redactor;
use session_sources::{IndexedSpan, find_source};
use session_store::{Reader, SessionRow, StoreError, TurnRow};
use std::collections::HashMap;
use std::path::Path;

/// A turn with all its parts, as it is shown, and where it was read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exchange {
    /// The turn.
    #[serde(flatten)]
    pub turn: Turn,
    /// Where it was read.
    pub origin: TurnOrigin,
}

/// Where a shown turn was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TurnOrigin {
    /// The agent's history: everything is there.
    History,
    /// The index, because the history is gone or changed: the words, commands
    /// and paths, no outputs.
    Index,
    /// Nowhere: the user forgot it, or the configuration excludes it.
    Forgotten,
}

impl TurnOrigin {
    /// Returns what a reader has to know of a turn that is not from the history, without capital and full stop.
    pub fn note(self) -> Option<&'static str> {
        match self {
            Self::History => None,
            Self::Index => {
                Some("from the index: the history is gone or changed, outputs are not kept")
            }
            Self::Forgotten => Some("forgotten or excluded"),
        }
    }
}

/// Reads turns of a session again in full. What the history no longer has comes from the index. What is read is redacted.
///
/// # Errors
/// When the index fails.
pub fn read_exchanges(
    index: &Reader,
    session: &SessionRow,
    rows: &[TurnRow],
    redactor: &Redactor,
) -> Result<Vec<Exchange>, StoreError> {
    let mut read = reread_turns(index, session, rows)?;
    let is_redacted = index.is_redacted_by(&redactor.rules_fingerprint())?;
    rows.iter()
        .map(|row| match read.remove(&row.index) {
            Some(mut turn) => {
                redactor.redact_turn(&mut turn);
                Ok(Exchange {
                    turn,
                    origin: TurnOrigin::History,
                })
            }
            None => {
                let redactor = (!is_redacted).then_some(redactor);
                Ok(Exchange {
                    turn: read_indexed_turn(index, row, redactor)?,
                    origin: origin_without_history(row),
                })
            }
        })
        .collect()
}

/// Makes a turn from what the index holds of it, redacted where there is a redactor.
fn read_indexed_turn(
    index: &Reader,
    row: &TurnRow,
    redactor: Option<&Redactor>,
) -> Result<Turn, StoreError> {
    let mut content = index.content(row.id)?;
    let mut branch = row.branch.clone();
    if let Some(redactor) = redactor {
        redactor.redact_content(&mut content);
        branch = branch.map(|name| redactor.redact(&name).into_owned());
    }
    Ok(Turn {
        branch,
        ..make_turn(row, content)
    })
}

/// Redacts the title, the branch and the project of a session that is shown, as its turns are, where the index holds them as
/// other rules left them.
///
/// # Errors
/// When the index fails.
pub fn redact_session_row(
    index: &Reader,
    session: &mut SessionRow,
    redactor: &Redactor,
) -> Result<(), StoreError> {
    if index.is_redacted_by(&redactor.rules_fingerprint())? {
        return Ok(());
    }
    let mut meta = session.meta();
    redactor.redact_session(&mut meta);
    redactor.redact_project(&mut meta);
    (session.title, session.branch, session.project) = (meta.title, meta.branch, meta.project);
    Ok(())
}

fn origin_without_history(row: &TurnRow) -> TurnOrigin {
    if row.is_excluded() {
        TurnOrigin::Forgotten
    } else {
        TurnOrigin::Index
    }
}

/// Returns the turns that the history still has, by their indexes.
fn reread_turns(
    index: &Reader,
    session: &SessionRow,
    rows: &[TurnRow],
) -> Result<HashMap<u32, Turn>, StoreError> {
    let Some(file) = index.file(session.file)? else {
        return Ok(HashMap::new());
    };
    let Some(source) = find_source(&session.source) else {
        return Ok(HashMap::new());
    };
    // An excluded turn has an empty span.
    let rows_to_read = rows.iter().filter(|row| row.span.start < row.span.end);
    let spans = rows_to_read.map(|row| IndexedSpan {
        index: row.index,
        span: row.span,
    });
    let spans: Vec<_> = spans.collect();
    let turns = source
        .show(Path::new(&file.path), &session.meta(), &spans)
        .turns;
    // A file that was rewritten has something else there.
    let times: HashMap<u32, Option<i64>> =
        rows.iter().map(|row| (row.index, row.started_ms)).collect();
    let is_same = |turn: &Turn| times.get(&turn.index) == Some(&turn.started_ms);
    let kept = turns.into_iter().filter(is_same);
    Ok(kept.map(|turn| (turn.index, turn)).collect())
}

/// Makes a turn from what the index holds of it: calls by their commands and files, without outputs.
fn make_turn(row: &TurnRow, content: TurnContent) -> Turn {
    let command = |run: CommandRunRef<'_>| ToolCall {
        name: "Bash".into(),
        command: Some(run.command.to_owned()),
        status: run.status,
        ..ToolCall::default()
    };
    let mut calls: Vec<ToolCall> = content.command_runs().map(command).collect();
    calls.extend(content.accessed_files().map(make_file_call));
    if !content.errors.is_empty() {
        let output = Some(content.errors.join("\n"));
        calls.push(ToolCall {
            name: "Errors".into(),
            output,
            status: CallStatus::Failed,
            ..ToolCall::default()
        });
    }
    let words = (!content.answer.is_empty()).then_some(TurnPart::Text {
        text: content.answer,
    });
    Turn {
        index: row.index,
        started_ms: row.started_ms,
        ended_ms: row.ended_ms,
        span: row.span,
        kind: row.kind,
        prompt: content.prompt,
        parts: calls.into_iter().map(TurnPart::Call).chain(words).collect(),
        turn_stats: content.turn_stats,
        ..Turn::default()
    }
}

/// Returns a call that accesses a file.
fn make_file_call(file: AccessedFileRef<'_>) -> ToolCall {
    let name = match file.access {
        FileAccess::Read => "Read",
        FileAccess::Edited => "Edit",
        FileAccess::Written => "Write",
    };
    ToolCall {
        name: name.into(),
        files: vec![file.path.to_owned()],
        ..ToolCall::default()
    }
}
