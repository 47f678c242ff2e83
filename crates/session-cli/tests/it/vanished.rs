//! Histories that are no longer on disk stay in the index.

use crate::environment::TestEnvironment;
use crate::history::{DOCKER, SCHEDULE, WATCHER, checkout, docker, small, watcher};
use crate::opencode::OpenCodeHistory;
use insta::assert_snapshot;

/// An environment whose docker session was deleted after it was indexed.
fn env() -> TestEnvironment {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    fs_err::remove_file(env.home(&docker().path_in_home())).unwrap();
    env
}

#[test]
fn a_vanished_session_is_found_and_marked() {
    let env = env();
    let hit = &env.json(&["search", "docker bridge"])["hits"][0];
    assert_eq!(
        (&hit["session"], &hit["gone"]),
        (&DOCKER.into(), &true.into())
    );
    assert_eq!(hit["resume"], serde_json::Value::Null);
    let printed = env
        .run(&["search", "docker bridge", "--limit", "1"])
        .succeeded()
        .stdout();
    assert!(printed.contains("(history gone)"), "{printed}");
    let ran = env
        .run(&["commands", "docker network"])
        .succeeded()
        .stdout();
    assert!(ran.contains("(history gone)"), "{ran}");
    assert_eq!(env.json(&["status"])["gone"], 1);
}

#[test]
fn what_is_kept_of_a_vanished_session_is_shown() {
    assert_snapshot!(env().run(&["show", DOCKER]), @r"
    exit code: 0
    ----- stdout -----
    SESSION  a1000000   claude   homelab   2026-01-15 10:00   2 turns   (history gone)
    Docker bridge DNS
    folder: /home/ann/homelab
    branch: main

    ── a1000000:0   1 of 2   2026-01-15 10:00   from the index: the history is gone or changed, outputs are not kept
    you> The containers cannot resolve each other by name on the docker bridge

    ● Bash docker network inspect bridge

    The default bridge has no DNS. Create a network of your own and attach both.

    ── a1000000:1   2 of 2   2026-01-15 10:05   from the index: the history is gone or changed, outputs are not kept
    you> Write that into compose.yaml

    ● Edit /home/ann/homelab/compose.yaml

    Both services are on the network `inner` now.
    ----- stderr -----
    ");
}

#[test]
fn a_whole_history_can_vanish() {
    let env = small();
    fs_err::remove_dir_all(env.home(".claude")).unwrap();
    fs_err::remove_dir_all(env.home(".local")).unwrap();
    assert_eq!(env.found(&["EMFILE", "--limit", "1"]), [WATCHER]);
    assert_eq!(env.json(&["status"])["gone"], 4);
    env.run(&["show", SCHEDULE]).succeeded();
}

/// A session deleted in OpenCode stays marked while others change.
#[test]
fn a_session_deleted_in_opencode_stays_marked() {
    let env = small();
    let db = OpenCodeHistory::open(&env);
    for (table, column) in [
        ("session", "id"),
        ("message", "session_id"),
        ("part", "session_id"),
    ] {
        db.0.execute(
            &format!("DELETE FROM {table} WHERE {column} = ?1"),
            [SCHEDULE],
        )
        .unwrap();
    }
    let gone = || {
        let hit = env.json(&["search", "nightly job two hours", "--session", SCHEDULE]);
        hit["hits"][0]["gone"].clone()
    };
    assert_eq!(gone(), true);
    let shown = env.run(&["show", SCHEDULE]).succeeded().stdout();
    assert!(shown.contains("(history gone)"), "{shown}");
    db.session(
        "ses_5",
        "/home/ann/planner",
        "Holidays",
        &[("Skip bank holidays", "Done.")],
    );
    assert_eq!(env.found(&["bank holidays", "--limit", "1"]), ["ses_5"]);
    assert_eq!(gone(), true);
    env.write_transcript(&checkout().user("One more"));
    assert_eq!(gone(), true);
    env.run(&["index", "--full"]).succeeded();
    assert_eq!(gone(), true);
}
