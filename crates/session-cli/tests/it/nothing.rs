//! What is said where there is nothing to say.

use crate::environment::TestEnvironment;
use crate::history::small;
use insta::assert_snapshot;

#[test]
fn nothing_found_is_said_on_stderr() {
    let env = small();
    assert_snapshot!(env.run(&["search", "zygomorphic", "--keyword-only"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    nothing found in 4 sessions
    ");
    assert_snapshot!(env.run(&["search", "EMFILE", "--project", "nowhere"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    nothing found in 0 sessions
    hint: the filters may be too narrow
    ");
    assert_snapshot!(env.run(&["search", "EMFILE", "--project", "nowhere", "--json"]), @r#"
    exit code: 1
    ----- stdout -----
    {
      "query": "EMFILE",
      "level": "session",
      "hits": [],
      "searched": {
        "sessions": 0,
        "projects": 0,
        "sources": {}
      }
    }
    ----- stderr -----
    "#);
    assert_snapshot!(env.run(&["show", "b2:7"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    session b2000000-0000-4000-8000-000000000002 has no such turn
    hint: its turns are 0 to 0
    ");
}

#[test]
fn without_history_the_way_on_is_shown() {
    let env = TestEnvironment::new();
    assert_snapshot!(env.run(&["status"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    there is no index yet
    hint: the first `session-search search` makes it
    ");
    assert_snapshot!(env.run(&["search", "docker"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    no Claude Code or OpenCode history in `[TMP]/home`
    hint: try `session-search demo`, or set CLAUDE_CONFIG_DIR or XDG_DATA_HOME
    ");
    assert_snapshot!(env.run(&["search", "docker", "--json"]), @r#"
    exit code: 1
    ----- stdout -----
    {
      "query": "docker",
      "level": "session",
      "hits": [],
      "searched": {
        "sessions": 0,
        "projects": 0,
        "sources": {}
      }
    }
    ----- stderr -----
    no Claude Code or OpenCode history in `[TMP]/home`
    hint: try `session-search demo`, or set CLAUDE_CONFIG_DIR or XDG_DATA_HOME
    "#);
    assert_snapshot!(env.run(&["search", "docker", "--or-demo", "--limit", "1"]), @r#"
    exit code: 0
    ----- stdout -----
    SESSIONS  "docker"   6 sessions, 3 projects (claude 6)

    [# moderate]    claude   a1b2c3d4   homelab   2026-01-15   3 turns   docker-network-debug
        …on `homelab_default` when the file was split, and Docker's embedded DNS at 127.0.0.11 answers
        only for containers that share a user-defined network. That is why the name does not res…
        resume: claude --resume a1b2c3d4-1111-4a11-8a11-000000000001

    Next: session-search search "docker" --depth 2 --session a1b2c3d4
    ----- stderr -----
    note: this machine has no history yet; this is the built-in demo
    "#);
    assert_snapshot!(env.run(&["show", "a1"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: no session begins with `a1`
    hint: `session-search search` prints ids
    ");
    assert_snapshot!(env.run(&["index"]), @r"
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    nothing new ([TIME] s)
    ");
}

#[test]
fn the_demo_does_not_stand_in_for_a_history() {
    let env = small();
    assert_eq!(
        env.found(&["EMFILE", "--or-demo", "--limit", "1"]),
        [crate::history::WATCHER]
    );
}
