//! The tool `history` of the MCP server: what narrows it.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
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
    let note = "note: the first 1 of 2 turns; the rest: history(";
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

/// Turns may have one time, and commands that mention a program come after all that run it.
#[test]
fn the_pages_of_a_list_hold_each_turn_once() {
    let mut session =
        ClaudeTranscript::new("ee000000-0000-4000-8000-000000000001", "/home/ann/pier")
            .at("2026-03-08T05:00:00Z");
    for turn in 0..7 {
        let command = if turn % 3 == 0 {
            "echo make test"
        } else {
            "make test"
        };
        session = session.user(&format!("turn {turn}")).bash(command, "done");
    }
    let env = TestEnvironment::indexed(&[session]);
    let mut client = McpClient::start(&env);
    let call = json!({"what": "commands", "pattern": "make test", "project": "pier"});
    let all = client.call("history", call.clone());
    let all: Vec<String> = turns(&all).iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(all.len(), 7);
    let mut page = call;
    page["limit"] = 2.into();
    let mut page = client.call("history", page);
    let mut listed = Vec::new();
    loop {
        listed.extend(turns(&page).iter().map(|id| (*id).to_owned()));
        let Some((_, rest)) = page.split_once("; the rest: ") else {
            break;
        };
        page = client.follow(rest.lines().next().unwrap());
    }
    assert_eq!(listed, all);
    assert!(page.starts_with("note: 7 to 7 of 7 turns\n"), "{page}");
}

/// Another reading of the pattern finds another list.
#[test]
fn an_offset_behind_the_end_stays_with_its_reading() {
    let session = ClaudeTranscript::new("ee000000-0000-4000-8000-000000000001", "/home/ann/pier")
        .user("light the lamps")
        .bash("echo '&lt;'", "done")
        .user("and on")
        .bash("sort < lamps", "done");
    let env = TestEnvironment::indexed(&[session]);
    let mut client = McpClient::start(&env);
    let call = json!({"what": "commands", "pattern": "&lt;", "offset": 3});
    let found = client.call("history", call);
    assert!(found.starts_with("note: no more than 1 turn\n"), "{found}");
}

#[test]
fn a_page_of_cures_leads_to_its_own_first() {
    let cured = |number: u32| {
        let make = json!({"command": "make ferry"});
        ClaudeTranscript::new(
            &format!("f{number}000000-0000-4000-8000-000000000001"),
            "/home/ann/ferry",
        )
        .at(&format!("2026-03-0{number}T05:00:00Z"))
        .user("Build the ferry")
        .call("Bash", make.clone(), "error: no tide table", true)
        .bash("./tides --fetch", "")
        .call("Bash", make, "ok", false)
        .assistant("The table is there now.")
    };
    let env = TestEnvironment::indexed(&[cured(1), cured(2)]);
    let mut client = McpClient::start(&env);
    for (offset, note, turn) in [
        (
            0,
            "the first 1 of 2 cures; the rest: history(",
            "f2000000:0",
        ),
        (1, "2 to 2 of 2 cures\n", "f1000000:0"),
        (2, "no more than 2 cures\n", "f2000000:0"),
    ] {
        let call = json!({
            "what": "fixes", "pattern": "error: no tide table", "limit": 1, "offset": offset
        });
        let found = client.call("history", call);
        assert!(found.starts_with(&format!("note: {note}")), "{found}");
        let next = format!("next: show(id: \"{turn}\", brief: true)");
        assert!(found.ends_with(&next), "{found}");
    }
}

#[test]
fn a_cure_needs_an_error() {
    let env = night();
    let mut client = McpClient::start(&env);
    let refused = client.refuse("history", json!({"what": "fixes", "project": "boiler"}));
    let hint = "hint: write the line that says what failed; `what`: \"errors\"";
    assert!(refused.contains(hint), "{refused}");
    let call = json!({"what": "fixes", "pattern": "*", "project": "boiler"});
    let found = client.call("history", call);
    let next = r#"next: history(what: "errors", pattern: "*", project: "boiler")"#;
    assert!(found.ends_with(next), "{found}");
    let errors = client.follow(next.strip_prefix("next: ").unwrap());
    assert!(turns(&errors).contains(&"ab000000:0"), "{errors}");
    let call = json!({"what": "fixes", "pattern": "error: no tide table", "project": "boiler"});
    let found = client.call("history", call);
    let note = "note: no command that does work failed with that error within the filters, ";
    assert!(found.starts_with(note), "{found}");
}

