//! Work that is easily overlooked.

use crate::claude::ClaudeTranscript;
use crate::environment::TestEnvironment;
use serde_json::json;

const PARENT: &str = "d1000000-0000-4000-8000-000000000001";
const CHILD: &str = "agent-d2";

fn session() -> ClaudeTranscript {
    ClaudeTranscript::new(PARENT, "/srv/app").user("Please deploy the application to production")
}

/// The commands that a pattern finds, each with how it ended.
fn commands(env: &TestEnvironment, args: &[&str]) -> Vec<(String, bool)> {
    let found = env.json(&[&["commands"], args].concat());
    let turns = found["found"].as_array().unwrap().clone();
    let runs = turns
        .iter()
        .flat_map(|turn| turn["what"].as_array().unwrap());
    let told = |run: &serde_json::Value| {
        let command = run["command"].as_str().unwrap().to_owned();
        (command, run["failed"].as_bool().unwrap())
    };
    runs.map(told).collect()
}

#[test]
fn a_command_beside_a_search_is_a_command() {
    let line = "session-search commands deploy; cd /srv/app && make deploy-production";
    let own = "cd /srv && session-search search 'deploy; now' | head -3";
    let env = TestEnvironment::indexed(&[session().bash(line, "ok").bash(own, "-")]);
    assert_eq!(commands(&env, &["deploy"]), [(line.to_owned(), false)]);
}

#[test]
fn what_was_interrupted_did_not_work() {
    let call = session().bash("make slow", "");
    let mut lines: Vec<serde_json::Value> = call
        .text()
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    lines.last_mut().unwrap()["toolUseResult"] = json!({"stdout": "", "interrupted": true});
    let env = TestEnvironment::new();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    env.write(&env.home(&call.path_in_home()), text);
    let found = env.json(&["commands", "make"]);
    let run = &found["found"][0]["what"][0];
    assert_eq!(
        (&run["failed"], &run["unfinished"]),
        (&json!(false), &json!(true))
    );
}

#[test]
fn a_turn_may_run_a_thousand_commands() {
    let mut long = session();
    for n in 0..1200 {
        long = long.bash(&format!("test number {n}"), "ok");
    }
    let env = TestEnvironment::indexed(&[long]);
    assert_eq!(commands(&env, &["number *"]).len(), 1200);
    assert_eq!(commands(&env, &["number 1199"]).len(), 1);
}

#[test]
fn a_session_stands_for_its_subagents() {
    let helper = ClaudeTranscript::new(CHILD, "/srv/app").agent_of(PARENT);
    let helper = helper
        .user("Look for the port")
        .bash("grep -r port /srv", "8080");
    let other = ClaudeTranscript::new("d3000000-0000-4000-8000-000000000003", "/srv/app");
    let other = other
        .user("And where is the port here?")
        .bash("grep port here", "none");
    let env = TestEnvironment::indexed(&[session().assistant("I look."), helper, other]);
    let found = |args: &[&str]| {
        let found = commands(&env, &[&["grep"], args].concat());
        found
            .into_iter()
            .map(|(command, _)| command)
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&["--session", "d1000000"]), ["grep -r port /srv"]);
    assert_eq!(
        found(&["--exclude-session", "d1000000"]),
        ["grep port here"]
    );
}

#[test]
fn files_are_meant_as_a_shell_means_them() {
    let edit = json!({"file_path": "/srv/app/src/main.rs", "old_string": "a", "new_string": "b"});
    let write = json!({"path": "/srv/app/config.js", "content": "x"});
    let session = session().call("Edit", edit, "ok", false);
    let env = TestEnvironment::indexed(&[session.call("mcp__fs__write_file", write, "ok", false)]);
    let found = |pattern: &str| env.json(&["files", pattern])["found"][0]["what"].clone();
    assert_eq!(found("*.rs")[0]["path"], "/srv/app/src/main.rs");
    assert_eq!(found("./config.js")[0]["touch"], "edited");
    assert_eq!(found("src/*.js"), json!(null));
}

