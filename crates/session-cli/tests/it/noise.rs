//! What nobody looks for is not found, but shown.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::history::{docker, watcher};
use serde_json::json;

const ID: &str = "e5000000-0000-4000-8000-000000000005";

fn noisy() -> ClaudeTranscript {
    ClaudeTranscript::new(ID, "/home/ann/attic")
        .user("Where did we put the telescope tripod?")
        .assistant("In the attic.")
}

/// Asserts that a session of one turn with these words is not found by them,
/// neither by word nor by meaning, but that they are shown.
#[track_caller]
fn hidden_but_shown(transcript: ClaudeTranscript, query: &str, words: &str) {
    let env = TestEnvironment::indexed(&[transcript, docker(), watcher()]);
    let deep = ["--depth", "2", "--session", ID];
    for ranking in [&[][..], &["--keyword-only"], &["--vector-only"]] {
        let answer = env.json(&[&["search", query], &deep[..], ranking].concat());
        let hits = answer["hits"].as_array().unwrap();
        assert!(
            hits.iter().all(|hit| hit["turn"] != 1),
            "{ranking:?}: {answer}"
        );
    }
    let shown = env.run(&["show", &format!("{ID}:1")]).succeeded().stdout();
    assert!(shown.contains(words), "{shown}");
}

#[test]
fn a_mere_yes_is_shown_and_not_found() {
    hidden_but_shown(noisy().user("yes, go on"), "yes go on", "you> yes, go on");
}

#[test]
fn a_blob_of_data_is_shown_and_not_found() {
    let blob = json!({"telescope": {"mount": "altazimuth", "readings": [1, 2, 3]}}).to_string();
    hidden_but_shown(
        noisy().user(&blob),
        "altazimuth mount readings",
        "altazimuth",
    );
}

#[test]
fn output_of_this_program_that_a_user_pasted_is_shown_and_not_found() {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    let human = env.run(&["search", "docker bridge"]).succeeded().stdout();
    hidden_but_shown(noisy().user(&human), "docker bridge", "SESSIONS");
    let turns = env
        .run(&["search", "docker bridge", "--depth", "2"])
        .succeeded()
        .stdout();
    hidden_but_shown(noisy().user(&turns), "docker bridge", "TURNS");
    let json = env
        .run(&["search", "docker bridge", "--json"])
        .succeeded()
        .stdout();
    hidden_but_shown(noisy().user(&json), "docker bridge", "\"hits\"");
}

#[test]
fn output_of_this_program_that_an_agent_called_is_shown_and_not_found() {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    let output = env.run(&["search", "EMFILE error"]).succeeded().stdout();
    let turn = noisy()
        .user("ok")
        .bash("session-search search 'EMFILE error'", &output);
    hidden_but_shown(turn, "EMFILE error", "session-search search");
}

#[test]
fn a_warm_up_of_a_subagent_is_neither_found_nor_counted() {
    let agent = ClaudeTranscript::new("agent-warm0001", "/home/ann/attic")
        .agent_of(ID)
        .user("Warmup")
        .assistant("I am ready to polish the astrolabe.");
    let env = TestEnvironment::indexed(&[noisy(), agent]);
    assert_eq!(
        env.found(&["polish the astrolabe", "--subagents", "--keyword-only"])
            .len(),
        0
    );
    assert_eq!(env.json(&["status"])["subagents"], 0);
}
