//! The skill is copied, upgraded and removed; what a user edited is theirs.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;
use serde_json::json;
use std::path::{Path, PathBuf};

const SKILL: &str = ".claude/skills/session-search/SKILL.md";
const MANIFEST: &str = ".claude/skills/session-search/.installed.json";

fn read(path: impl AsRef<Path>) -> String {
    fs_err::read_to_string(path).unwrap()
}

/// Every file below the home folder, with its text.
fn files(env: &TestEnvironment) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![env.path("home")];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path)
            } else {
                found.push((path.clone(), read(path)))
            }
        }
    }
    found.sort();
    found
}

#[test]
fn it_is_installed_once_and_removed() {
    let env = TestEnvironment::new();
    env.write(&env.home(".claude/settings.json"), "{}");
    let before = files(&env);
    assert_snapshot!(env.run(&["skill", "status"]), @r"
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    the skill is not installed
    hint: `session-search skill install`
    ");
    assert_snapshot!(env.run(&["skill", "install", "--dry-run"]), @r"
    exit code: 0
    ----- stdout -----
    [TMP]/home/.claude/skills/session-search  claude: 8 files, would be written
    ----- stderr -----
    note: no file is changed
    ");
    assert_eq!(files(&env), before, "a dry run writes nothing");
    assert_snapshot!(env.run(&["skill", "install"]), @r"
    exit code: 0
    ----- stdout -----
    [TMP]/home/.claude/skills/session-search  claude 0.1.0: 8 files, written
    ----- stderr -----
    ");
    let installed = files(&env);
    assert_snapshot!(env.run(&["skill", "install"]), @r"
    exit code: 0
    ----- stdout -----
    [TMP]/home/.claude/skills/session-search  claude 0.1.0: 8 files, unchanged
    ----- stderr -----
    ");
    assert_eq!(files(&env), installed, "a second run changes nothing");
    assert_snapshot!(env.run(&["skill", "status"]), @r"
    exit code: 0
    ----- stdout -----
    [TMP]/home/.claude/skills/session-search  claude 0.1.0: 8 files, current
    ----- stderr -----
    ");
    assert_snapshot!(env.run(&["skill", "uninstall"]), @r"
    exit code: 0
    ----- stdout -----
    [TMP]/home/.claude/skills/session-search  claude: 8 files, removed
    ----- stderr -----
    ");
    assert_eq!(files(&env), before);
    assert!(!env.home(".claude/skills/session-search").exists());
}

/// Codex loads no skill: a copy for Claude Code would also make that one the agent that is meant.
#[test]
fn where_codex_is_alone_no_skill_is_installed() {
    let env = TestEnvironment::new();
    fs_err::create_dir_all(env.home(".codex")).unwrap();
    assert_snapshot!(env.run(&["skill", "install"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: the skill is not installed
    hint: `session-search setup --agent codex` gives Codex instructions in its place
    ");
    assert!(!env.home(".claude/skills").exists());
    let refused = env.run(&["skill", "install", "--agent", "codex"]).exits(2);
    let tip = "'session-search setup --agent codex' gives it instructions";
    assert!(refused.stderr().contains(tip), "{refused}");
    env.run(&["skill", "install", "--agent", "opencode"])
        .succeeded();
}

#[test]
fn an_older_copy_is_shown_and_upgraded() {
    let env = TestEnvironment::new();
    env.run(&["skill", "install"]).succeeded();
    let old = "An older text.\n";
    let mut files = serde_json::Map::new();
    for name in ["SKILL.md", "references/json.md"] {
        let name = format!("skills/session-search/{name}");
        fs_err::write(env.home(&format!(".claude/{name}")), old).unwrap();
        let hash = blake3::hash(old.as_bytes()).to_hex().to_string();
        files.insert(name, json!(hash));
    }
    let manifest = json!({"version": "0.0.9", "files": files});
    fs_err::write(env.home(MANIFEST), manifest.to_string()).unwrap();
    assert_snapshot!(env.run(&["skill", "status"]), @r"
    exit code: 0
    ----- stdout -----
    [TMP]/home/.claude/skills/session-search  claude 0.0.9
      older      SKILL.md
      current    references/HOW_IT_WORKS.md
      current    references/DIGEST.md
      current    references/MEMORY.md
      current    references/CONFIGURATION.md
      current    references/FIRST_RUN.md
      current    references/HISTORIES.md
      current    references/TROUBLESHOOTING.md
      obsolete   references/json.md
    ----- stderr -----
    ");
    let upgraded = env.json(&["skill", "install"]);
    assert_eq!(upgraded["files"][0]["done"], "written", "{upgraded}");
    assert_eq!(upgraded["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn what_was_edited_is_shown_and_kept() {
    let env = TestEnvironment::new();
    env.run(&["skill", "install"]).succeeded();
    let mine = read(env.home(SKILL)).replace("Three levels. Stop", "My levels. Stop");
    fs_err::write(env.home(SKILL), &mine).unwrap();
    assert_snapshot!(env.run(&["skill", "install"]), @r"
    exit code: 0
    ----- stdout -----
    [TMP]/home/.claude/skills/session-search  claude 0.1.0
      kept       SKILL.md
      unchanged  references/HOW_IT_WORKS.md
      unchanged  references/DIGEST.md
      unchanged  references/MEMORY.md
      unchanged  references/CONFIGURATION.md
      unchanged  references/FIRST_RUN.md
      unchanged  references/HISTORIES.md
      unchanged  references/TROUBLESHOOTING.md
    ----- stderr -----
    [TMP]/home/.claude/skills/session-search/SKILL.md was edited:
        
      - My levels. Stop at the first that answers.
      + Three levels. Stop at the first that answers.
        
    note: files that you edited are kept; --force replaces them
    ");
    assert_eq!(read(env.home(SKILL)), mine);
    assert_snapshot!(env.run(&["skill", "uninstall", "--dry-run"]), @r"
    exit code: 0
    ----- stdout -----
    [TMP]/home/.claude/skills/session-search  claude 0.1.0
      kept             SKILL.md
      would be removed references/HOW_IT_WORKS.md
      would be removed references/DIGEST.md
      would be removed references/MEMORY.md
      would be removed references/CONFIGURATION.md
      would be removed references/FIRST_RUN.md
      would be removed references/HISTORIES.md
      would be removed references/TROUBLESHOOTING.md
    ----- stderr -----
    [TMP]/home/.claude/skills/session-search/SKILL.md was edited:
        
      - My levels. Stop at the first that answers.
      + Three levels. Stop at the first that answers.
        
    note: no file is changed
    ");
    env.run(&["skill", "install", "--force"]).succeeded();
    assert!(read(env.home(SKILL)).contains("Three levels. Stop"));
    assert_eq!(read(env.home(&format!("{SKILL}.backup"))), mine);
    fs_err::write(env.home(SKILL), &mine).unwrap();
    env.run(&["skill", "uninstall"]).succeeded();
    assert_eq!(read(env.home(SKILL)), mine, "what was edited stays");
}

#[cfg(unix)]
#[test]
fn a_link_is_left_alone() {
    let env = TestEnvironment::new();
    fs_err::create_dir_all(env.home(".claude/skills")).unwrap();
    fs_err::create_dir(env.home("source")).unwrap();
    fs_err::os::unix::fs::symlink(
        env.home("source"),
        env.home(".claude/skills/session-search"),
    )
    .unwrap();
    assert_snapshot!(env.run(&["skill", "install"]), @r"
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: `[TMP]/home/.claude/skills/session-search` is a link to somewhere else, and is not followed
    hint: put the file itself there, or remove the link
    ");
    assert_eq!(fs_err::read_dir(env.home("source")).unwrap().count(), 0);
}

#[test]
fn keywords_of_memories_stand_in_the_description_by_choice() {
    let env = TestEnvironment::new();
    let save = |topic: &str, tag: &str| {
        let info = "it was so";
        let args = [
            "memory", "save", "--global", "--topic", topic, "--info", info, "--tag", tag,
        ];
        env.run(&args).succeeded();
    };
    let says = |word: &str| {
        let text = read(env.home(SKILL));
        let line = text.lines().find(|line| line.starts_with("description: "));
        line.unwrap().contains(word)
    };
    env.run(&["skill", "install"]).succeeded();
    let ran = env.run(&["skill", "sync"]).succeeded();
    assert!(ran.stdout().contains("keywords   none yet"), "{ran}");
    env.run(&["skill", "sync", "--off"]).succeeded();
    save("Connection pool too small", "postgres");
    let ran = env.json(&["skill", "sync"]);
    let keywords = ran["skills"][0]["keywords"].as_array().unwrap();
    assert!(
        keywords.contains(&json!("postgres")) && keywords.len() <= 15,
        "{ran}"
    );
    assert!(says("There are saved memories about") && says("postgres"));
    save("Where the lantern hangs", "lantern");
    assert!(says("lantern"), "kept current");
    let status = &env.json(&["skill", "status"])["skills"];
    assert_eq!(status[0]["files"][0]["state"], "current", "{status}");
    assert_eq!(status[0]["agent"], "claude", "{status}");
    assert_eq!(status[0]["scope"], "user", "{status}");
}

#[test]
fn a_folder_of_no_project_gets_no_skill() {
    let env = TestEnvironment::new();
    let ran = env.run(&["skill", "install", "--project"]).exits(2);
    assert!(ran.stderr().contains("belongs to no project"), "{ran}");
    env.run(&["skill", "status"]);
}
