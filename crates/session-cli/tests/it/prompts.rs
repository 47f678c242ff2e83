//! Sessions of which Claude Code keeps the prompts alone.

use crate::environment::TestEnvironment;
use crate::history::{DOCKER, docker};
use insta::assert_snapshot;
use serde_json::json;

const GONE: &str = "c3000000-0000-4000-8000-000000000003";

/// A line of the history of prompts, so many minutes after its first.
fn said(session: &str, minutes: u64, display: &str) -> String {
    let line = json!({"display": display, "pastedContents": {}, "timestamp": 1_768_471_200_000 + minutes * 60_000,
        "project": "/home/ann/harbour", "sessionId": session});
    format!("{line}\n")
}

/// An environment with a transcript, and the prompts of it, with an id and without one, and of a
/// session that was deleted.
fn env() -> TestEnvironment {
    let env = TestEnvironment::new();
    env.write_transcript(&docker());
    let asked = "The containers cannot resolve each other by name on the docker bridge";
    let unnamed = said(DOCKER, 0, asked).replace(&format!(",\"sessionId\":\"{DOCKER}\""), "");
    assert!(!unnamed.contains(DOCKER));
    let prompts = [
        unnamed,
        said(DOCKER, 0, asked),
        said(GONE, 5, "Let the lighthouse blink twice a minute"),
        said(GONE, 6, "!cargo test lamp"),
    ];
    env.write(&env.home(".claude/history.jsonl"), prompts.concat());
    env
}

#[test]
fn a_deleted_session_is_found_by_its_prompts_and_marked() {
    let env = env();
    let hit = &env.json(&["search", "lighthouse blink"])["hits"][0];
    assert_eq!(hit["session"], GONE);
    assert_eq!(
        (&hit["prompts_only"], &hit["gone"], &hit["resume"]),
        (&json!(true), &json!(false), &json!(null))
    );
    let docker = &env.json(&["search", "docker bridge"])["hits"][0];
    assert_eq!(
        (&docker["session"], docker.get("prompts_only")),
        (&DOCKER.into(), None)
    );
    let printed = env.printed(&["search", "lighthouse blink", "--limit", "1"], 100);
    assert!(printed.contains("(prompts only)"), "{printed}");
    assert!(!printed.contains("claude --resume"), "{printed}");
    let ran = env.json(&["commands", "cargo test"]);
    assert_eq!(ran["found"][0]["prompts_only"], true);
    let status = env.json(&["status"]);
    assert_eq!(
        (
            &status["sessions"],
            &status["gone"],
            &status["prompts_only"]
        ),
        (&json!(2), &json!(0), &json!(1))
    );
    let status = env.printed(&["status"], 100);
    assert!(status.contains("1 session with prompts only"), "{status}");
}

#[test]
fn its_prompts_are_shown_and_it_cannot_be_resumed() {
    let env = env();
    assert_snapshot!(env.run(&["show", GONE]), @r"
    exit code: 0
    ----- stdout -----
    SESSION  c3000000   claude   harbour   2026-01-15 10:05   2 turns   (prompts only)
    Let the lighthouse blink twice a minute
    folder: /home/ann/harbour

    ── c3000000:0   1 of 2   2026-01-15 10:05 ──────────────────────────────────────────────────────────
    you> Let the lighthouse blink twice a minute

    ── c3000000:1   2 of 2   2026-01-15 10:06 ──────────────────────────────────────────────────────────
    you> !cargo test lamp

    ● Bash cargo test lamp
    ----- stderr -----
    ");
    assert_eq!(env.json(&["show", GONE])["prompts_only"], true);
    assert_snapshot!(env.run(&["resume", GONE, "--print"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the transcript of c3000000 was deleted, so its agent cannot resume it
    hint: `session-search show c3000000` has its prompts
    ");
}
