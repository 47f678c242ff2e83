//! The output of each command.

use crate::environment::TestEnvironment;
use crate::history::{DOCKER, small};
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn sessions_are_listed_for_people() {
    let env = small();
    assert_snapshot!(env.run(&["search", "docker bridge dns", "--limit", "1"]), @r#"
    exit code: 0
    ----- stdout -----
    SESSIONS  "docker bridge dns"   4 sessions, 4 projects (claude 3, opencode 1)

    [# strong]   claude   a1000000:0   homelab   2026-01-15   2 turns   Docker bridge DNS
        The containers cannot resolve each other by name on the docker bridge
        resume: session-search resume a1000000

    Next: session-search search "docker bridge dns" --depth 2 --session a1000000
    ----- stderr -----
    "#);
    assert_snapshot!(env.run(&["search", "docker bridge dns", "--limit", "1", "--explain"]), @r#"
    exit code: 0
    ----- stdout -----
    SESSIONS  "docker bridge dns"   4 sessions, 4 projects (claude 3, opencode 1)

    [# strong]   claude   a1000000:0   homelab   2026-01-15   2 turns   Docker bridge DNS
        The containers cannot resolve each other by name on the docker bridge
        resume: session-search resume a1000000
        lexical # (rank 1, scaled #)   dense # (rank 1, scaled #)   fused #

    fused = # x dense + # x lexical; the score is the probability of an answer
    dense: strength #, confidence #; lexical: strength #, confidence #
    table: weight #, best cosine #, mean #, z #, strength #
    few sessions hold docker bridge dns: they are first
      docker: 1 turn, idf #
      bridge: 1 turn, idf #
      dns: 1 turn, idf #
      docker bridge dns: 1 turn, idf #

    Next: session-search search "docker bridge dns" --depth 2 --session a1000000
    ----- stderr -----
    "#);
}

#[test]
fn weak_hits_beside_a_strong_one_take_a_line_each() {
    let env = TestEnvironment::new();
    assert_snapshot!(env.run(&["search", "docker compose file", "--or-demo"]), @r#"
    exit code: 0
    ----- stdout -----
    SESSIONS  "docker compose file"   6 sessions, 3 projects (claude 6)

    [# strong]   claude   a1b2c3d4:0   homelab   2026-01-15   3 turns   docker-network-debug
        The containers on the backend network can't reach each other by name. `api` gets "could not
        resolve host: db" since I split the compose file.

    [# weak]     claude   b7e0f1a2:1   homelab   2026-02-03   2 turns   Nightly backup to the NAS
    [# weak]     claude   c3d9e8f7:0   parser   2026-02-20   2 turns   EMFILE in watch mode

    Next: session-search demo "docker compose file"
    ----- stderr -----
    note: this machine has no history yet; this is the built-in demo
    "#);
}

#[test]
fn turns_are_listed_for_people() {
    let env = small();
    assert_snapshot!(env.run(&["search", "docker bridge dns", "--depth", "2", "--limit", "1"]), @r#"
    exit code: 0
    ----- stdout -----
    TURNS  "docker bridge dns"   4 sessions, 4 projects (claude 3, opencode 1)

    [# strong]   claude   a1000000:0   homelab   2026-01-15   2 turns   Docker bridge DNS
        The containers cannot resolve each other by name on the docker bridge
        resume: session-search resume a1000000

    Next: session-search show a1000000:0-1
    ----- stderr -----
    "#);
}

#[test]
fn sessions_are_listed_as_json() {
    let env = small();
    assert_snapshot!(env.run(&["search", "EMFILE watcher", "--limit", "1", "--json"]), @r#"
    exit code: 0
    ----- stdout -----
    {
      "query": "EMFILE watcher",
      "level": "session",
      "hits": [
        {
          "rank": 1,
          "score": #,
          "band": "strong",
          "source": "claude",
          "session": "b2000000-0000-4000-8000-000000000002",
          "project": "parser",
          "path": "/home/ann/parser",
          "date": "2026-02-20T14:03:00Z",
          "title": "The file watcher crashes with EMFILE after an hour",
          "parent": null,
          "gone": false,
          "turn": 0,
          "turns": 1,
          "branch": "watch-mode",
          "preview": "Each change opens a new handle and none is closed. Reuse one watcher.",
          "matches": [
            [
              61,
              68
            ]
          ],
          "files": [],
          "tools": [
            "Bash"
          ],
          "resume": "claude --resume b2000000-0000-4000-8000-000000000002"
        }
      ],
      "searched": {
        "sessions": 4,
        "projects": 4,
        "sources": {
          "claude": 3,
          "opencode": 1
        }
      },
      "complete": true,
      "index": {
        "files_left": 0,
        "sessions_left": 0,
        "places_unread": 0,
        "locked": false
      },
      "left_out": [],
      "missing": [],
      "session_ids": [],
      "only_subagents": [],
      "filtered": [],
      "corrected": [],
      "hints": []
    }
    ----- stderr -----
    "#);
}

#[test]
fn turns_are_listed_as_json() {
    let env = small();
    let answer = env.json(&[
        "search",
        "network in compose.yaml",
        "--depth",
        "2",
        "--limit",
        "1",
    ]);
    let fields = [
        "session", "turn", "turns", "date", "preview", "files", "tools",
    ];
    let told = fields.map(|field| &answer["hits"][0][field]);
    assert_eq!(answer["level"], "turn");
    assert_eq!(
        json!(told),
        json!([
            "a1000000-0000-4000-8000-000000000001",
            1,
            2,
            "2026-01-15T10:05:00Z",
            "Write that into compose.yaml",
            ["/home/ann/homelab/compose.yaml"],
            ["Edit"],
        ])
    );
}

#[test]
fn turns_are_shown_for_people() {
    let env = small();
    assert_snapshot!(env.run(&["show", DOCKER]), @r#"
    exit code: 0
    ----- stdout -----
    SESSION  a1000000   claude   homelab   2026-01-15 10:00   2 turns
    Docker bridge DNS
    folder: /home/ann/homelab
    branch: main

    ── a1000000:0   1 of 2   2026-01-15 10:00 ──────────────────────────────────────────────────────────
    you> The containers cannot resolve each other by name on the docker bridge

    [thinking]
    The default bridge has no DNS.

    ● Bash docker network inspect bridge
      │ [{"Name": "bridge"}]

    The default bridge has no DNS. Create a network of your own and attach both.

    ── a1000000:1   2 of 2   2026-01-15 10:05 ──────────────────────────────────────────────────────────
    you> Write that into compose.yaml

    ● Edit /home/ann/homelab/compose.yaml
      + networks:
      +   inner:
        services:
      │ The file has been updated.

    Both services are on the network `inner` now.
    ----- stderr -----
    "#);
    assert_snapshot!(env.run(&["show", "b2:0", "--brief"]), @r"
    exit code: 0
    ----- stdout -----
    SESSION  b2000000   claude   parser   2026-02-20 14:00   1 turn
    The file watcher crashes with EMFILE after an hour
    folder: /home/ann/parser
    branch: watch-mode

    ── b2000000:0   1 of 1   2026-02-20 14:00 ──────────────────────────────────────────────────────────
    you> The file watcher crashes with EMFILE after an hour

    ● Bash ulimit -n failed
      │ Error: EMFILE: too many open files

    Each change opens a new handle and none is closed. Reuse one watcher.
    ----- stderr -----
    ");
}

#[test]
fn turns_are_shown_as_json() {
    let env = small();
    assert_snapshot!(env.run(&["show", "a1:0-0", "--json"]), @r#"
    exit code: 0
    ----- stdout -----
    {
      "source": "claude",
      "session": "a1000000-0000-4000-8000-000000000001",
      "title": "Docker bridge DNS",
      "project": "homelab",
      "path": "/home/ann/homelab",
      "parent": null,
      "turns": 2,
      "resume": "claude --resume a1000000-0000-4000-8000-000000000001",
      "gone": false,
      "shown": [
        {
          "turn": 0,
          "date": "2026-01-15T10:00:00Z",
          "branch": "main",
          "origin": "history",
          "kind": "typed",
          "prompt": "The containers cannot resolve each other by name on the docker bridge",
          "parts": [
            {
              "type": "thinking",
              "text": "The default bridge has no DNS."
            },
            {
              "type": "call",
              "id": "toolu_a1000000_2",
              "name": "Bash",
              "command": "docker network inspect bridge",
              "input": {
                "command": "docker network inspect bridge"
              },
              "output": "[{\"Name\": \"bridge\"}]",
              "failed": false
            },
            {
              "type": "text",
              "text": "The default bridge has no DNS. Create a network of your own and attach both."
            }
          ]
        }
      ]
    }
    ----- stderr -----
    "#);
}

#[test]
fn brief_cuts_what_is_long() {
    let output: String = (0..40).map(|n| format!("line {n}\n")).collect();
    let env = TestEnvironment::indexed(&[crate::history::checkout().bash("seq 40", &output)]);
    let whole = env.run(&["show", "c3"]).succeeded().stdout();
    let brief = env.run(&["show", "c3", "--brief"]).succeeded().stdout();
    assert!(
        whole.contains("line 39") && !brief.contains("line 39"),
        "{brief}"
    );
    assert!(
        brief.contains("line 7\n") && brief.contains("… 32 more lines"),
        "{brief}"
    );
    let json = env.run(&["show", "c3", "--brief", "--json"]).succeeded();
    let json = json.stdout();
    assert!(json.contains("line 7\\n… 32 more lines\""), "{json}");
}

#[test]
fn status_tells_what_is_indexed() {
    let env = small();
    assert_snapshot!(env.run(&["status"]), @r"
    exit code: 0
    ----- stdout -----
    STATUS
    history   4 sessions (claude 3, opencode 1), 5 turns, 4 projects
    projects  homelab 1, parser 1, planner 1, shop 1
    model     table (256 dims, in use): 4 of 4 sessions, 9 vectors
    updated   [TIME]: up to date
    index     [TMP]/index ([SIZE], format [CURRENT])
    ----- stderr -----
    ");
}

#[test]
fn status_as_json_tells_the_same() {
    let env = small();
    assert_snapshot!(env.run(&["status", "--json"]), @r#"
    exit code: 0
    ----- stdout -----
    {
      "index": "[TMP]/index",
      "format": [CURRENT],
      "bytes": [SIZE],
      "updated": "[TIME]",
      "sessions": 4,
      "subagents": 0,
      "turns": 5,
      "projects": 4,
      "project_sessions": [
        {
          "project": "homelab",
          "path": "/home/ann/homelab",
          "sessions": 1
        },
        {
          "project": "parser",
          "path": "/home/ann/parser",
          "sessions": 1
        },
        {
          "project": "planner",
          "path": "/home/ann/planner",
          "sessions": 1
        },
        {
          "project": "shop",
          "path": "/home/ann/shop",
          "sessions": 1
        }
      ],
      "sources": {
        "claude": 3,
        "opencode": 1
      },
      "homes": [],
      "gone": 0,
      "prompts_only": 0,
      "files": 4,
      "changed": 0,
      "exclusions_changed": false,
      "writer": null,
      "models": [
        {
          "name": "table",
          "dims": 256,
          "vectors": 9,
          "sessions": 4,
          "of": 4,
          "in_use": true,
          "running": false,
          "seconds_left": null,
          "failure": null
        }
      ],
      "old_versions": [],
      "problems": []
    }
    ----- stderr -----
    "#);
}

#[test]
fn index_tells_what_it_did() {
    let env = small();
    assert_snapshot!(env.run(&["index"]), @r"
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    nothing new ([TIME] s)
    ");
    assert_snapshot!(env.run(&["index", "--full"]), @r"
    exit code: 0
    ----- stdout -----

    ----- stderr -----
    read 5 turns from 4 changed files, embedded 9 texts ([TIME] s)
    ");
    assert_snapshot!(env.run(&["index", "--full", "--json"]), @r#"
    exit code: 0
    ----- stdout -----
    {
      "files_read": 4,
      "files_left": 0,
      "files_gone": 0,
      "turns": 5,
      "embedded": 9,
      "sessions_left": 0,
      "places_unread": 0,
      "removed": {
        "sessions": 0,
        "turns": 0,
        "titles": 0
      },
      "locked": false
    }
    ----- stderr -----
    "#);
}
