//! Histories grow, and the index with them.

use crate::environment::TestEnvironment;
use crate::history::{docker, small, watcher};
use serde_json::json;

/// The time of a session is that of the last thing in it, words or not.
#[test]
fn a_session_is_as_late_as_its_last_line() {
    let env = TestEnvironment::indexed(&[docker()]);
    let late = json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "fine"}]}});
    env.write_transcript(&docker().at("2026-01-18T08:00:00Z").line(late));
    let date = env.json(&["search", "docker"])["hits"][0]["date"].clone();
    assert_eq!(date, "2026-01-18T08:00:00Z");
}

#[test]
fn a_second_index_finds_nothing_new() {
    let env = small();
    let database = fs_err::read(env.index("index.db")).unwrap();
    for _ in 0..2 {
        let ran = env.run(&["index"]).succeeded();
        assert!(ran.stderr().starts_with("nothing new"), "{ran}");
    }
    assert!(fs_err::read(env.index("index.db")).unwrap() == database);
}

#[test]
fn no_refresh_answers_from_the_index_as_it_is() {
    let env = TestEnvironment::indexed(&[docker()]);
    env.write_transcript(&watcher());
    assert_eq!(
        env.found(&["EMFILE", "--no-refresh", "--keyword-only"])
            .len(),
        0
    );
    assert_eq!(env.found(&["EMFILE", "--keyword-only"]).len(), 1);
}

#[test]
fn no_refresh_says_that_an_empty_index_was_not_filled() {
    let env = TestEnvironment::indexed(&[]);
    env.write_transcript(&watcher());
    insta::assert_snapshot!(env.run(&["search", "EMFILE", "--no-refresh"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    the index holds no session, and --no-refresh reads none
    hint: run `session-search index`
    ");
}
