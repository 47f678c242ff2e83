//! Builds turns with commands and edits, for tests.

use session_core::{CallStatus, ToolCall, Turn, TurnContent, TurnPart};
use session_store::{TurnRecord, TurnRow};

pub(crate) fn run(command: &str, output: &str, failed: bool) -> TurnPart {
    TurnPart::Call(ToolCall {
        name: "Bash".into(),
        command: Some(command.into()),
        output: Some(output.into()),
        status: CallStatus::from_failure(failed),
        ..ToolCall::default()
    })
}

pub(crate) fn edit(file: &str) -> TurnPart {
    TurnPart::Call(ToolCall {
        name: "Edit".into(),
        files: vec![file.into()],
        ..ToolCall::default()
    })
}

pub(crate) fn record(index: u32, parts: Vec<TurnPart>) -> TurnRecord {
    let turn = Turn {
        parts,
        ..Turn::default()
    };
    let row = TurnRow {
        index,
        ..TurnRow::default()
    };
    let content = TurnContent::from_turn(&turn);
    TurnRecord { row, content }
}
