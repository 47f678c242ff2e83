//! Histories grow, and the index with them.

use crate::environment::TestEnvironment;
use crate::history::{DOCKER, SCHEDULE, docker, small, watcher};
use crate::opencode::OpenCodeHistory;
use serde_json::json;

#[test]
fn an_answer_that_is_appended_is_found() {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    env.write_transcript(
        &docker()
            .assistant("Also set ndots to zero.")
            .bash("dig inner.local", "NXDOMAIN error"),
    );
    for query in ["ndots", "dig inner.local", "NXDOMAIN"] {
        assert_eq!(env.found(&[query, "--keyword-only"]), [DOCKER], "{query}");
    }
    let shown = env.run(&["show", "a1:1"]).succeeded().stdout();
    assert!(
        shown.contains("ndots") && shown.contains("dig inner.local"),
        "{shown}"
    );
    assert_eq!(env.json(&["show", "a1"])["turns"], 2);
}

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
fn a_title_that_comes_later_is_found() {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    env.write_transcript(&watcher().title("Leaking inotify handles"));
    let answer = env.json(&["search", "inotify"]);
    assert_eq!(answer["hits"][0]["title"], "Leaking inotify handles");
    env.write_transcript(
        &watcher()
            .title("Leaking inotify handles")
            .title("Watcher plugged"),
    );
    assert_eq!(
        env.json(&["search", "plugged"])["hits"][0]["title"],
        "Watcher plugged"
    );
    assert_eq!(env.found(&["inotify", "--keyword-only"]).len(), 0);
}

/// Old versions wrote titles into another session's file.
#[test]
fn a_title_from_another_file_is_found() {
    let env = TestEnvironment::indexed(&[watcher()]);
    let leaf = "b2000000-0000-4000-8000-000000000003";
    let titles = crate::history::checkout()
        .line(json!({"type": "summary", "summary": "Leaking inotify handles", "leafUuid": leaf}));
    env.write_transcript(&titles);
    let answer = env.json(&["search", "inotify"]);
    assert_eq!(answer["hits"][0]["session"], crate::history::WATCHER);
    assert_eq!(answer["hits"][0]["title"], "Leaking inotify handles");
}

#[test]
fn a_session_of_opencode_grows() {
    let env = small();
    let db = OpenCodeHistory::open(&env);
    db.session(
        "ses_5",
        "/home/ann/planner",
        "Holidays",
        &[("Skip bank holidays", "Done.")],
    );
    assert_eq!(env.found(&["bank holidays", "--limit", "1"]), ["ses_5"]);
    db.0.execute(
        "UPDATE session SET title = 'Moon phases' WHERE id = ?1",
        [SCHEDULE],
    )
    .unwrap();
    assert_eq!(env.found(&["moon phases", "--keyword-only"]), [SCHEDULE]);
}

#[test]
fn a_file_that_was_rewritten_is_read_anew() {
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    let other = crate::claude::ClaudeTranscript::new(DOCKER, "/home/ann/homelab")
        .at("2026-05-01T10:00:00Z")
        .user("Bake a rhubarb crumble")
        // A file that shrinks is taken for a damaged one.
        .assistant(&"At 180 degrees. ".repeat(1000));
    env.write_transcript(&other);
    let hit = env.json(&["search", "rhubarb"])["hits"][0].clone();
    assert_eq!(hit["session"], DOCKER);
    assert_eq!(hit["title"], "Bake a rhubarb crumble");
    assert_eq!(hit["turns"], 1);
    assert_eq!(env.found(&["compose.yaml", "--keyword-only"]).len(), 0);
    assert_eq!(env.names(&["rhubarb", "--until", "2026-03-01"]), "");
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
