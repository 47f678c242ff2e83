//! The hook in the settings of the user and of a project, and of which program.

use crate::memory::MemoryProject;
use std::path::Path;

/// `uvx` runs a program that is gone after `uv cache prune`.
#[test]
fn a_program_in_a_cache_of_packages_is_written_into_no_settings() {
    let project = MemoryProject::new();
    let program = Path::new(env!("CARGO_BIN_EXE_session-search"));
    for args in [
        &["hook", "install", "--yes"][..],
        &["hook", "install", "--project", "--yes"],
        &["setup", "--agent", "codex", "--yes"],
    ] {
        let mut command = project.command();
        command.args(args);
        command.env("UV_CACHE_DIR", program.parent().unwrap());
        let said = project.piped(command, "").exits(2).stderr();
        assert!(said.contains("is in a cache that may be emptied"), "{said}");
        assert!(said.contains("hint: install it"), "{said}");
    }
    for file in [
        ".claude/settings.json",
        "shop/.claude/settings.json",
        ".codex/config.toml",
    ] {
        assert!(!project.env.home(file).exists(), "{file}");
    }
}

#[test]
fn the_hook_of_a_project_is_named_beside_that_of_the_user() {
    let project = MemoryProject::new();
    project.run(&["hook", "install", "--yes"]).succeeded();
    // Another command line than in the user's settings.
    let own = project.env.home("shop/.claude/settings.json");
    let settings = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "session-search-v0.1.0 hook run"}]}]}}"#;
    project.env.write(&own, settings);
    let said = project.run(&["hook", "uninstall", "--yes"]).succeeded();
    let note = "note: this project has it, too: `session-search hook uninstall --agent claude --project`\n";
    assert!(said.stderr().contains(note), "{said}");
    let uninstall = ["hook", "uninstall", "--project", "--yes"];
    project.run(&uninstall).succeeded();
    let said = project.run(&["hook", "uninstall", "--yes"]).succeeded();
    assert!(!said.stderr().contains("this project has it"), "{said}");
}

#[test]
fn doctor_lists_an_event_once_that_two_settings_have() {
    let project = MemoryProject::new();
    project.run(&["hook", "install", "--yes"]).succeeded();
    let user = fs_err::read_to_string(project.env.home(".claude/settings.json")).unwrap();
    let own = project.env.home("shop/.claude/settings.json");
    project.env.write(&own, &user);
    let said = project.run(&["doctor"]).stdout();
    let events = "UserPromptSubmit, SessionStart, PreToolUse, PostToolUseFailure\n";
    assert!(said.contains(events), "{said}");
    assert_eq!(said.matches("UserPromptSubmit").count(), 1, "{said}");
}
