//! A history that cannot be read costs itself, and is named.

use crate::claude::ClaudeTranscript;
use crate::environment::{TestEnvironment, set_time};
use crate::history::{DOCKER, WATCHER, docker, watcher};
use crate::mcp_client::McpClient;
use serde_json::json;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

const ID: &str = "e5000000-0000-4000-8000-000000000005";

/// Where a session of the project `attic` lies.
fn attic(env: &TestEnvironment) -> PathBuf {
    env.home(&format!(".claude/projects/-home-ann-attic/{ID}.jsonl"))
}

fn telescope() -> ClaudeTranscript {
    ClaudeTranscript::new(ID, "/home/ann/attic")
        .user("Collimate the telescope mirror")
        .assistant("Turn the three screws.")
}

/// Asserts that the sessions that were there before are found, still.
#[track_caller]
fn others_are_found(env: &TestEnvironment) {
    assert_eq!(env.found(&["docker bridge", "--limit", "1"]), [DOCKER]);
    assert_eq!(env.found(&["EMFILE", "--limit", "1"]), [WATCHER]);
}

#[test]
fn times_of_files_may_be_anything() {
    let env = TestEnvironment::indexed(&[docker()]);
    let future = SystemTime::now() + Duration::from_secs(400 * 24 * 3600);
    set_time(&env.write_transcript(&watcher()), future);
    env.write(&attic(&env), telescope().text());
    set_time(&attic(&env), SystemTime::UNIX_EPOCH);
    env.run(&["index"]).succeeded();
    others_are_found(&env);
    assert_eq!(env.found(&["collimate telescope", "--keyword-only"]), [ID]);
    assert!(
        env.run(&["index"])
            .succeeded()
            .stderr()
            .starts_with("nothing new")
    );
    let longer = watcher().user("Prune the espalier").text();
    env.write(&env.home(&watcher().path_in_home()), longer);
    set_time(&env.home(&watcher().path_in_home()), future);
    assert_eq!(
        env.found(&["espalier", "--keyword-only"]),
        [WATCHER],
        "its size tells"
    );
}

#[test]
fn problems_are_listed_for_people() {
    let env = TestEnvironment::indexed(&[docker()]);
    env.write(&attic(&env), format!("{}oops\n", telescope().text()));
    env.run(&["index"]).succeeded();
    let printed = env.run(&["status"]).succeeded().stdout();
    assert!(printed.contains("1 place could not be read"), "{printed}");
    assert!(
        printed.contains("line is not valid JSON, first at byte "),
        "{printed}"
    );
}

#[test]
fn an_update_says_that_a_history_could_not_be_read() {
    let env = TestEnvironment::indexed(&[docker()]);
    fs_err::create_dir_all(attic(&env)).unwrap();
    let note = "note: 1 place could not be read\nhint: `session-search status` says why";
    for mode in [&["index"][..], &["index", "--full"], &["index"]] {
        let ran = env.run(mode).succeeded();
        assert!(ran.stderr().contains(note), "{ran}");
    }
    let missed = env.run(&["search", "telescope"]);
    assert!(missed.stderr().contains(note), "{missed}");
    let outcome = env.json(&["index"]);
    assert_eq!(
        (&outcome["files_read"], &outcome["places_unread"]),
        (&0.into(), &1.into())
    );
    for command in [
        &["search", "docker"][..],
        &["stats", "--days", "9999"],
        &["commands", "*"],
    ] {
        let answer = env.json(command);
        assert_eq!(answer["complete"], false, "{answer}");
        let hints = answer["hints"].to_string();
        assert!(hints.contains("1 place could not be read"), "{answer}");
        assert!(env.run(command).succeeded().stderr().contains(note));
        let told = env.run(&[command, &["--json"]].concat()).succeeded();
        assert!(!told.stderr().contains(note), "{told}");
    }
    let shown = env.run(&["show", DOCKER]).succeeded();
    assert!(!shown.stderr().contains(note), "{shown}");
    fs_err::remove_dir(attic(&env)).unwrap();
    assert_eq!(env.json(&["search", "docker"])["complete"], true);
    let ran = env.run(&["index"]).succeeded();
    assert!(!ran.stderr().contains("note:"), "{ran}");
}

#[test]
fn where_no_history_could_be_read_none_is_said_to_be_missing() {
    let env = TestEnvironment::new();
    fs_err::create_dir_all(attic(&env)).unwrap();
    let demo = env.run(&["search", "docker", "--or-demo"]).succeeded();
    let note = "note: no history of this machine could be read; this is the built-in demo\n";
    assert!(demo.stderr().contains(note), "{demo}");
    let answer = McpClient::start(&env).call("search", json!({"query": "docker"}));
    assert!(
        answer.contains("no session of a coding agent could be read"),
        "{answer}"
    );
    assert!(answer.contains("1 place could not be read"), "{answer}");
}

/// A folder's name may be any bytes.
#[cfg(unix)]
#[test]
fn folders_whose_names_are_no_text_are_read() {
    use std::os::unix::ffi::OsStrExt;
    let env = TestEnvironment::indexed(&[docker(), watcher()]);
    let folder = std::ffi::OsStr::from_bytes(b"-home-\xff-attic");
    let path = env
        .home(".claude/projects")
        .join(folder)
        .join(format!("{ID}.jsonl"));
    env.write(&path, telescope().text());
    env.run(&["index"]).succeeded();
    others_are_found(&env);
    assert_eq!(env.found(&["collimate telescope", "--keyword-only"]), [ID]);
    env.run(&["show", ID]).succeeded();
    assert!(
        env.run(&["index"])
            .succeeded()
            .stderr()
            .starts_with("nothing new")
    );
}
