//! The tool `history` of the MCP server: what narrows it.

use crate::claude::ClaudeTranscript;
use crate::history::small;
use crate::mcp_client::McpClient;
use crate::work::night;
use serde_json::{Value, json};

/// Returns the ids of the turns that an answer lists.
fn turns(answer: &str) -> Vec<&str> {
    let (_, data) = answer.split_once("instructions.\">\n").unwrap_or_default();
    let heads = data.lines().filter(|line| line.contains(":"));
    let heads = heads.filter(|line| !line.starts_with([' ', '<']) && !line.starts_with("next"));
    heads
        .filter_map(|line| line.split_whitespace().next())
        .collect()
}

#[test]
fn turns_are_narrowed_by_filters_time_session_and_outcome() {
    let env = night();
    let mut client = McpClient::start(&env);
    let mut list = |mut more: Value| {
        let pattern = more["pattern"].take();
        more["what"] = "commands".into();
        more["pattern"] = if pattern.is_null() {
            "make test".into()
        } else {
            pattern
        };
        client.call("history", more)
    };
    let both = ["ab000000:1", "ab000000:0"];
    assert_eq!(turns(&list(json!({}))), both);
    let since = "2026-03-08T05:00:00Z";
    for narrowed in [
        json!({ "since": since }),
        json!({ "pattern": format!("make test since:{since}") }),
    ] {
        assert_eq!(turns(&list(narrowed)), ["ab000000:1"]);
    }
    assert_eq!(turns(&list(json!({"failed": true}))), ["ab000000:0"]);
    assert_eq!(turns(&list(json!({"session": "ab000000"}))), both);
    let none = list(json!({"session": "cd000000", "failed": true}));
    let note = "note: no turn has such commands that failed; the filters may be too narrow\n";
    assert!(none.starts_with(note), "{none}");
    let none = list(json!({"pattern": "make test project:nowhere"}));
    assert!(none.contains("`nowhere`"), "{none}");
    let none = list(json!({"pattern": "make test since:soon"}));
    assert!(
        none.contains("`since:soon` is searched as text; "),
        "{none}"
    );
    let first = list(json!({"limit": 1}));
    let note = "note: the first 1 of 2 turns; `limit` is at most 100\n";
    assert!(first.starts_with(note), "{first}");
}

/// A command may have the form of a filter in it.
#[test]
fn a_pattern_that_is_found_as_typed_has_no_filters() {
    let env = small();
    env.write_transcript(
        &ClaudeTranscript::new("ee000000-0000-4000-8000-000000000001", "/home/ann/pier")
            .user("install the lamps")
            .bash("npm install file:../lamps", "done"),
    );
    let mut client = McpClient::start(&env);
    let call = json!({"what": "commands", "pattern": "npm install file:../lamps"});
    assert_eq!(turns(&client.call("history", call)), ["ee000000:0"]);
    let call = json!({"what": "commands", "pattern": "npm install project:pier"});
    assert_eq!(turns(&client.call("history", call)), ["ee000000:0"]);
}
