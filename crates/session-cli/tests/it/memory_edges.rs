//! Memories at their edges: copied, lost, replaced by nothing, too long.

use crate::inject_hook::{context, payload};
use crate::memory::Project;
use serde_json::Value;

fn set_dates(project: &Project, id: &str, day: &str) {
    let path = project.folder(&format!("active/{id}.md"));
    let text = fs_err::read_to_string(&path).unwrap();
    let dated = |line: &str| match line.split_once(": ") {
        Some((key @ ("created" | "updated"), _)) => format!("{key}: {day}T10:00:00Z"),
        _ => line.to_owned(),
    };
    let lines: Vec<String> = text.lines().map(dated).collect();
    fs_err::write(&path, lines.join("\n")).unwrap();
}

#[test]
fn a_whole_id_stands_for_no_longer_one() {
    let project = Project::new();
    let id = project.save("First", "one", &[]);
    let active = project.folder("active");
    fs_err::rename(
        active.join(format!("{id}.md")),
        active.join(format!("{id}-2.md")),
    )
    .unwrap();
    let ran = project.run(&["memory", "delete", &id, "--purge"]).exits(2);
    assert!(ran.stderr().contains(&id), "{ran}");
    assert_eq!(project.found(&["first"]), ["First"]);
}

/// What a merge leaves of "archived here, edited there".
#[test]
fn of_two_with_one_id_the_active_one_is_meant_and_none_is_overwritten() {
    let project = Project::new();
    let id = project.save("First", "one", &[]);
    let [active, archived] =
        ["active", "archive"].map(|state| project.folder(&format!("{state}/{id}.md")));
    fs_err::create_dir_all(archived.parent().unwrap()).unwrap();
    let text = fs_err::read_to_string(&active).unwrap();
    fs_err::write(&archived, text.replace("First", "Second")).unwrap();
    let shown = project.run(&["memory", "show", &id]).succeeded().stdout();
    assert!(shown.contains("First"), "{shown}");
    let ran = project.run(&["memory", "archive", &id]).exits(2);
    assert!(ran.stderr().contains("would be lost"), "{ran}");
    project
        .run(&["memory", "delete", &id, "--purge"])
        .succeeded();
    let shown = project.run(&["memory", "show", &id]).succeeded().stdout();
    assert!(shown.contains("Second"), "{shown}");
}

#[test]
fn retention_counts_from_the_day_of_archiving() {
    let project = Project::new();
    let id = project.save("Old but gold", "keep it", &[]);
    set_dates(&project, &id, "2024-01-02");
    project.run(&["memory", "archive", &id]).succeeded();
    project.trust(); // its date was changed by hand
    project.configure("[storage]\nretention_days = 30", "");
    project.save("Another", "thing", &[]);
    assert!(project.folder(&format!("archive/{id}.md")).is_file());
    project.recalled(&id, "2024-02-03");
    let ran = project.run(&["memory", "save", "--topic", "More", "--info", "things"]);
    assert!(ran.stderr().contains(&id), "{ran}");
    assert!(project.folder(&format!("trash/{id}.md")).is_file());
}

#[test]
fn what_replaces_a_memory_must_be_there() {
    let project = Project::new();
    let old = project.save("The port of the relay", "it listens on 8080", &[]);
    let new = project.save("A lamp in the harbour", "is lit at nine", &[]);
    project.run(&["memory", "delete", &new]).succeeded();
    let supersede = ["memory", "supersede", old.as_str(), "--by", new.as_str()];
    let ran = project.run(&supersede).exits(2);
    assert!(ran.stderr().contains("in the trash"), "{ran}");
    project.run(&["memory", "activate", &new]).succeeded();
    project.run(&supersede).succeeded();
    let prompt = "which port does the relay listen on?";
    assert_eq!(context(&project, prompt, "s1"), "");
    project
        .run(&["memory", "delete", &new, "--purge"])
        .succeeded();
    assert!(context(&project, prompt, "s1").contains(&old));
}

