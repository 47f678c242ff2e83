//! The tool `search` of the MCP server: lists, ids in a query, and where a call leads that finds nothing.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::mcp_client::McpClient;
use serde_json::json;

/// Makes five sessions of two turns, of which two ended at one time.
fn piers() -> TestEnvironment {
    let session = |number: u32| {
        ClaudeTranscript::new(
            &format!("{number}1b2c3d4-0000-4000-8000-000000000001"),
            "/home/ann/pier",
        )
        .at(&format!("2026-03-0{}T05:00:00Z", number.max(2)))
        .user(&format!("does the beacon of pier {number} burn?"))
        .at(&format!("2026-03-0{}T06:00:00Z", number.max(2)))
        .user(&format!("and the lamps of pier {number}?"))
    };
    TestEnvironment::indexed(&[1, 2, 3, 4, 5].map(session))
}

fn listed(answer: &str) -> Vec<String> {
    let heads = answer.lines().filter(|line| line.contains("  pier  "));
    let ids = heads.filter_map(|line| line.split_whitespace().nth(1));
    ids.map(str::to_owned).collect()
}

fn next(answer: &str) -> &str {
    answer.lines().last().unwrap()
}

/// A session that is listed is not listed again by its older turns.
#[test]
fn the_pages_of_the_newest_hold_each_once() {
    let env = piers();
    let mut client = McpClient::start(&env);
    for level in ["session", "turn"] {
        let call = json!({"query": "", "level": level, "limit": 30});
        let all = listed(&client.call("search", call));
        assert_eq!(all.len(), if level == "turn" { 10 } else { 5 });
        let call = json!({"query": "*", "level": level, "limit": 2});
        let mut page = client.call("search", call);
        let mut ids = Vec::new();
        loop {
            ids.extend(listed(&page));
            let Some((_, rest)) = page.split_once("; the rest: ") else {
                break;
            };
            page = client.follow(rest.lines().next().unwrap());
        }
        assert_eq!(ids, all);
    }
}

#[test]
fn an_id_beside_other_words_names_the_session() {
    let env = piers();
    let mut client = McpClient::start(&env);
    let found = client.call("search", json!({"query": "31b2c3d4 beacon"}));
    let note = "note: only session 31b2c3d4 is searched, which the query names\n";
    assert!(found.starts_with(note), "{found}");
    let ids = listed(&found);
    assert!(ids.len() == 1 && ids[0].starts_with("31b2c3d4:"), "{found}");
    let given = client.call(
        "search",
        json!({"query": "(31b2c3d4), beacon", "session": "31b2c3d4"}),
    );
    assert!(!given.contains("note: "), "{given}");
    assert_eq!(listed(&given), ids);
}

