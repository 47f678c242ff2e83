//! Naming a session by its id, or by the beginning of it.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use insta::assert_snapshot;

const ONE: &str = "abcd1111-0000-4000-8000-000000000001";
const TWO: &str = "abcd1122-0000-4000-8000-000000000002";

fn session(id: &str, cwd: &str, words: &str) -> ClaudeTranscript {
    ClaudeTranscript::new(id, cwd)
        .user(words)
        .assistant("The lantern is lit.")
}

fn env() -> TestEnvironment {
    TestEnvironment::indexed(&[
        session(ONE, "/home/ann/harbour", "Light the lantern at the pier"),
        session(TWO, "/home/ann/harbour", "Light the lantern on the boat"),
    ])
}

#[test]
fn a_shared_beginning_lists_the_candidates() {
    let env = env();
    assert_snapshot!(env.run(&["show", "abcd"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `abcd` is the beginning of 2 session ids:
      abcd1111   harbour   2026-01-15   Light the lantern at the pier
      abcd1122   harbour   2026-01-15   Light the lantern on the boat
    hint: write more of it
    ");
    env.run(&["search", "lantern", "--session", "abcd"])
        .exits(2);
    env.run(&["search", "lantern", "--exclude-session", "abcd"])
        .exits(2);
}

#[test]
fn an_unknown_id_is_an_error() {
    let env = env();
    assert_snapshot!(env.run(&["show", "ffff"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: no session begins with `ffff`
    hint: `session-search search QUERY` prints ids
    ");
    for id in [
        "",
        ":",
        ":1",
        "#",
        "#999",
        "#x",
        "%",
        "*",
        "abcd1111:x",
        "abcd1111:2-1",
        "-1",
    ] {
        env.run(&["show", id]).exits(2);
    }
    env.run(&["search", "lantern", "--session", ""]).exits(2);
    let ran = env.run(&["show", ":5"]).exits(2);
    let said = "error: the id of a session is missing\nhint: ";
    assert!(ran.stderr().starts_with(said), "{ran}");
}

#[test]
fn printed_ids_can_be_typed() {
    let env = env();
    let printed = env
        .run(&["search", "lantern", "--depth", "2"])
        .succeeded()
        .stdout();
    let next = printed
        .lines()
        .last()
        .unwrap()
        .strip_prefix("Next: session-search ")
        .unwrap();
    let words: Vec<&str> = next.split(' ').collect();
    env.run(&words).succeeded();
    let printed = env
        .run(&["resume", "abcd1111:8", "--print"])
        .succeeded()
        .stdout();
    assert!(printed.contains(ONE), "{printed}");
    assert_eq!(env.found(&["lantern", "--session", "abcd1122:0"]), [TWO]);
}

/// A query that begins with a hyphen comes after `--`.
#[test]
fn a_printed_query_is_never_an_option() {
    let env = env();
    let printed = env.run(&["search", "--", "--lantern"]).succeeded().stdout();
    let next = printed.lines().last().unwrap();
    let next = next.strip_prefix("Next: session-search ").unwrap();
    assert!(next.ends_with("-- \"--lantern\""), "{next}");
    let next = next.replace('"', "");
    let words: Vec<&str> = next.split(' ').collect();
    env.run(&words).succeeded();
}

/// The same id in two folders: the user copied a project's folder.
#[test]
fn two_sessions_with_one_id_are_told_apart_by_number() {
    let env = TestEnvironment::indexed(&[
        session(ONE, "/home/ann/harbour", "Light the lantern at the pier"),
        session(ONE, "/home/ann/marina", "Wind the harbour clock").at("2026-01-16T10:00:00Z"),
    ]);
    assert_snapshot!(env.run(&["show", "abcd"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `abcd` is the beginning of 2 session ids:
      #1 (abcd1111-0000-4000-8000-000000000001)   harbour   2026-01-15   Light the lantern at the pier
      #2 (abcd1111-0000-4000-8000-000000000001)   marina    2026-01-15   Wind the harbour clock
    hint: write more of it, or the number with its `#`, in quotes
    ");
    let first = env.run(&["show", "#1"]).succeeded().stdout();
    let second = env.run(&["show", "#2:0"]).succeeded().stdout();
    assert!(
        first.contains("at the pier") && second.contains("harbour clock"),
        "{first}{second}"
    );
    assert_eq!(env.found(&["lantern", "--session", "#1"]).len(), 1);
}

/// What is printed after `Next:` names one session, in the shell's words.
#[cfg(unix)]
#[test]
fn the_next_command_works_for_twins() {
    let env = TestEnvironment::indexed(&[
        session(ONE, "/home/ann/harbour", "Light the lantern at the pier"),
        session(ONE, "/home/ann/marina", "Wind the harbour clock"),
    ]);
    for search in [
        vec!["search", "clock"],
        vec!["search", "clock", "--depth", "2"],
    ] {
        let printed = env.run(&search).succeeded().stdout();
        let next = printed
            .lines()
            .last()
            .unwrap()
            .strip_prefix("Next: ")
            .unwrap();
        let program = env!("CARGO_BIN_EXE_session-search");
        let script = next.replacen("session-search", &format!("'{program}'"), 1);
        let mut shell = std::process::Command::new("sh");
        env.isolate(shell.arg("-c").arg(script));
        let ran = env.ran(shell.output().unwrap()).succeeded();
        assert!(ran.stdout().contains("harbour clock"), "{ran}");
    }
}