#[test]
fn a_block_is_short_whatever_its_characters_are() {
    let project = Project::new();
    let topic = "zalgo kubernetes ingress";
    let info = format!("e{}", "\u{301}".repeat(50_000));
    project.save(topic, &info, &["--importance", "high"]);
    let block = context(
        &project,
        "why does the zalgo kubernetes ingress fail?",
        "s1",
    );
    assert!(block.contains("zalgo"), "{block}");
    assert!(block.chars().count() <= 1000, "{}", block.chars().count());
}

#[test]
fn what_cannot_be_noted_is_not_said() {
    let project = Project::new();
    project.save("The port of the relay", "it listens on 8080", &[]);
    let file = project.env.home("no-folder");
    fs_err::write(&file, "").unwrap();
    let mut command = project.command();
    command
        .env("SESSION_SEARCH_HOME", &file)
        .args(["hook", "run"]);
    let prompt = payload(&project, "which port does the relay listen on?", "s1");
    let ran = project.piped(command, &prompt).succeeded();
    assert_eq!(ran.stdout(), "");
}

#[test]
fn a_sign_is_no_word_of_what_a_prompt_is_about() {
    let project = Project::new();
    project.save("Connection pool too small", "time-outs under load", &[]);
    assert_eq!(context(&project, "as last time", "s1"), "");
}

#[test]
fn a_sheet_written_by_hand_is_left_alone() {
    let project = Project::new();
    project.save("Kept", "for good", &["--importance", "high"]);
    let sheet = project.env.home("shop/.claude/session-search-context.md");
    project.env.write(&sheet, "# My own notes\n");
    let ran = project.run(&["memory", "sync-context"]).exits(2);
    assert!(ran.stderr().contains("hint: "), "{ran}");
    assert_eq!(fs_err::read_to_string(&sheet).unwrap(), "# My own notes\n");
}

#[cfg(unix)]
#[test]
fn an_editor_that_broke_it_loses_nothing_and_follows_no_link() {
    let project = Project::new();
    let id = project.save("Kept", "for good", &[]);
    let mut command = project.command();
    command
        .env("EDITOR", "printf 'no memory' >")
        .args(["memory", "edit", &id]);
    let ran = project.env.ran(command.output().unwrap()).exits(2);
    let kept = fs_err::read_dir(project.env.path("index")).unwrap();
    let kept = kept.map(|entry| entry.unwrap().path());
    let kept: Vec<_> = kept
        .filter(|p| p.to_string_lossy().ends_with(".rejected.md"))
        .collect();
    assert_eq!(kept.len(), 1, "{ran}");
    assert_eq!(fs_err::read_to_string(&kept[0]).unwrap(), "no memory");
}

#[test]
fn nothing_of_a_day_of_cursor_memory_is_lost() {
    let project = Project::new();
    let folder = project.env.home("shop/.cursor/skills/memory-data");
    let day = "# 2026-01-15\n\n## Session 1\n\n### Topic\nPool\n\n### Key Info\nThe pool was raised \
               after the outage.\n- pool is 40\n1. first\n\n### Tags\n#db\ntrailing words\n\n## Session 1\n\n\
               ### Topic\nSecond thing\n\n### Key Info\n- two\n";
    project.env.write(&folder.join("daily/2026-01-15.md"), day);
    let import = ["memory", "import", "--format", "cursor-memory"];
    let answer = project.json(&import);
    let all = answer["imported"].as_array().unwrap();
    assert_eq!(all.len(), 2, "{answer}");
    let text = |memory: &Value| {
        let id = memory["id"].as_str().unwrap();
        fs_err::read_to_string(project.folder(&format!("active/{id}.md"))).unwrap()
    };
    let texts: String = all.iter().map(text).collect();
    for part in [
        "The pool was raised after the outage.",
        "- pool is 40",
        "1. first",
        "trailing words",
        "Second thing",
        "- two",
    ] {
        assert!(texts.contains(part), "{part}: {texts}");
    }
    project
        .env
        .write(&folder.join("index/keywords.json"), "{broken");
    let ran = project.run(&import).exits(2);
    assert!(ran.stderr().contains("keywords.json"), "{ran}");
}
