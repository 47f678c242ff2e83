//! `--quiet`: for agents, to whom a note is noise and exit code 1 a failure.

use crate::environment::{Ran, TestEnvironment};
use crate::history::small;
use serde_json::Value;

/// Commands that find nothing, and the list that is empty then.
const NOTHING: [(&[&str], &str); 10] = [
    (&["search", "EMFILE", "--project", "nowhere"], "/hits"),
    (
        &["search", "EMFILE", "--project", "nowhere", "--compact"],
        "/hits",
    ),
    (&["show", "b2:7"], "/shown"),
    (&["files", "nowhere.rs"], "/found"),
    (&["commands", "zygomorphic"], "/found"),
    (&["digest", "2001-01-01"], "/projects"),
    (&["stats", "--days", "1"], "/by_day"),
    (&["memory", "search", "zygomorphic"], "/memories"),
    (&["memory", "list"], "/memories"),
    (&["memory", "today"], "/memories"),
];

fn run(env: &TestEnvironment, command: &[&str], options: &[&str]) -> Ran {
    env.run(&[command, options].concat())
}

#[test]
fn nothing_found_is_an_empty_list_and_no_failure() {
    let env = small();
    for (command, list) in NOTHING {
        let json = run(&env, command, &["--json"]).exits(1);
        let ran = run(&env, command, &["--json", "--quiet"]).succeeded();
        assert_eq!(ran.stderr(), "", "{command:?}");
        assert_eq!(ran.stdout(), json.stdout(), "{command:?}");
        let answer: Value = serde_json::from_str(&ran.stdout()).unwrap();
        let found = answer.pointer(list).and_then(Value::as_array);
        assert!(found.is_some_and(Vec::is_empty), "{command:?}: {ran}");
    }
}

#[test]
fn without_an_index_or_a_history_there_is_nothing_either() {
    let env = TestEnvironment::new();
    let status = env.run(&["status", "--json", "--quiet"]).succeeded();
    let answer: Value = serde_json::from_str(&status.stdout()).unwrap();
    assert_eq!(
        (&answer["sessions"], &answer["models"]),
        (&0.into(), &Value::Array(Vec::new()))
    );
    let asked = ["search", "anything", "--json", "--quiet"];
    let search = env.run(&asked).succeeded();
    assert_eq!(status.stderr() + &search.stderr(), "");
    assert!(search.stdout().contains("\"hits\": []"), "{search}");
}

#[test]
fn it_stands_before_the_command_or_behind_it() {
    let env = small();
    for command in [
        ["--quiet", "search", "zygomorphic", "--keyword-only", "-n5"],
        ["search", "--quiet", "-n5", "zygomorphic", "--keyword-only"],
    ] {
        let ran = env.run(&command).succeeded();
        let reason = "nothing found in 4 sessions\n";
        assert_eq!(ran.stdout() + &ran.stderr(), reason, "{command:?}");
    }
}

#[test]
fn why_an_answer_is_empty_is_told() {
    let env = small();
    let more: [&[&str]; 5] = [
        &["forget", "--match", "zygomorphic", "--dry-run"],
        &["forget", "--list"],
        &["show", "c3", "--only", "errors"],
        &["fix", "error: no furnace at all"],
        &["commands", "zygomorphic", "--failed"],
    ];
    for command in NOTHING.map(|(command, _)| command).iter().chain(&more) {
        if command.contains(&"--compact") {
            continue; // of JSON alone
        }
        let ran = run(&env, command, &[]).exits(1);
        assert!(!ran.stderr().is_empty(), "{command:?}");
        let quiet = run(&env, command, &["--quiet"]).succeeded();
        assert_eq!(
            (quiet.stdout(), quiet.stderr()),
            (String::new(), ran.stderr()),
            "{command:?}"
        );
    }
}

#[test]
fn errors_keep_their_sentence_and_exit_code() {
    let env = small();
    let ran = env.run(&["show", "zzzz", "--json", "--quiet"]).exits(2);
    assert_eq!(ran.stdout(), "");
    let said = "error: no session begins with `zzzz`\nhint: ";
    assert!(ran.stderr().starts_with(said), "{ran}");
}

#[test]
fn what_is_wrong_keeps_its_exit_code() {
    let env = small();
    env.run(&["doctor", "--quiet"]).succeeded();
    env.run(&["hook", "status"]).exits(1);
    env.run(&["hook", "status", "--quiet"]).succeeded();
    let settings = env.home(".claude/settings.json");
    let dead = "{\"hooks\": {\"PreCompact\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/gone/session-search hook run\"}]}]}}";
    env.write(&settings, dead);
    env.run(&["hook", "status", "--quiet"]).exits(1);
    env.write(&settings, "{broken");
    for command in [
        &["doctor"][..],
        &["doctor", "--json"],
        &["hook", "status"],
        &["hook", "status", "--json"],
    ] {
        let told = run(&env, command, &[]).exits(1);
        let quiet = run(&env, command, &["--quiet"]).exits(1);
        assert_eq!(quiet.stdout(), told.stdout(), "{command:?}");
    }
}

#[test]
fn no_note_stands_before_an_answer() {
    let env = small();
    let mut command = env.command();
    command.args(["search", "EMFILE", "--json"]);
    // A place that is no whole path is refused with a note.
    command.env("XDG_CACHE_HOME", "cache");
    assert!(
        env.ran(command.output().unwrap())
            .stderr()
            .starts_with("note: ")
    );
    let ran = env
        .ran(command.arg("--quiet").output().unwrap())
        .succeeded();
    assert_eq!(ran.stderr(), "");
}
