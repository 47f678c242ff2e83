//! The session that a search is asked from is left out by itself.

use crate::claude::ClaudeTranscript;
use crate::environment::{Ran, TestEnvironment};
use insta::assert_snapshot;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

const NOW: &str = "7a1e0c52-0000-4000-8000-000000000001";
const OLD: &str = "8b2f1d63-0000-4000-8000-000000000002";
const AGENT: &str = "agent-93c02e74";
const TOLD: (&str, &str) = ("CLAUDE_CODE_SESSION_ID", NOW);
#[cfg(unix)]
const UNNAMED: (&str, &str) = ("CLAUDECODE", "1");

/// A session that is being written in `harbour`, its subagent, and an old one there.
fn env() -> TestEnvironment {
    let env = TestEnvironment::new();
    let folder = env.home("harbour");
    fs_err::create_dir_all(folder.join("pier")).unwrap();
    fs_err::create_dir(env.home("elsewhere")).unwrap();
    let folder = fs_err::canonicalize(folder).unwrap();
    let session = |id: &str, at: &str| {
        let session = ClaudeTranscript::new(id, folder.to_str().unwrap()).folder("harbour");
        session.at(at).user("Where does the lantern hang?")
    };
    let now = Timestamp::now().checked_sub(3.minutes()).unwrap();
    let now = now.to_string();
    env.write_transcript(&session(NOW, &now).assistant("I look for the lantern."));
    env.write_transcript(&session(AGENT, &now).agent_of(NOW).assistant("Lantern!"));
    let old = session(OLD, "2026-01-15T10:00:00Z");
    env.write_transcript(&old.assistant("The lantern hangs at the pier."));
    env.run(&["index"]).succeeded();
    env
}

fn ask(env: &TestEnvironment, folder: &str, var: (&str, &str), args: &[&str]) -> Ran {
    let mut command = env.command();
    command.arg("search").args(args).env(var.0, var.1);
    command.current_dir(env.home(folder));
    env.ran(command.output().unwrap())
}

/// Returns the ids that are found, by their first digit, and the session that is left out.
fn found(env: &TestEnvironment, folder: &str, var: (&str, &str), args: &[&str]) -> (String, Value) {
    let args = [&["lantern", "--json"], args].concat();
    let answer: Value =
        serde_json::from_slice(&ask(env, folder, var, &args).output.stdout).unwrap();
    let hits = answer["hits"].as_array().unwrap().iter();
    let mut ids: Vec<&str> = hits
        .map(|hit| &hit["session"].as_str().unwrap()[..1])
        .collect();
    ids.sort_unstable();
    (ids.concat(), answer["left_out"].clone())
}

#[test]
fn a_person_finds_everything() {
    let env = env();
    assert_eq!(
        found(&env, "harbour", ("X", "1"), &[]),
        ("78".into(), json!([]))
    );
}

#[test]
fn the_session_that_asks_is_left_out_by_its_id() {
    let env = env();
    let none = || ("8".to_owned(), json!([NOW]));
    assert_eq!(found(&env, "elsewhere", TOLD, &[]), none());
    assert_eq!(found(&env, "elsewhere", TOLD, &["--depth", "2"]), none());
    assert_eq!(found(&env, "elsewhere", TOLD, &["--subagents"]), none());
    assert_eq!(found(&env, "elsewhere", TOLD, &["--compact"]), none());
    let all = ("78".to_owned(), json!([]));
    assert_eq!(found(&env, "elsewhere", TOLD, &["--include-current"]), all);
    let one = ("7".to_owned(), json!([]));
    assert_eq!(found(&env, "elsewhere", TOLD, &["--session", NOW]), one);
}

#[test]
fn commands_of_the_calling_session_are_left_out() {
    let env = TestEnvironment::new();
    let session = |id: &str, words: &str| {
        let session = ClaudeTranscript::new(id, "/home/ann/app").user(words);
        session.bash("cargo build", "done")
    };
    env.write_transcript(&session(OLD, "Build it"));
    env.write_transcript(&session(NOW, "Build all of it"));
    let found = |var: (&str, &str)| {
        let mut command = env.command();
        command
            .args(["commands", "cargo", "--json"])
            .env(var.0, var.1);
        let ran = env.ran(command.output().unwrap()).succeeded();
        let answer: Value = serde_json::from_str(&ran.stdout()).unwrap();
        (answer["turns"].clone(), answer["left_out"].clone())
    };
    assert_eq!(found(("X", "1")), (json!(2), json!([])));
    assert_eq!(found(TOLD), (json!(1), json!([NOW])));
}

#[test]
fn the_calling_session_is_noted_as_left_out() {
    let env = env();
    let ran = ask(&env, "harbour", TOLD, &["lantern", "--limit", "1"]).succeeded();
    assert_snapshot!(ran.stderr(), @"note: this session, 7a1e0c52-0000-4000-8000-000000000001, is left out; --include-current finds it, too");
    let json = ask(&env, "harbour", TOLD, &["lantern", "--json"]);
    assert_eq!(json.succeeded().stderr(), "", "a field has it");
}

/// A person whose terminal was opened by an agent's editor.
#[cfg(unix)]
#[test]
fn at_a_terminal_the_folder_says_nothing() {
    let env = env();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_session-search"));
    let typed = format!("'{}' search lantern --json", program.display());
    let mut command = std::process::Command::new("script");
    env.isolate(&mut command);
    command
        .args(["-qec", &typed, "/dev/null"])
        .env(UNNAMED.0, UNNAMED.1);
    let Ok(output) = command.current_dir(env.home("harbour")).output() else {
        return; // no `script` here
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains(NOW) && said.contains(OLD), "{said}");
}
