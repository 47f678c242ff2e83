//! A whole agent in one file: Toy writes `~/.toy/sessions/<project>/<id>.jsonl`.

use serde_json::Value;
use session_core::{CallStatus, PromptKind};
use session_sources::{
    AgentInfo, CallOutcome, FieldName, Jsonl, JsonlFormat, ToolRow, ToolTable, TurnWriter,
    milliseconds,
};

/// The source; in the library a line of `SOURCES` names it.
pub static TOY: Jsonl<Toy> = Jsonl(Toy);

static AGENT: AgentInfo = AgentInfo {
    folders: &[".toy"],
    variables: &["TOY_HOME"],
    resume: &["toy", "resume", "{id}"],
    session_variables: &["TOY_SESSION"],
    ..AgentInfo::new("toy", "Toy")
};

const TOOLS: ToolTable = ToolTable(&[
    ToolRow {
        agent_name: "sh",
        name: "Bash",
        fields: &[FieldName::new("cmd", "command")],
    },
    ToolRow {
        agent_name: "change",
        name: "Edit",
        fields: &[FieldName::new("file", "file_path")],
    },
]);

pub struct Toy;

impl JsonlFormat for Toy {
    type Record<'a> = Value;
    type State = ();

    fn agent(&self) -> &'static AgentInfo {
        &AGENT
    }

    fn files(&self) -> &'static [&'static str] {
        &["sessions/*/*.jsonl", "sessions/*/*.jsonl.zst"]
    }

    fn record(&self, record: Value, (): &mut (), turns: &mut TurnWriter<'_>) {
        let text = |name: &str| record[name].as_str().unwrap_or_default();
        turns.set_time(milliseconds(text("time")));
        turns.set_message(text("id"));
        match text("is") {
            "session" => {
                turns.set_directory(text("folder"));
                turns.set_branch(text("branch"));
            }
            "title" => turns.set_title(text("text")),
            "user" => turns.prompt(PromptKind::Typed, text("text")),
            "toy" => turns.text(text("text")),
            "thought" => turns.thinking(text("text")),
            "call" => turns.call(TOOLS.call(text("call"), text("tool"), record["input"].clone())),
            "result" => turns.result(CallOutcome {
                id: text("call").to_owned(),
                output: text("output").to_owned(),
                status: CallStatus::from_failure(
                    record["exit"].as_i64().is_some_and(|exit| exit != 0),
                ),
                ..CallOutcome::default()
            }),
            _ => {}
        }
    }
}