/// The address of a turn is that of the list before.
#[test]
fn a_session_with_a_turn_is_this_turn() {
    let env = night();
    let mut client = McpClient::start(&env);
    let mut list = |what: &str, session: &str| {
        let call = json!({"what": what, "session": session});
        let found = client.call("history", call);
        turns(&found)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(list("commands", "ab000000").len(), 3, "a subagent's, too");
    assert_eq!(list("commands", "ab000000:0"), ["ab000000:0"]);
    assert_eq!(list("files", "ab000000:1-2"), ["ab000000:2", "ab000000:1"]);
    let call = json!({"what": "files", "session": "ab000000:9"});
    let failed = client.fail("history", call);
    let error = "`ab000000:9` names no turn: the session has 3, counted from 0\nhint: ";
    assert!(failed.starts_with(error), "{failed}");
}

#[test]
fn who_read_a_file_did_not_edit_it() {
    let env = night();
    let mut client = McpClient::start(&env);
    let call = |what: &str| json!({"what": what, "pattern": "boiler.c"});
    let read = client.call("history", call("files"));
    assert_eq!(turns(&read), ["ab000000:1", "ab000000:0"]);
    let edited = client.call("history", call("edits"));
    assert_eq!(turns(&edited), ["ab000000:1"]);
    let next = r#"next: show(id: "ab000000:1", only: "edits")"#;
    assert!(edited.ends_with(next), "{edited}");
}

#[test]
fn a_filter_stands_for_a_pattern() {
    let env = night();
    let mut client = McpClient::start(&env);
    for pattern in [Value::Null, json!(""), json!("*")] {
        let call = json!({"what": "files", "pattern": pattern, "project": "boiler"});
        let found = client.call("history", call);
        assert!(!turns(&found).is_empty(), "{found}");
    }
    let call = json!({"what": "commands", "failed": true});
    assert_eq!(turns(&client.call("history", call)), ["ab000000:0"]);
    for call in [
        json!({"what": "files"}),
        json!({"what": "fixes", "project": "boiler"}),
    ] {
        let refused = client.refuse("history", call);
        assert!(refused.starts_with("`pattern` is empty\n"), "{refused}");
    }
}

#[test]
fn an_argument_that_does_not_count_is_told() {
    let env = night();
    let mut client = McpClient::start(&env);
    for (call, name) in [
        (
            json!({"what": "files", "pattern": "boiler", "failed": true}),
            "failed",
        ),
        (
            json!({"what": "errors", "pattern": "water", "command": "make"}),
            "command",
        ),
    ] {
        let found = client.call("history", call);
        let note = format!("note: `{name}` is for ");
        assert!(
            found.contains(&note) && !turns(&found).is_empty(),
            "{found}"
        );
    }
}

#[test]
fn what_finds_nothing_leads_to_a_call_that_may() {
    let env = night();
    let mut client = McpClient::start(&env);
    for (call, next) in [
        (
            json!({"what": "commands", "pattern": "*", "project": "nonesuch"}),
            r#"history(what: "commands", pattern: "*")"#,
        ),
        (
            json!({"what": "commands", "pattern": "make tset project:boiler", "failed": true}),
            r#"search(query: "make tset project:boiler", level: "turn")"#,
        ),
        (
            json!({
                "what": "commands", "pattern": "make tset project:boiler", "since": "2026-01-01",
                "branch": "warm-start", "failed": true
            }),
            r#"history(what: "commands", pattern: "make tset project:boiler", failed: true)"#,
        ),
        (
            json!({"what": "commands", "pattern": "make tset", "session": "ab000000"}),
            r#"search(query: "make tset", level: "turn", session: "ab000000")"#,
        ),
        (
            json!({"what": "commands", "pattern": "make test", "project": "boiler", "branch": "wram"}),
            r#"history(what: "commands", pattern: "make test", project: "boiler")"#,
        ),
        (
            json!({"what": "files", "pattern": "*.{ts,tsx}"}),
            r#"search(query: ".{ts,tsx}", level: "turn")"#,
        ),
    ] {
        let found = client.call("history", call);
        assert_eq!(found.lines().last().unwrap(), format!("next: {next}"));
    }
}

#[test]
fn a_tag_is_found_as_an_answer_shows_it() {
    let session = ClaudeTranscript::new("ee000000-0000-4000-8000-000000000001", "/home/ann/pier")
        .user("light the lamps")
        .call(
            "Bash",
            json!({"command": "lamps"}),
            "<tool_use_error>no oil",
            true,
        );
    let env = TestEnvironment::indexed(&[session]);
    let mut client = McpClient::start(&env);
    let call = |pattern: &str| json!({"what": "errors", "pattern": pattern});
    let found = client.call("history", call("no oil"));
    let line = found.lines().find(|line| line.contains("no oil")).unwrap();
    assert!(line.contains("&lt;"), "{found}");
    assert_eq!(
        turns(&client.call("history", call(line.trim()))),
        ["ee000000:0"]
    );
}