/// The session is not lost with the words that it lacks.
#[test]
fn an_id_beside_words_that_nothing_has_leads_to_the_session() {
    let env = piers();
    let mut client = McpClient::start(&env);
    let found = client.call("search", json!({"query": "31b2c3d4 zzqqxxyy"}));
    assert_eq!(next(&found), r#"next: show(id: "31b2c3d4")"#);
}

#[test]
fn an_offset_behind_the_end_is_told() {
    let env = piers();
    let mut client = McpClient::start(&env);
    for (query, level, count) in [
        ("*", "session", "5 sessions"),
        ("beacon", "turn", "5 turns"),
    ] {
        let call = json!({"query": query, "level": level, "offset": 50});
        let found = client.call("search", call);
        let note = format!("note: no more than {count}\n");
        assert!(found.starts_with(&note), "{found}");
    }
}

/// A brief output may be cut before the line that was found.
#[test]
fn a_turn_whose_output_was_found_is_shown_in_full() {
    let output = (0..40).map(|n| format!("step {n}\n")).collect::<String>();
    let output = format!("{output}error: the lamp is worn\n");
    let session = ClaudeTranscript::new("a1b2c3d4-0000-4000-8000-000000000001", "/home/ann/pier")
        .user("light the pier")
        .call("Bash", json!({"command": "light"}), &output, true);
    let env = TestEnvironment::indexed(&[session]);
    let mut client = McpClient::start(&env);
    for (query, call) in [
        ("lamp is worn", r#"show(id: "a1b2c3d4:0")"#),
        ("light the pier", r#"show(id: "a1b2c3d4:0", brief: true)"#),
    ] {
        let found = client.call("search", json!({ "query": query }));
        assert_eq!(next(&found), format!("next: {call}"), "{found}");
    }
    let shown = client.call("show", json!({"id": "a1b2c3d4:0"}));
    assert!(shown.contains("error: the lamp is worn"), "{shown}");
}

#[test]
fn a_call_that_finds_nothing_leads_to_one_that_may() {
    let env = piers();
    let mut client = McpClient::start(&env);
    let found = client.call("search", json!({"query": "asdkjhqwe zzxxcv"}));
    assert_eq!(next(&found), r#"next: search(query: "")"#);
    let found = client.call("search", json!({"query": "*", "project": "nonesuch"}));
    assert_eq!(next(&found), r#"next: search(query: "")"#);
    let found = client.call("search", json!({"query": "lamps", "since": "2026-11-01"}));
    let newest = "; the newest began at 2026-03-05 06:00\nhint: give an earlier time\n";
    assert!(found.contains(newest), "{found}");
    assert_eq!(next(&found), r#"next: search(query: "lamps")"#);
    for (call, expected) in [
        (
            json!({"query": "lamps project:pier branch:nextt"}),
            r#"search(query: "lamps project:pier")"#,
        ),
        (
            json!({"query": "", "project": "pier", "until": "2026-01-01"}),
            r#"search(query: "", project: "pier")"#,
        ),
        (
            json!({"query": "asdkjhqwe", "project": "pier"}),
            r#"search(query: "", project: "pier")"#,
        ),
    ] {
        let found = client.call("search", call);
        assert_eq!(next(&found), format!("next: {expected}"), "{found}");
    }
}

#[test]
fn a_project_that_is_to_be_left_out_is_told_how() {
    let env = piers();
    let mut client = McpClient::start(&env);
    let found = client.call("search", json!({"query": "lamps", "project": "-pier"}));
    let note = "; `-project:NAME` in `query` or `pattern` leaves one out\n";
    assert!(found.contains(note), "{found}");
}

#[test]
fn a_session_is_named_in_the_query() {
    let env = piers();
    let mut client = McpClient::start(&env);
    let call = json!({"query": "beacon session:31b2c3d4:1"});
    let found = client.call("search", call);
    let note = "note: `session:` takes no turn; all of 31b2c3d4 counts\n";
    assert!(found.starts_with(note), "{found}");
    let ids = listed(&found);
    assert!(ids.len() == 1 && ids[0].starts_with("31b2c3d4:"), "{ids:?}");
    let call = json!({"query": "beacon", "session": "31b2c3d4:1"});
    let found = client.call("search", call);
    let note = "note: `session` takes no turn; all of 31b2c3d4 is searched\n";
    assert!(found.starts_with(note), "{found}");
}

#[test]
fn filters_are_arguments_as_in_the_query() {
    let env = piers();
    let mut client = McpClient::start(&env);
    for (call, count) in [
        (json!({"query": "", "until": "2026-03-02"}), 2),
        (json!({"query": "", "since": "2026-03-03..2026-03-04"}), 2),
        (json!({"query": "", "when": "2026-03-05"}), 1),
        (json!({"query": "", "agent": "claude"}), 5),
    ] {
        let found = client.call("search", call.clone());
        assert_eq!(listed(&found).len(), count, "{call}: {found}");
    }
    let call = json!({"query": "", "until": "2026-03-04", "limit": 1});
    let page = client.call("search", call);
    let (_, rest) = page.split_once("; the rest: ").unwrap();
    assert!(rest.contains(r#"until: "2026-03-04""#), "{rest}");
}

#[test]
fn a_question_for_a_day_leads_to_its_digest() {
    let env = piers();
    let mut client = McpClient::start(&env);
    let call = json!({"query": "what did we do on 2026-03-03", "project": "pier"});
    let found = client.call("search", call);
    let digest = r#"history(what: "digest", pattern: "when:2026-03-03", project: "pier")"#;
    let note = format!("note: {digest} tells what was done then\n");
    assert!(found.contains(&note), "{found}");
}
