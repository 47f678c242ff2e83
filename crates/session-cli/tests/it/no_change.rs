//! Commands that change nothing say so, and those that change something name it.

use crate::environment::{Ran, TestEnvironment};
use crate::forget::{LAMP, WORD, decoded, kiln, lamp};
use crate::memory::MemoryProject;

/// Runs a command, and again with `--quiet`, which leaves the note out.
fn said(env: &TestEnvironment, command: &[&str]) -> String {
    let quiet = env.run(&[command, &["--quiet"]].concat()).succeeded();
    assert_eq!(quiet.stderr(), "", "{command:?}");
    env.run(command).stderr()
}

#[test]
fn a_memory_that_is_there_already_is_not_moved_again() {
    let project = MemoryProject::new();
    let id = project.save("Lantern", "hangs in the harbour", &[]);
    let told = |command: &str| project.run(&["memory", command, &id]).succeeded().stderr();
    assert!(told("activate").starts_with(&format!("{id} is active already: ")));
    assert!(told("archive").starts_with(&format!("{id} archived: ")));
    assert!(told("archive").starts_with(&format!("{id} is archived already: ")));
    assert!(told("delete").starts_with(&format!("{id} put into the trash: ")));
    assert!(told("delete").starts_with(&format!("{id} is in the trash already: ")));
    let none = project.run(&["memory", "archive", "--older-than", "30d"]);
    assert_eq!(
        none.exits(1).stderr(),
        "no active memory was left alone for 30 days\n"
    );
    let none = project.run(&["trust", "--revoke"]).exits(1);
    assert_eq!(none.stderr(), "no memory was trusted\n");
}

#[test]
fn what_is_not_installed_is_not_removed() {
    let env = TestEnvironment::new();
    let hook = said(&env, &["hook", "uninstall"]);
    assert!(hook.starts_with("the hook is not installed in "), "{hook}");
    let skill = said(&env, &["skill", "uninstall"]);
    assert!(
        skill.starts_with("the skill is not installed in "),
        "{skill}"
    );
    assert_eq!(said(&env, &["setup", "--undo"]), "nothing is installed\n");
}

#[test]
fn what_is_written_is_named_and_when_it_works() {
    let env = TestEnvironment::new();
    let contains = |ran: Ran, parts: &[&str]| {
        let said = ran.succeeded().stderr();
        for part in parts {
            assert!(said.contains(part), "{said}");
        }
    };
    let install = ["hook", "install", "--yes"];
    let works = "it works from the next session of Claude Code on";
    contains(env.run(&install), &["written: ", "settings.json", works]);
    contains(
        env.run(&install),
        &["the hook is installed already in ", "settings.json"],
    );
    let codex = ["hook", "install", "--agent", "codex", "--yes"];
    let installed = env.run(&codex).succeeded().stderr();
    let waits = "\nnote: Codex runs a hook once you trust it: ";
    let is_told = installed.contains(waits) && !installed.contains("it works from");
    assert!(is_told, "{installed}");
    let setup = ["setup", "--agent", "opencode", "--yes"];
    contains(
        env.run(&setup),
        &[
            "written: ",
            "opencode.json",
            "commands/session-search.md",
            "begins from now on",
        ],
    );
    assert_eq!(said(&env, &setup), "nothing is changed\n");
    let undone = env.run(&["setup", "--undo", "--yes"]).succeeded().stderr();
    let is_removed = undone.contains("removed: ") && !undone.contains("written: ");
    assert!(is_removed, "{undone}");
}

#[test]
fn injection_says_whether_it_is_on() {
    const ID: &str = "0a000000-0000-4000-8000-000000000001";
    let project = MemoryProject::new();
    let switch = |option: &str| {
        let ran = project.run(&["inject", "--session", ID, option]);
        ran.succeeded().stderr()
    };
    assert_eq!(switch("--off"), format!("off for session {ID}\n"));
    assert_eq!(switch("--on"), format!("on for session {ID}\n"));
    let ran = project.run(&["inject", "--prompt", "zzz"]).exits(1);
    assert_eq!(
        ran.stderr(),
        "nothing is injected\nhint: --explain says why\n"
    );
}

/// `2>&1 | head` takes away the notes, not the change.
#[test]
fn a_change_is_made_though_nobody_reads_its_notes() {
    let env = TestEnvironment::indexed(&[lamp(), kiln()]);
    let unread = |command: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut unread = env.command();
        unread.args(command).stdout(writer.try_clone().unwrap());
        unread.stderr(writer).status().unwrap().code()
    };
    let codex = env.home(".codex/config.toml");
    for (command, code) in [
        (&["hook", "install", "--yes"][..], 0),
        (&["hook", "uninstall", "--json"], 2),
        (&["setup", "--agent", "codex", "--json"], 2),
    ] {
        assert_eq!(unread(command), Some(code), "{command:?}");
    }
    env.run(&["hook", "status"]).succeeded();
    assert!(!codex.exists());
    assert_eq!(unread(&["hook", "uninstall", "--yes"]), Some(0));
    env.run(&["hook", "status"]).exits(1);
    for command in [
        &["setup", "--agent", "codex", "--agent", "opencode", "--yes"][..],
        &["forget", LAMP, "--yes"],
    ] {
        assert_eq!(unread(command), Some(0), "{command:?}");
    }
    assert!(codex.exists());
    assert!(!decoded(&env).contains(WORD));
    assert_eq!(unread(&["setup", "--undo", "--yes"]), Some(0));
    assert_eq!(
        env.run(&["setup", "--undo"]).stderr(),
        "nothing is installed\n"
    );
}
