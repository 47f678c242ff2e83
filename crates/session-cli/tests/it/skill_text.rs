//! What the skill's files say: that they hold together, and that the commands
//! in them, typed as they stand, do what they say.

use crate::environment::{Ran, TestEnvironment};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skill/session-search")
}

fn body() -> String {
    fs_err::read_to_string(folder().join("SKILL.md")).unwrap()
}

/// Most bytes of the description. Every session pays for it, used or not: 400 are 120 tokens as
/// Claude Code's `/context` counts them.
const DESCRIPTION_BYTES: usize = 400;

/// A home folder with the history of the demo, and the skill.
fn env() -> TestEnvironment {
    let env = TestEnvironment::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo");
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
fn the_front_matter_is_what_agents_take() {
    let text = body();
    let (front, body) = text
        .strip_prefix("---\n")
        .unwrap()
        .split_once("\n---\n")
        .unwrap();
    let field = |name: &str| {
        let lines = front.lines().filter_map(|line| line.split_once(": "));
        let found = lines
            .filter(|(key, _)| *key == name)
            .map(|(_, value)| value)
            .next();
        found.unwrap_or_else(|| panic!("no `{name}`"))
    };
    assert_eq!(field("name"), "session-search");
    let description = field("description");
    assert!(
        !description.contains(": ") && !description.contains(" #"),
        "plain YAML"
    );
    let bytes = description.len();
    assert!(bytes <= DESCRIPTION_BYTES, "{bytes} bytes");
    for trigger in [
        "what did we do today",
        "how did we fix",
        "last week",
        "上次",
        "之前",
        "昨天",
        "save this",
        "记住这个",
    ] {
        assert!(description.contains(trigger), "{trigger}");
    }
    assert!(body.lines().count() <= 60 && body.len() < 4000, "one page");
    assert!(body.contains("$ARGUMENTS"));
}

#[test]
fn each_reference_is_linked_and_there() {
    let text = body();
    let linked: Vec<&str> = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .collect();
    let folder = folder();
    for link in &linked {
        assert!(folder.join(link).exists(), "{link}");
    }
    for entry in fs_err::read_dir(folder.join("references")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(
            linked.contains(&format!("references/{name}").as_str()),
            "{name} is not linked"
        );
    }
}

#[test]
fn the_levels_do_what_they_say() {
    let env = env();
    let installed =
        fs_err::read_to_string(env.home(".claude/skills/session-search/SKILL.md")).unwrap();
    let commands = levels(&installed);
    assert_eq!(commands.len(), 3, "{commands:?}");
    let sessions = typed(&env, &commands[0]);
    assert_eq!(sessions["hits"][0]["session"], "a1b2c3d4", "{sessions}");
    let turns = typed(&env, &commands[1]);
    assert_eq!(turns["hits"][0]["session"], "a1b2c3d4", "{turns}");
    assert!(turns["hits"][0]["turn"].is_u64(), "{turns}");
    let shown = typed(&env, &commands[2]);
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
        let ran = run(&env, &command).succeeded();
        assert_eq!(ran.stderr(), "", "{command}");
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
    let saved = typed(&env, &row("记住这个"));
    let found = typed(&env, &row("搜索记忆"));
    assert!(
        found.to_string().contains("Connection pool too small"),
        "{saved} {found}"
    );
    let today = typed(&env, &row("查看今日记忆"));
    assert!(
        today.to_string().contains("Connection pool too small"),
        "{today}"
    );
    let id = found.to_string();
    let id = &id[id.find("mem-").unwrap()..][..19];
    let delete = row("删除记忆").replace("mem-20260110-091500", id);
    typed(&env, &delete);
    assert_eq!(typed(&env, &row("搜索记忆"))["results"], 0);
}

/// A note before JSON, or exit code 1 where nothing is found, is a failure to an agent.
#[test]
fn what_an_agent_reads_is_asked_for_quietly() {
    let references = fs_err::read_dir(folder().join("references")).unwrap();
    let files = references.map(|entry| entry.unwrap().path());
    for file in files.chain([folder().join("SKILL.md")]) {
        let text = fs_err::read_to_string(&file).unwrap();
        let read = shown(&text).into_iter().filter(|c| c.contains("--json"));
        for command in read {
            let is_quiet = command.contains("--json --quiet");
            assert!(is_quiet, "{}: {command}", file.display());
        }
    }
}

/// Trust is the user's to give: no agent may say it unasked.
#[test]
fn no_command_that_trusts_or_changes_is_allowed_unasked() {
    let skill = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../skill/session-search/SKILL.md"
    );
    let text = fs_err::read_to_string(skill).unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("allowed-tools: "));
    let allowed: Vec<&str> = line
        .unwrap()
        .split("Bash(session-search ")
        .skip(1)
        .collect();
    assert!(allowed.len() > 5, "{allowed:?}");
    let changing = [
        "trust",
        "memory save",
        "memory edit",
        "memory import",
        "hook",
        "skill",
        "model",
    ];
    for command in changing {
        let is_allowed = allowed.iter().any(|rule| rule.starts_with(command));
        assert!(!is_allowed, "{command}");
    }
}
