//! A small history that several tests search.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use crate::opencode::OpenCodeHistory;
use serde_json::json;

pub const DOCKER: &str = "a1000000-0000-4000-8000-000000000001";
pub const WATCHER: &str = "b2000000-0000-4000-8000-000000000002";
pub const CHECKOUT: &str = "c3000000-0000-4000-8000-000000000003";
pub const SCHEDULE: &str = "ses_4000000000000001";

pub fn docker() -> ClaudeTranscript {
    ClaudeTranscript::new(DOCKER, "/home/ann/homelab")
        .user("The containers cannot resolve each other by name on the docker bridge")
        .thinking("The default bridge has no DNS.")
        .bash("docker network inspect bridge", "[{\"Name\": \"bridge\"}]")
        .assistant("The default bridge has no DNS. Create a network of your own and attach both.")
        .user("Write that into compose.yaml")
        .call(
            "Edit",
            json!({"file_path": "/home/ann/homelab/compose.yaml", "old_string": "services:", "new_string": "networks:\n  inner:\nservices:"}),
            "The file has been updated.",
            false,
        )
        .assistant("Both services are on the network `inner` now.")
        .title("Docker bridge DNS")
}

pub fn watcher() -> ClaudeTranscript {
    ClaudeTranscript::new(WATCHER, "/home/ann/parser")
        .at("2026-02-20T14:00:00Z")
        .branch("watch-mode")
        .user("The file watcher crashes with EMFILE after an hour")
        .call(
            "Bash",
            json!({"command": "ulimit -n"}),
            "Error: EMFILE: too many open files",
            true,
        )
        .assistant("Each change opens a new handle and none is closed. Reuse one watcher.")
}

pub fn checkout() -> ClaudeTranscript {
    ClaudeTranscript::new(CHECKOUT, "/home/ann/shop")
        .at("2026-03-11T16:00:00Z")
        .user("Card payments are charged twice when the customer reloads the page")
        .assistant("Send an idempotency key with each charge.")
}

/// Three sessions of Claude Code and one of OpenCode, indexed.
pub fn small() -> TestEnvironment {
    small_in(TestEnvironment::new())
}

/// The same in an environment that has no history yet.
pub fn small_in(env: TestEnvironment) -> TestEnvironment {
    for transcript in [docker(), watcher(), checkout()] {
        env.write_transcript(&transcript);
    }
    OpenCodeHistory::open(&env).session(
        SCHEDULE,
        "/home/ann/planner",
        "Cron in two time zones",
        &[(
            "Why does the nightly job run at two different hours?",
            "Cron reads local time; set CRON_TZ to UTC.",
        )],
    );
    env.run(&["index"]).succeeded();
    env
}
