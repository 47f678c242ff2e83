//! Resumed and forked sessions repeat what was said: it is found once.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::mcp_client::McpClient;
use crate::opencode::OpenCodeHistory;
use serde_json::json;

const FIRST: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const COPY: &str = "bbbbbbbb-0000-4000-8000-000000000002";
const LATER: &str = "cccccccc-0000-4000-8000-000000000003";

fn original() -> ClaudeTranscript {
    ClaudeTranscript::new(FIRST, "/home/ann/garden")
        .user("Prune the espalier pear in winter")
        .assistant("Cut back to two buds.")
        .user("And the quince hedge?")
        .assistant("Only the inward shoots.")
}

fn resumed() -> ClaudeTranscript {
    original()
        .resumed_as(COPY)
        .at("2026-01-20T10:00:00Z")
        .user("Order a new grafting knife")
        .assistant("Ordered.")
}

/// Turns found, as `<first place of the session's id><turn>`.
fn turns(env: &TestEnvironment, query: &str) -> Vec<String> {
    let answer = env.json(&[
        "search",
        query,
        "--depth",
        "2",
        "--keyword-only",
        "--limit",
        "50",
    ]);
    let hits = answer["hits"].as_array().unwrap();
    hits.iter()
        .map(|hit| format!("{}{}", &hit["session"].as_str().unwrap()[..1], hit["turn"]))
        .collect()
}

#[test]
fn a_resumed_copy_is_found_once() {
    let env = TestEnvironment::indexed(&[original(), resumed()]);
    assert_eq!(turns(&env, "espalier pear"), ["a0"]);
    assert_eq!(turns(&env, "quince"), ["a1"]);
    assert_eq!(turns(&env, "grafting knife"), ["b2"]);
    assert_eq!(env.found(&["espalier pear", "--keyword-only"]), [FIRST]);
    // The copied turns have no vectors of their own.
    let query = "Order a new grafting knife";
    let near = env.json(&[
        "search",
        query,
        "--depth",
        "2",
        "--vector-only",
        "--session",
        COPY,
    ]);
    let turns: Vec<_> = near["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| &hit["turn"])
        .collect();
    assert_eq!(turns, [2]);
}

#[test]
fn a_copy_is_shown_whole() {
    let env = TestEnvironment::indexed(&[original(), resumed()]);
    let shown = env.json(&["show", COPY]);
    let turns = shown["shown"].as_array().unwrap();
    assert_eq!(turns.len(), 3);
    assert_eq!(turns[0]["prompt"], "Prune the espalier pear in winter");
    assert!(
        turns.iter().all(|turn| turn["origin"] == "history"),
        "{shown}"
    );
}

#[test]
fn a_session_that_another_goes_on_from_says_so() {
    let later = resumed()
        .resumed_as(LATER)
        .at("2026-01-21T10:00:00Z")
        .user("Sharpen it")
        .assistant("Sharp.");
    let env = TestEnvironment::indexed(&[original(), resumed(), later]);
    let note = |id: &str| {
        format!("note: cccccccc repeats all turns of {id} and goes on from it, until 2026-01-21 ")
    };
    for call in [&["resume", FIRST, "--print"][..], &["show", FIRST]] {
        let ran = env.run(call).succeeded();
        assert!(ran.stderr().starts_with(&note("aaaaaaaa")), "{ran}");
    }
    let ran = env.run(&["show", COPY, "--json", "--brief"]).succeeded();
    assert!(ran.stderr().starts_with(&note("bbbbbbbb")), "{ran}");
    for id in [FIRST, COPY] {
        assert_eq!(env.json(&["show", id])["continued_in"], LATER);
        let answers = env.json(&["show", id, "--only", "answers"]);
        assert_eq!(answers["continued_in"], LATER);
        assert_eq!(env.json(&["resume", id])["continued_in"], LATER);
    }
    let last = env.run(&["show", LATER]).succeeded();
    assert_eq!(last.stderr(), "");
    assert!(env.json(&["resume", LATER]).get("continued_in").is_none());
    let shown = McpClient::start(&env).call("show", json!({"id": "aaaaaaaa"}));
    assert!(shown.starts_with(&note("aaaaaaaa")), "{shown}");
}

/// The original went on after it was copied in the middle of a turn.
#[test]
fn both_sides_of_a_fork_are_found() {
    let longer = original().assistant("Mind the thorns of the medlar.");
    let fork = original()
        .resumed_as(COPY)
        .assistant("Feed the hedge with bonemeal.");
    let env = TestEnvironment::indexed(&[longer, fork]);
    let shown = env.run(&["show", FIRST]).succeeded();
    assert_eq!(shown.stderr(), "", "the fork has not all of its turns");
    assert_eq!(turns(&env, "medlar"), ["a1"]);
    assert_eq!(turns(&env, "bonemeal"), ["b1"]);
    assert_eq!(turns(&env, "espalier"), ["a0"]);
}

#[test]
fn a_fork_with_ids_of_its_own_is_found_once() {
    let forked = |line: usize| json!({"sessionId": FIRST, "messageUuid": format!("aaaaaaaa-0000-4000-8000-{line:012}")});
    let user = |line: usize, words: &str| json!({"type": "user", "forkedFrom": forked(line), "message": {"role": "user", "content": words}});
    let reply = |line: usize, words: &str| json!({"type": "assistant", "forkedFrom": forked(line), "message": {"role": "assistant", "content": [{"type": "text", "text": words}]}});
    let fork = ClaudeTranscript::new(COPY, "/home/ann/garden")
        .line(user(0, "Prune the espalier pear in winter"))
        .line(reply(1, "Cut back to two buds."))
        .user("Now sharpen the secateurs");
    let env = TestEnvironment::indexed(&[original(), fork]);
    assert_eq!(turns(&env, "espalier pear"), ["a0"]);
    assert_eq!(turns(&env, "secateurs"), ["b1"]);
}

/// OpenCode copies messages under new ids, with their times.
#[test]
fn a_fork_in_opencode_is_found_once() {
    let env = TestEnvironment::new();
    let first = ("Prune the espalier pear in winter", "Cut back to two buds.");
    let db = OpenCodeHistory::open(&env);
    db.session("ses_a", "/home/ann/garden", "Pruning", &[first]);
    db.session(
        "ses_b",
        "/home/ann/garden",
        "Pruning (fork #1)",
        &[first, ("Sharpen the secateurs", "Done.")],
    );
    env.run(&["index"]).succeeded();
    assert_eq!(env.found(&["espalier pear", "--keyword-only"]).len(), 1);
    let answer = env.json(&["search", "espalier pear", "--depth", "2", "--keyword-only"]);
    assert_eq!(answer["hits"].as_array().unwrap().len(), 1, "{answer}");
    let shown = env.json(&["show", "ses_b"]);
    assert_eq!(shown["shown"][0]["prompt"], first.0);
    assert_eq!(shown["shown"][1]["prompt"], "Sharpen the secateurs");
}

#[test]
fn a_session_goes_on_in_none_of_its_own_copies() {
    let longer = original()
        .at("2026-01-20T10:00:00Z")
        .user("Sharpen it")
        .assistant("Sharp.");
    let env = TestEnvironment::indexed(&[original().folder("-home-ann-copy"), longer]);
    for number in ["#1", "#2"] {
        let shown = env.json(&["show", number]);
        assert_eq!(shown["session"], FIRST, "{shown}");
        assert!(shown.get("continued_in").is_none(), "{shown}");
    }
}
