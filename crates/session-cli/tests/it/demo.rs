//! The three levels on the built-in history.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;

/// Returns the output of the demo, of each listing the first hit alone and without its
/// score: how others are ranked is no matter of how it is printed.
fn walked(env: &TestEnvironment) -> String {
    let printed = env.run(&["demo"]).succeeded().stdout();
    let mut listed = 0;
    let mut blocks = Vec::new();
    for block in printed.split("\n\n") {
        let Some((_, rest)) = block.strip_prefix('[').and_then(|b| b.split_once(']')) else {
            listed = 0;
            blocks.push(block.to_owned());
            continue;
        };
        listed += 1;
        if listed == 1 {
            blocks.push(format!("[SCORE]   {}", rest.trim_start()));
        }
    }
    blocks.join("\n\n")
}

#[test]
fn the_demo_walks_three_levels() {
    let env = TestEnvironment::new();
    assert_snapshot!(walked(&env), @r#"

    Level 1: which session was it?
    $ session-search search "why can the api container not resolve the database host" --limit 3

    SESSIONS  "why can the api container not resolve the database…"   6 sessions, 3 projects (claude 6)

    [SCORE]   claude   a1b2c3d4:0   homelab   2026-01-15   3 turns   docker-network-debug
        The containers on the backend network can't reach each other by name. `api` gets "could not
        resolve host: db" since I split the compose file.

    Level 2: which turn of it?
    $ session-search search "why can the api container not resolve the database host" --depth 2 \
        --session a1b2c3d4 --limit 3

    TURNS  "why can the api container not resolve the database host"   1 session, 1 project (claude 1)

    [SCORE]   claude   a1b2c3d4:0   homelab   2026-01-15   3 turns   docker-network-debug
        The containers on the backend network can't reach each other by name. `api` gets "could not
        resolve host: db" since I split the compose file.

    Level 3: what was said and done in it
    $ session-search show a1b2c3d4:0

    SESSION  a1b2c3d4   claude   homelab   2026-01-15 19:02   3 turns
    docker-network-debug
    folder: /home/ann/homelab
    branch: main

    ── a1b2c3d4:0   1 of 3   2026-01-15 19:02 ──────────────────────────────────────────────────────────
    you> The containers on the backend network can't reach each other by name. `api` gets "could not resolve host: db" since I split the compose file.

    ● Bash docker network ls && docker compose ps
      │ NETWORK ID     NAME              DRIVER
      │ 3f1c9a2b7d10   homelab_default   bridge
      │ 9b77c0de4411   backend           bridge
      │ NAME   SERVICE   STATUS
      │ api    api       running
      │ db     db        running

    ● Bash docker network inspect backend --format '{{range .Containers}}{{.Name}} {{end}}'
      │ api

    Only `api` is attached to the `backend` bridge. `db` stayed on `homelab_default` when the file was split, and Docker's embedded DNS at 127.0.0.11 answers only for containers that share a user-defined network. That is why the name does not resolve.
    "#);
    assert!(!env.index("").exists() && !env.home(".cache").exists());
}

#[test]
fn the_demo_is_one_object_of_three_levels() {
    let env = TestEnvironment::new();
    let demo = env.json(&["demo"]);
    let id = "a1b2c3d4-1111-4a11-8a11-000000000001";
    assert_eq!(demo["sessions"]["level"], "session");
    assert_eq!(demo["sessions"]["hits"][0]["session"], id);
    assert_eq!(demo["turns"]["level"], "turn");
    assert_eq!(demo["turns"]["hits"][0]["session"], id);
    assert_eq!(demo["shown"]["session"], id);
    assert_eq!(
        demo["shown"]["shown"][0]["turn"],
        demo["turns"]["hits"][0]["turn"]
    );
    assert_eq!(demo["sessions"]["complete"], true);
}

#[test]
fn a_demo_that_finds_nothing_ends_at_the_first_level() {
    let env = TestEnvironment::new();
    let ran = env.run(&["demo", "🎉", "--json"]).exits(1);
    let demo: serde_json::Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!(demo["sessions"]["hits"], serde_json::json!([]));
    assert!(demo["turns"].is_null() && demo["shown"].is_null(), "{ran}");
    let ran = env.run(&["demo", "🎉"]).exits(1);
    assert!(!ran.stdout().contains("Level 2"), "{ran}");
}

/// The ids of the demo name nothing that another command finds.
#[test]
fn a_search_of_the_demo_names_the_command_that_goes_on() {
    let env = TestEnvironment::new();
    let query = "docker bridge networking";
    for depth in ["1", "2"] {
        let ran = env.run(&["search", query, "--or-demo", "--depth", depth]);
        let printed = ran.succeeded().stdout();
        let next = format!("\n\nNext: session-search demo \"{query}\"\n");
        assert!(printed.ends_with(&next), "{printed}");
        assert_eq!(printed.matches("Next:").count(), 1, "{printed}");
        assert!(!printed.contains("--resume"), "{printed}");
    }
    let shown = env.run(&["demo", query]).succeeded();
    assert!(shown.stderr().contains("not in your index"), "{shown}");
    let nothing = env.run(&["search", "🎉", "--or-demo"]).exits(1);
    assert_eq!(nothing.stdout(), "", "{nothing}");
}
