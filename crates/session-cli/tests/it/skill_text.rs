//! The commands in the skill's files, typed as they stand, do what the text says.

use crate::environment::{Ran, TestEnvironment};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skill/session-search")
}

/// A home folder with the history of the demo, and the skill.
fn env() -> TestEnvironment {
    let env = TestEnvironment::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../session-query/demo");
    for entry in fs_err::read_dir(demo).unwrap() {
        let path = entry.unwrap().path();
        let place = format!(
            ".claude/projects/demo/{}",
            path.file_name().unwrap().to_str().unwrap()
        );
        env.write(&env.home(&place), fs_err::read(&path).unwrap());
    }
    env.run(&["skill", "install"]).succeeded();
    env
}

/// The commands in the numbered levels, as a shell would take them.
fn levels(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix('`'));
    let commands = lines.filter_map(|line| line.split('`').next());
    commands
        .filter(|c| c.starts_with("session-search "))
        .map(str::to_owned)
        .collect()
}

/// Runs a command as it stands.
fn run(env: &TestEnvironment, command: &str) -> Ran {
    let program = Path::new(env!("CARGO_BIN_EXE_session-search"));
    let mut shell = std::process::Command::new("sh");
    env.isolate(&mut shell);
    let line = command.replacen("session-search", &format!("'{}'", program.display()), 1);
    env.ran(shell.args(["-c", &line]).output().unwrap())
}

fn typed(env: &TestEnvironment, command: &str) -> Value {
    let ran = run(env, command).succeeded();
    serde_json::from_slice(&ran.output.stdout).unwrap_or_else(|e| panic!("{command}: {e}: {ran}"))
}

#[test]
fn the_levels_do_what_they_say() {
    let env = env();
    let installed =
        fs_err::read_to_string(env.home(".claude/skills/session-search/SKILL.md")).unwrap();
    let commands = levels(&installed);
    assert_eq!(commands.len(), 4, "{commands:?}");
    let sessions = typed(&env, &commands[0]);
    assert_eq!(sessions["hits"][0]["session"], "a1b2c3d4", "{sessions}");
    let turns = typed(&env, &commands[1]);
    assert_eq!(turns["hits"][0]["session"], "a1b2c3d4", "{turns}");
    assert!(turns["hits"][0]["turn"].is_u64(), "{turns}");
    let answers = run(&env, &commands[2]).succeeded().stdout();
    assert!(answers.starts_with("a1b2c3d4:0\n"), "{answers}");
    let shown = typed(&env, &commands[3]);
    assert_eq!(shown["shown"].as_array().unwrap().len(), 2, "{shown}");
    let calls = shown["shown"][0]["parts"].as_array().unwrap();
    assert!(
        calls.iter().any(|part| part["command"].is_string()),
        "{shown}"
    );
}

/// Every command between backticks.
fn shown(text: &str) -> Vec<String> {
    let pieces = text.split('`').skip(1).step_by(2).map(str::trim);
    let commands = pieces.filter(|piece| piece.starts_with("session-search "));
    commands.map(str::to_owned).collect()
}

#[test]
fn what_was_done_is_told_by_the_commands_of_the_reference() {
    let env = env();
    let text = fs_err::read_to_string(folder().join("references/DIGEST.md")).unwrap();
    let commands = shown(&text);
    assert!(commands.len() > 10, "{commands:?}");
    let mut answered = 0;
    for command in commands {
        let is_long = ["digest", "--with", "--only"].map(|word| command.contains(word));
        let is_text = !command.contains("--json");
        assert!(is_text || !is_long.contains(&true), "{command}");
        let ran = run(&env, &command).succeeded();
        let is_explained = !ran.stderr().is_empty();
        assert_eq!(is_explained, ran.stdout().is_empty(), "{command}: {ran}");
        let is_json = serde_json::from_slice::<Value>(&ran.output.stdout).is_ok();
        assert!(is_json || !command.contains("--json"), "{command}: {ran}");
        let found = run(&env, &command.replace(" --quiet", ""));
        answered += usize::from(found.code() == 0);
    }
    assert!(answered >= 6, "{answered}");
}

/// The table of what the user says, typed as it stands.
#[test]
fn what_is_to_be_remembered_is_saved_and_found() {
    let env = env();
    let text = fs_err::read_to_string(folder().join("references/MEMORY.md")).unwrap();
    let row = |mark: &str| {
        let row = text
            .lines()
            .find(|line| line.contains(mark))
            .unwrap_or_else(|| panic!("{mark}"));
        shown(row).remove(0)
    };
    let text_of = |mark: &str| run(&env, &row(mark)).succeeded().stdout();
    let saved = typed(&env, &row("记住这个"));
    let found = text_of("搜索记忆");
    let info = saved["memory"]["key_info"][0].as_str().unwrap();
    for part in ["Connection pool too small", info] {
        assert!(found.contains(part), "{saved} {found}");
    }
    for list in ["查看今日记忆", "all memories", "The table"] {
        let listed = text_of(list);
        assert!(listed.contains("Connection pool too small"), "{listed}");
    }
    let id = &found[found.find("mem-").unwrap()..][..19];
    let of_this = |mark: &str| row(mark).replace("mem-20260110-091500", id);
    let shown = run(&env, &of_this("One memory")).succeeded().stdout();
    assert!(
        shown.contains(info) && shown.contains("PoolTimedOut"),
        "{shown}"
    );
    typed(&env, &of_this("删除记忆"));
    assert_eq!(text_of("搜索记忆"), "");
}

/// All that is to be forgotten is listed before it is asked about, and nothing is changed.
#[test]
fn what_is_to_be_forgotten_is_listed_first() {
    let env = env();
    let text = fs_err::read_to_string(folder().join("references/MEMORY.md")).unwrap();
    let row = text.lines().find(|line| line.contains("忘掉")).unwrap();
    let commands = shown(row);
    assert!(
        commands[0].starts_with("session-search forget --dry-run "),
        "{commands:?}"
    );
    let named = |command: &str| command.replace("ACME", "docker");
    let listed = run(&env, &named(&commands[0])).succeeded().stdout();
    assert!(
        listed.contains("a1b2c3d4:0  docker-network-debug\n"),
        "{listed}"
    );
    assert_eq!(run(&env, &named(&commands[0])).succeeded().stdout(), listed);
    run(&env, &named(&commands[1])).succeeded();
    run(&env, &named(&commands[0])).exits(1);
}
