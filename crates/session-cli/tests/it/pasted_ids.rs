//! Ids of sessions as they are pasted: in quotes, with turns, as a path or in a command.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::mcp_client::McpClient;
use serde_json::{Value, json};

const ONE: &str = "a7da6a22-0000-4000-8000-000000000001";
const TWO: &str = "beef1122-0000-4000-8000-000000000002";

fn env() -> TestEnvironment {
    let lantern = |id: &str, where_it_is: &str| {
        ClaudeTranscript::new(id, "/home/ann/harbour")
            .user(&format!("Light the lantern {where_it_is}"))
            .assistant("The lantern is lit.")
    };
    TestEnvironment::indexed(&[lantern(ONE, "at the pier"), lantern(TWO, "on the boat")])
}

#[test]
fn a_pasted_id_is_shown() {
    let env = env();
    let path = format!("~/.claude/projects/x/{ONE}.jsonl");
    let file = format!("{ONE}.jsonl");
    let command = format!("claude --resume {ONE}");
    for pasted in ["`a7da6a22`", "\"a7da6a22:0\"", &path, &file, &command] {
        let shown = env.run(&["show", pasted]).succeeded().stdout();
        assert!(shown.contains("at the pier"), "{pasted}: {shown}");
        let asked = ["lantern", "--session", pasted];
        assert_eq!(env.found(&asked), [ONE], "{pasted}");
    }
}

#[test]
fn turns_behind_turns_are_an_error() {
    let env = env();
    let said = "error: `a7da6a22:14:0` names turns twice\nhint: write ID:7, ID:5-9, ID:5- (from 5 on) or ID:last, counted from 0\n";
    for command in ["show", "export"] {
        let ran = env.run(&[command, "a7da6a22:14:0"]).exits(2);
        assert_eq!(ran.stderr(), said);
    }
    env.run(&["search", "lantern", "--session", "a7da6a22:14:0"])
        .exits(2);
}

#[test]
fn a_search_for_an_id_tells_which_session_has_it() {
    let env = env();
    let path = format!("~/.claude/projects/x/{ONE}.jsonl");
    for (query, id, address) in [
        ("a7da6a22", "a7da6a22", "a7da6a22"),
        ("a7da6a22:4", "a7da6a22", "a7da6a22:4"),
        (&path, ONE, ONE),
    ] {
        let search = ["search", query, "--json", "--quiet", "--keyword-only"];
        for options in [&[][..], &["--compact"]] {
            let ran = env.run(&[&search, options].concat()).succeeded();
            let answer: Value = serde_json::from_str(&ran.stdout()).unwrap();
            assert_eq!(answer["session_ids"], json!([id]), "{ran}");
        }
        let ran = env.run(&["search", query, "--keyword-only"]).exits(1);
        let show = format!("`session-search show {address}`");
        let note = format!("a session has the id `{id}`; {show} reads it\n");
        assert!(ran.stderr().contains(&note), "{ran}");
    }
    let answer = env.json(&["search", "lantern"]);
    assert_eq!(answer["session_ids"], json!([]), "{answer}");
}

#[test]
fn the_mcp_server_goes_on_with_the_session_whose_id_is_pasted() {
    let env = env();
    let mut client = McpClient::start(&env);
    let found = client.call("search", json!({"query": "a7da6a22:4"}));
    assert!(found.ends_with("\nnext: show(id: \"a7da6a22\")"), "{found}");
    let note = "a session has the id `a7da6a22`; show(id: \"a7da6a22\") reads it";
    assert!(found.contains(note), "{found}");
    for session in ["a7da6a22:14", "`a7da6a22:0-2`", "a7da6a22:0+12-2"] {
        let found = client.call("search", json!({"query": "lantern", "session": session}));
        assert!(found.contains("1. a7da6a22:0"), "{found}");
        assert!(!found.contains("beef1122"), "{found}");
    }
    let said = client.fail(
        "search",
        json!({"query": "lantern", "session": "a7da6a22:x"}),
    );
    assert!(
        said.starts_with("no session begins with `a7da6a22:x`"),
        "{said}"
    );
    let said = client.refuse("show", json!({"id": "a7da6a22:14:0"}));
    assert!(
        said.starts_with("`a7da6a22:14:0` names turns twice\nhint: "),
        "{said}"
    );
}

#[test]
fn at_the_end_of_a_session_the_mcp_server_proposes_nothing() {
    let env = env();
    let mut client = McpClient::start(&env);
    for id in ["a7da6a22", "`a7da6a22`", "a7da6a22:0"] {
        let shown = client.call("show", json!({"id": id}));
        assert!(shown.contains("at the pier"), "{shown}");
        assert!(shown.ends_with("</found-in-history>\n"), "{shown}");
    }
}
