//! Sessions written by hand.

use serde_json::{Value, json};
use session_core::{CallStatus, PromptKind, ToolCall, Turn, TurnPart, TurnStats};
use session_export::{ExportFormat, ExportedSession, write_session};
use session_search::{Exchange, TurnOrigin};
use session_store::SessionRow;

/// 2026-01-15T09:00:00Z.
const START: i64 = 1_768_467_600_000;

pub fn lantern() -> SessionRow {
    SessionRow {
        source: "claude".into(),
        uid: "a1b2c3d4-0000-4000-8000-000000000001".into(),
        title: Some("Why does the lantern flicker?".into()),
        cwd: Some("/home/ann/lantern".into()),
        project: Some("/home/ann/lantern".into()),
        branch: Some("main".into()),
        started_ms: Some(START),
        ended_ms: Some(START + 3_600_000),
        turns: 4,
        ..SessionRow::default()
    }
}

pub fn text(text: &str) -> TurnPart {
    TurnPart::Text { text: text.into() }
}

pub fn call(name: &str, input: Value, output: &str) -> ToolCall {
    let of = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
    ToolCall {
        name: name.into(),
        command: of("command"),
        files: of("file_path").into_iter().collect(),
        output: Some(output.into()),
        input,
        ..ToolCall::default()
    }
}

pub fn exchange(index: u32, prompt: &str, parts: Vec<TurnPart>) -> Exchange {
    let turn = Turn {
        index,
        started_ms: Some(START + i64::from(index) * 600_000),
        ended_ms: Some(START + i64::from(index) * 600_000 + 150_000),
        branch: Some("main".into()),
        kind: PromptKind::Typed,
        prompt: prompt.into(),
        parts,
        ..Turn::default()
    };
    Exchange {
        turn,
        origin: TurnOrigin::History,
    }
}

/// Words, and calls that ended in each way.
fn lantern_parts() -> Vec<TurnPart> {
    let edit = json!({
        "file_path": "/home/ann/lantern/src/lamp.rs",
        "old_string": "fn light() {\n    blink();\n}\n",
        "new_string": "fn light() {\n    burn();\n    // <steady>\n}\n",
    });
    let many: String = (0..450).map(|n| format!("frame {n}\n")).collect();
    let failed = ToolCall {
        status: CallStatus::Failed,
        ..call(
            "Bash",
            json!({"command": "cargo test lamp", "description": "Run the tests"}),
            "error: no lamp",
        )
    };
    let unfinished = ToolCall {
        output: None,
        status: CallStatus::Unfinished,
        subagent: Some("agent-7".into()),
        ..call(
            "Task",
            json!({"description": "Measure the light", "prompt": "For an hour.\nThen stop."}),
            "",
        )
    };
    vec![
        TurnPart::Thinking {
            text: "The *wick*, perhaps.".into(),
        },
        text(
            "I look at the lamp:\n\n1. `src/lamp.rs`\n2. its [manual](https://lamp.example/manual)\n\n| part | state |\n| --- | --- |\n| wick | *short* |",
        ),
        TurnPart::Call(call(
            "Bash",
            json!({"command": "lamp --frames\nlamp --off"}),
            &many,
        )),
        TurnPart::Call(failed),
        TurnPart::Call(call("Edit", edit, "done")),
        TurnPart::Call(call("Grep", json!({"pattern": "fn light", "-n": true}), "")),
        TurnPart::Call(unfinished),
        text("It burns steadily:\n\n```rust\nfn light() { burn(); }\n```"),
    ]
}

/// Turns with each kind of part.
pub fn lantern_turns() -> Vec<Exchange> {
    let mut second = exchange(
        1,
        "/compact",
        vec![
            TurnPart::Notice {
                text: "Compacted".into(),
            },
            TurnPart::Summary {
                text: "## Lamp\n\nIt burned.".into(),
            },
            TurnPart::Recap {
                text: "The lamp was mended.".into(),
            },
            TurnPart::Error {
                text: "API Error: 529 overloaded".into(),
            },
        ],
    );
    second.turn.kind = PromptKind::Command;
    second.turn.branch = Some("wick".into());
    let mut third = exchange(2, "", vec![text("From before.")]);
    third.origin = TurnOrigin::Index;
    third.turn.turn_stats = TurnStats {
        models: vec!["claude-lamp-1".into()],
        ..TurnStats::default()
    };
    vec![
        exchange(
            0,
            "Why does the lantern flicker?\nLook at src/lamp.rs",
            lantern_parts(),
        ),
        second,
        third,
    ]
}

/// A session in a format, its local times replaced.
pub fn written(format: ExportFormat, row: &SessionRow, exchanges: &[Exchange]) -> String {
    let mut out = Vec::new();
    write_session(format, &ExportedSession::new(row, exchanges), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}
