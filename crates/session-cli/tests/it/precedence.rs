//! Who decides what: the user, a project, the environment; and over whose memories.

use crate::inject_hook::{context, payload};
use crate::memory::MemoryProject;
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

/// The value of a key and where it is from, with one variable set.
fn key(project: &MemoryProject, key: &str, (name, value): (&str, &str)) -> String {
    let mut command = project.command();
    command.env(name, value).args(["config", "--json"]);
    let answer: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let keys = answer["keys"].as_array().unwrap();
    let found = keys.iter().find(|k| k["key"] == key).unwrap();
    format!("{} {}", found["value"], found["origin"].as_str().unwrap())
}

/// An unpacked repository brings its own settings.
#[test]
fn a_project_cannot_put_away_what_is_global() {
    let project = MemoryProject::new();
    for topic in ["One", "Two", "Three"] {
        project.save(topic, "of all projects", &["--global"]);
    }
    let own = project.save("Own", "of the project", &[]);
    project.date(&own, "2024-01-02");
    let file = project.env.home("shop/.claude/session-search.toml");
    let settings = "[storage]\narchive_above = 1\narchive_after_days = 0\nretention_days = 0\n";
    project.env.write(&file, settings);
    let ran = project.run(&["memory", "save", "--topic", "New", "--info", "thing"]);
    assert!(!ran.stderr().contains("archived"), "{ran}");
    assert!(project.file(&own).is_file());
    let global = project
        .env
        .home(".claude/data/session-search/memories/active");
    assert_eq!(fs_err::read_dir(global).unwrap().count(), 3);
}

#[test]
fn variables_are_read_and_a_mistake_that_would_exclude_less_is_an_error() {
    let project = MemoryProject::new();
    let off = ("SESSION_SEARCH_AUTO_RETRIEVE", "0");
    assert_eq!(key(&project, "auto_retrieve", off), "false variable");
    let mut command = project.command();
    command
        .env("SESSION_SEARCH_EXCLUDE_PROJECTS", "x")
        .args(["search", "x"]);
    let ran = project.env.ran(command.output().unwrap()).exits(2);
    let said = ran.stderr();
    assert!(
        said.contains("SESSION_SEARCH_EXCLUDE_PROJECTS is `x`") && said.contains("hint: "),
        "{said}"
    );
}

#[test]
fn the_endpoint_of_a_dotenv_file_is_shown() {
    let project = MemoryProject::new();
    let file = project.env.path("config/.env");
    project.env.write(
        &file,
        "EMBEDDINGS_URL=http://127.0.0.1:1\nEMBEDDINGS_API_KEY=s3cret\n",
    );
    let none = ("UNRELATED", "");
    assert_eq!(
        key(&project, "remote.url", none),
        "\"http://127.0.0.1:1\" file"
    );
    assert_eq!(key(&project, "remote.api_key", none), "\"(set)\" file");
}

#[test]
fn a_question_below_a_pasted_log_is_heard() {
    let project = MemoryProject::new();
    let id = project.save(
        "Connection pool too small",
        "time-outs under load; raise DB_POOL",
        &[],
    );
    let log = "2026-01-15T10:00:00Z INFO carrier: parcel accepted, label printed\n".repeat(60);
    let prompt = format!("{log}\nwhy does the connection pool give time-outs under load?");
    assert!(context(&project, &prompt, "s1").contains(&id));
    let question = "why does the connection pool give time-outs under load?";
    let above = format!("{question}\n\n{log}\nProcess finished with exit code 137");
    assert!(context(&project, &above, "s2").contains(&id));
    let polite = format!("Hello my dear friend,\n\n{question}\n\n{log}\nThanks a lot in advance!");
    assert!(context(&project, &polite, "s3").contains(&id));
}

#[test]
fn what_matches_and_has_no_room_is_called_so() {
    let project = MemoryProject::new();
    project.save(
        "Connection pool too small",
        "time-outs under load; raise DB_POOL",
        &[],
    );
    let mut command = project.command();
    let prompt = "why does the connection pool give time-outs under load?";
    command.env("SESSION_SEARCH_INJECTION_TOTAL_CHARS", "10");
    command.args(["inject", "--json", "--explain", "--prompt", prompt]);
    let answer: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    assert_eq!(answer["reason"], "no_room", "{answer}");
    assert_eq!(answer["candidates"][0]["reason"], "no_room");
}

#[test]
fn several_hooks_at_once_say_it_once() {
    let project = MemoryProject::new();
    project.save(
        "Connection pool too small",
        "time-outs under load; raise DB_POOL",
        &[],
    );
    let prompt = "why does the connection pool give time-outs under load?";
    let asked = payload(&project, prompt, "s1");
    let start = || {
        let mut command = project.command();
        command
            .args(["hook", "run"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(asked.as_bytes())
            .unwrap();
        child
    };
    let children: Vec<_> = (0..6).map(|_| start()).collect();
    let outputs = children
        .into_iter()
        .map(|child| child.wait_with_output().unwrap());
    let said = outputs.filter(|output| !output.stdout.is_empty()).count();
    assert_eq!(said, 1);
}

/// The same home by another name is no project.
#[cfg(unix)]
#[test]
fn a_home_behind_a_link_is_still_the_home() {
    let project = MemoryProject::new();
    project.save(
        "Connection pool too small",
        "time-outs under load",
        &["--global"],
    );
    let link = project.env.path("link");
    fs_err::os::unix::fs::symlink(project.env.home(""), &link).unwrap();
    fs_err::create_dir_all(project.env.home("elsewhere")).unwrap();
    let prompt = "why does the connection pool give time-outs under load?";
    let asked = payload(&project, prompt, "s1");
    let mut asked: Value = serde_json::from_str(&asked).unwrap();
    asked["cwd"] = link.join("elsewhere").to_string_lossy().into();
    let mut command = project.command();
    command.env("HOME", &link).args(["hook", "run"]);
    let said = project.piped(command, &asked.to_string()).stdout();
    assert_eq!(said.matches("(mem-").count(), 1, "{said}");
}