#[test]
fn a_question_with_a_short_answer_was_a_days_work() {
    let asked = ClaudeTranscript::new(PARENT, "/srv/app")
        .at("2026-01-15T10:00:00Z")
        .user("Is the port of the database still the usual one?")
        .assistant("Yes, 5433.");
    let env = TestEnvironment::indexed(&[asked]);
    let told = env.run(&["digest", "2026-01-15"]).succeeded().stdout();
    assert!(told.contains("port of the database"), "{told}");
}

#[test]
fn only_a_rename_renames() {
    let command = |name: &str, args: &str| {
        format!(
            "<command-name>{name}</command-name>\n<command-message>x</command-message>\n<command-args>{args}</command-args>"
        )
    };
    let line =
        |text: String| json!({"type": "system", "subtype": "local_command", "content": text});
    let session = session()
        .assistant("Done so far, it is deployed.")
        .line(line(command("/rename", "Deployment at last")))
        .line(line(command("/rename-branch", "topic")))
        .line(line(command("/rename", "")));
    let env = TestEnvironment::indexed(&[session]);
    let hit = &env.json(&["search", "deploy application"])["hits"][0];
    assert_eq!(hit["title"], "Deployment at last", "{hit}");
}

#[test]
fn nothing_of_a_kind_is_nothing_found() {
    let env = TestEnvironment::indexed(&[session().bash("make", "ok")]);
    env.run(&["show", PARENT, "--only", "commands"]).exits(0);
    env.run(&["show", PARENT, "--only", "errors"]).exits(1);
    let ran = env.run(&[
        "search",
        "x",
        "--since",
        "2026-03-01",
        "--until",
        "2026-02-01",
    ]);
    assert!(ran.exits(2).stderr().contains("ends before it begins"));
    let ran = env.run(&["stats", "--project", "nope"]).exits(1);
    assert!(ran.stderr().starts_with("no project has `nope`"), "{ran}");
}

#[test]
fn a_turn_belongs_to_the_branch_that_it_ends_on() {
    let work = session()
        .bash("git checkout -b topic", "ok")
        .branch("topic")
        .bash("make", "ok");
    let env = TestEnvironment::indexed(&[work]);
    assert_eq!(commands(&env, &["make", "--branch", "topic"]).len(), 1);
    assert_eq!(env.json(&["show", PARENT])["shown"][0]["branch"], "topic");
}

/// A variable that names nothing is told of before anything else asks.
#[test]
fn status_says_what_it_cannot_list() {
    let env = TestEnvironment::indexed(&[session().assistant("I look into it.")]);
    let mut command = env.command();
    command
        .env("CLAUDE_CONFIG_DIR", env.path("nowhere"))
        .args(["status", "--json"]);
    let output = command.output().unwrap();
    let status: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let problem = status["problems"][0].to_string();
    assert!(problem.contains("CLAUDE_CONFIG_DIR"), "{status}");
    assert_eq!(status["changed"], 1);
}

/// Old versions wrote a subagent's lines into the file of its parent.
#[test]
fn what_a_subagent_did_in_its_parents_file_was_done() {
    let aside = |kind: &str, content: serde_json::Value| json!({"type": kind, "isSidechain": true, "message": {"role": kind, "content": content}});
    let call = json!([{"type": "tool_use", "id": "s1", "name": "Bash", "input": {"command": "make aside"}}]);
    let result =
        json!([{"type": "tool_result", "tool_use_id": "s1", "content": "no", "is_error": true}]);
    let session = session()
        .line(aside("user", json!("Look at the zanzibar")))
        .line(aside("assistant", call))
        .line(aside("user", result))
        .assistant("It is deployed.");
    let env = TestEnvironment::indexed(&[session]);
    assert_eq!(
        commands(&env, &["aside"]),
        [("make aside".to_owned(), true)]
    );
    assert_eq!(
        env.json(&["show", PARENT])["shown"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}
