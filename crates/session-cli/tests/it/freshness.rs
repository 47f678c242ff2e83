//! The freshness that an answer tells of its index.

use crate::environment::TestEnvironment;
use crate::history::{WATCHER, checkout, docker, watcher};
use crate::opencode::OpenCodeHistory;
use serde_json::json;
use session_store::Writer;
use std::time::Duration;

/// The index of one session while there are two, and another process writes.
fn locked() -> (TestEnvironment, Writer) {
    let env = TestEnvironment::indexed(&[docker()]);
    env.write_transcript(&watcher());
    let writer = Writer::open(&env.index("")).unwrap();
    (env, writer)
}

#[test]
fn an_answer_from_an_index_that_is_being_written_may_be_incomplete() {
    let (env, writer) = locked();
    insta::assert_snapshot!(env.run(&["search", "docker", "--keyword-only"]).stderr(), @"note: another process is updating the index, 1 changed file still to be read; this answer may be incomplete");
    let search = || {
        let answer = env.json(&["search", "docker"]);
        (answer["complete"].clone(), answer["index"].clone())
    };
    let (complete, index) = search();
    assert_eq!(complete, false);
    assert_eq!(
        index,
        json!({"files_left": 1, "sessions_left": 0, "places_unread": 0, "locked": true})
    );
    drop(writer);
    let (complete, index) = search();
    assert_eq!(complete, true);
    assert_eq!(
        index,
        json!({"files_left": 0, "sessions_left": 0, "places_unread": 0, "locked": false})
    );
}

/// A session that is not read yet is no unknown one: an id waits for all that is left.
#[test]
fn a_session_that_is_named_is_read_before_it_is_said_to_be_nowhere() {
    let (env, writer) = locked();
    let named = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(700));
            drop(writer);
        });
        env.run(&["show", WATCHER])
    });
    named.succeeded();
    for arguments in [
        &["resume", "nowhere"][..],
        &["search", "x", "--session", "nowhere"],
        &["files", "x", "--session", "nowhere"],
    ] {
        let ran = env.run(arguments).exits(2);
        assert!(ran.stderr().contains("no session begins with"), "{ran}");
    }
}

#[test]
fn who_does_not_look_does_not_know() {
    let (env, writer) = locked();
    let answer = env.json(&["search", "docker", "--no-refresh"]);
    assert!(answer["index"].is_null(), "{answer}");
    drop(writer);
    assert_eq!(
        env.found(&["EMFILE", "--keyword-only", "--no-refresh"])
            .len(),
        0
    );
}

/// What is read is there: the index that another process makes is not taken
/// for that of a machine without history.
#[test]
fn a_history_that_is_not_read_yet_is_a_history() {
    let env = TestEnvironment::new();
    drop(OpenCodeHistory::open(&env));
    env.run(&["index"]).succeeded();
    env.write_transcript(&checkout());
    let writer = Writer::open(&env.index("")).unwrap();
    let ran = env.run(&["search", "idempotency"]).exits(1);
    assert!(
        ran.stderr()
            .contains("may be incomplete\nnothing found in 0 sessions"),
        "{ran}"
    );
    drop(writer);
    assert_eq!(env.found(&["idempotency", "--limit", "1"]).len(), 1);
}
