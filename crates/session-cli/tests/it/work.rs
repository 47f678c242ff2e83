//! Work on the night between two days, for the reports.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use serde_json::json;

pub const BOILER: &str = "ab000000-0000-4000-8000-000000000001";
pub const KETTLE: &str = "cd000000-0000-4000-8000-000000000002";
pub const HELPER: &str = "agent-1a2b3c4d";

/// Begins at 23:50 on March 7 in New York; the second turn at 0:10 on March 8,
/// the day on which the clocks go forward; the third after a night's sleep.
pub fn boiler() -> ClaudeTranscript {
    let edit = |file: &str| json!({"file_path": format!("/home/ann/boiler/{file}"), "old_string": "a", "new_string": "b"});
    ClaudeTranscript::new(BOILER, "/home/ann/boiler")
        .branch("warm-start")
        .at("2026-03-08T04:50:00Z")
        .user("The boiler starts cold after each restart, find out why")
        .call(
            "Bash",
            json!({"command": "make test"}),
            "boiler.c:7: error: no water",
            true,
        )
        .call(
            "Read",
            json!({"file_path": "/home/ann/boiler/boiler.c"}),
            "int main;",
            false,
        )
        .assistant("It fills after it heats.")
        .at("2026-03-08T05:10:00Z")
        .user("Mend it and open a pull request")
        .call("Edit", edit("boiler.c"), "Updated.", false)
        .call(
            "Edit",
            edit("Makefile"),
            "The user does not want this.",
            true,
        )
        .bash("make test", "ok")
        .bash(
            "gh pr create --fill",
            "https://github.com/ann/boiler/pull/12",
        )
        .assistant("Let me see.")
        .assistant(
            "The boiler now fills **before** it heats, so a restart is warm. The test passes.",
        )
        .at("2026-03-08T18:00:00Z")
        .user("Write that into the notes")
        .call(
            "Write",
            json!({"file_path": "/home/ann/boiler/NOTES.md", "content": "Fill first."}),
            "Written.",
            false,
        )
        .assistant("The order of filling and heating is in NOTES.md.")
        .title("Warm start of the boiler")
}

/// Sent by the boiler's session in its second turn.
pub fn helper() -> ClaudeTranscript {
    ClaudeTranscript::new(HELPER, "/home/ann/boiler")
        .agent_of(BOILER)
        .at("2026-03-08T05:12:00Z")
        .user("Look for callers of fill()")
        .bash("grep -rn 'fill(' src", "src/boiler.c:3: fill();")
        .assistant("One caller, in boiler.c.")
}

pub fn kettle() -> ClaudeTranscript {
    ClaudeTranscript::new(KETTLE, "/home/ann/kettle")
        .at("2026-03-08T15:00:00Z")
        .user("How hot does the kettle get?")
        .assistant("To 100 degrees at sea level.")
}

/// These, and a copy of the first under another name, in New York.
pub fn night() -> TestEnvironment {
    let copy = boiler().resumed_as("ef000000-0000-4000-8000-000000000003");
    TestEnvironment::indexed(&[boiler(), helper(), kettle(), copy])
}

/// Runs a command in the time zone of New York.
pub fn in_new_york(env: &TestEnvironment, args: &[&str]) -> crate::environment::Ran {
    let mut command = env.command();
    command.args(args).env("TZ", "America/New_York");
    env.ran(command.output().unwrap())
}
