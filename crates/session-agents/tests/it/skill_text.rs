//! The text of the skill's files: what agents require of it, and what it allows.

use std::path::{Path, PathBuf};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skill/session-search")
}

fn skill_text() -> String {
    fs_err::read_to_string(directory().join("SKILL.md")).unwrap()
}

/// Most bytes of the description. Every session pays for it, used or not: 400 are 120 tokens as
/// Claude Code's `/context` counts them.
const DESCRIPTION_BYTES: usize = 400;

/// Returns every command of the program between backticks.
fn commands(text: &str) -> Vec<&str> {
    let code = text.split('`').skip(1).step_by(2).map(str::trim);
    code.filter(|code| code.starts_with("session-search "))
        .collect()
}

#[test]
fn the_front_matter_has_what_agents_require() {
    let text = skill_text();
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
fn every_reference_exists_and_is_linked() {
    let text = skill_text();
    let linked: Vec<&str> = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .collect();
    let directory = directory();
    for link in &linked {
        assert!(directory.join(link).exists(), "{link}");
    }
    for entry in fs_err::read_dir(directory.join("references")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(
            linked.contains(&format!("references/{name}").as_str()),
            "{name} is not linked"
        );
    }
}

/// A note before JSON, or exit code 1 where nothing is found, is a failure to an agent.
#[test]
fn commands_with_json_output_are_quiet() {
    let references = fs_err::read_dir(directory().join("references")).unwrap();
    let files = references.map(|entry| entry.unwrap().path());
    for file in files.chain([directory().join("SKILL.md")]) {
        let text = fs_err::read_to_string(&file).unwrap();
        let read = commands(&text).into_iter().filter(|c| c.contains("--json"));
        for command in read {
            let is_quiet = command.contains("--json --quiet");
            assert!(is_quiet, "{}: {command}", file.display());
        }
    }
}

/// Only the user gives trust: `allowed-tools` names no command that gives it.
#[test]
fn commands_that_trust_or_change_something_need_consent() {
    let text = skill_text();
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
