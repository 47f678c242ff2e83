//! The memories of what is forgotten, in the projects where they were saved.

use crate::claude::ClaudeTranscript;
use crate::environment::Ran;
use crate::forget::{LAMP, WORD};
use crate::memory::MemoryProject;
use std::path::PathBuf;

/// A project whose memory is saved from a session of another one.
struct OtherProject {
    project: MemoryProject,
    id: String,
}

impl OtherProject {
    fn new() -> Self {
        let project = MemoryProject::new();
        let loft = project.env.home("loft");
        fs_err::create_dir_all(loft.join(".git")).unwrap();
        let session = ClaudeTranscript::new(LAMP, loft.to_str().unwrap())
            .user(&format!("How is the {WORD} filled with oil?"))
            .assistant(&format!("The {WORD} has a cap."));
        project.env.write_transcript(&session);
        project.env.run(&["index"]).succeeded();
        let info = format!("the {WORD} has a cap");
        let from = ["--from", LAMP, "--importance", "high"];
        let id = project.save(WORD, &info, &from);
        project.run(&["memory", "sync-context"]).succeeded();
        Self { project, id }
    }

    /// Forgets the session from the home folder, which is in no project.
    fn forget(&self, more: &[&str]) -> Ran {
        let args = [&["forget", LAMP, "--yes"], more].concat();
        self.project.env.run(&args)
    }

    fn conversation(&self) -> PathBuf {
        self.project.folder("raw").join(format!("{}.md", self.id))
    }
}

#[test]
fn memories_that_another_project_saved_from_a_forgotten_session_go_too() {
    let other = OtherProject::new();
    assert!(other.conversation().exists());
    let ran = other.forget(&["--memories"]).succeeded();
    assert!(ran.stderr().contains(&other.id), "{ran}");
    assert!(!other.project.file(&other.id).exists() && !other.conversation().exists());
    for path in [
        "shop/.claude/session-search-context.md",
        "shop/.claude/data/session-search/memories/index.md",
    ] {
        let text = fs_err::read_to_string(other.project.env.home(path)).unwrap();
        assert!(!text.contains(WORD), "{path}: {text}");
    }
}

#[test]
fn memories_that_another_project_keeps_are_named() {
    let other = OtherProject::new();
    let forgotten = other.project.env.json(&["forget", LAMP, "--dry-run"]);
    assert_eq!(forgotten["memories"], serde_json::json!([other.id]));
    let ran = other.forget(&[]).succeeded();
    let kept = format!(
        "kept, though it tells of this (see --memories): {}",
        other.id
    );
    assert!(ran.stderr().contains(&kept), "{ran}");
    assert!(other.project.file(&other.id).exists() && other.conversation().exists());
}

/// It was saved by hand, and no turn has the word any more.
#[test]
fn a_memory_that_names_what_matches_is_forgotten() {
    let project = MemoryProject::new();
    let id = project.save(WORD, &format!("the {WORD} has a cap"), &[]);
    let other = project.save("kiln", "the kiln has a lid", &[]);
    let forget = |more: &[&str]| {
        let args = [&["forget", "--match", WORD, "--yes"], more].concat();
        project.run(&args)
    };
    let kept = forget(&[]);
    assert!(kept.stderr().contains(&id), "{kept}");
    assert!(!kept.stderr().contains(&other), "{kept}");
    assert!(project.file(&id).exists());
    forget(&["--memories"]).succeeded();
    assert!(!project.file(&id).exists() && project.file(&other).exists());
    let list = project.run(&["forget", "--list"]);
    assert!(!list.stdout().contains("match"), "{list}");
}

/// Its session was forgotten before, and its own text does not have the word.
#[test]
fn a_memory_whose_conversation_has_what_matches_is_forgotten() {
    let project = MemoryProject::new();
    let shop = project.env.home("shop");
    let session = ClaudeTranscript::new(LAMP, shop.to_str().unwrap())
        .user("How is the lamp filled?")
        .assistant(&format!("The {WORD} has a cap."));
    project.env.write_transcript(&session);
    project.env.run(&["index"]).succeeded();
    let id = project.save("Lamp", "it has a cap", &["--from", LAMP]);
    let other = project.save("Kiln", "it has a lid", &[]);
    let conversation = project.folder("raw").join(format!("{id}.md"));
    let kept = fs_err::read_to_string(&conversation).unwrap();
    assert!(kept.contains(WORD), "{kept}");
    project.env.run(&["forget", LAMP, "--yes"]).succeeded();
    let forget = ["forget", "--match", WORD, "--memories", "--yes"];
    project.run(&forget).succeeded();
    assert!(!conversation.exists() && !project.file(&id).exists());
    assert!(project.file(&other).exists());
}

/// It came with the repository, or by an import.
#[test]
fn a_memory_that_waits_for_trust_and_matches_is_named() {
    let project = MemoryProject::new();
    let id = "mem-20260111-000000";
    let text = format!("---\nid: {id}\ntopic: Lamp\ncreated: 2026-01-11\n---\n\n- {WORD}\n");
    project.env.write(&project.file(id), text);
    let ran = project.run(&["forget", "--match", WORD, "--memories", "--yes"]);
    let note = format!("{id} matches, waits for trust and stays: see ");
    assert!(ran.stderr().contains(&note), "{ran}");
    assert!(project.file(id).exists());
    let purge = ["memory", "delete", id, "--purge"];
    project.run(&purge).succeeded();
    assert!(!project.file(id).exists());
}

/// They are found from their own project alone.
#[test]
fn memories_of_another_project_that_wait_for_trust_are_named_with_its_folder() {
    let project = MemoryProject::new();
    project.save("Kiln", "it has a lid", &[]);
    let ids = ["mem-20260111-000000", "mem-20260112-000000"];
    for id in ids {
        let text = format!("---\nid: {id}\ntopic: Lamp\ncreated: 2026-01-11\n---\n\n- {WORD}\n");
        project.env.write(&project.file(id), text);
    }
    let forget = ["forget", "--match", WORD, "--memories", "--yes"];
    let said = project.env.run(&forget).stderr();
    let (_, command) = said.split_once("`session-search ").unwrap();
    let (command, rest) = command.split_once("` in ").unwrap();
    assert!(rest.lines().next().unwrap().ends_with("shop"), "{said}");
    let command: Vec<&str> = command.split(' ').collect();
    project.run(&command).succeeded();
    assert!(ids.iter().all(|id| !project.file(id).exists()), "{said}");
}

#[test]
fn a_project_that_is_gone_is_not_looked_at() {
    let other = OtherProject::new();
    fs_err::remove_dir_all(other.project.env.home("shop")).unwrap();
    let ran = other.forget(&["--memories"]).succeeded();
    assert!(!ran.stderr().contains("memor"), "{ran}");
}

/// A directory that others can write is no project of the user's, whatever was saved there before.
#[cfg(unix)]
#[test]
fn a_project_that_others_can_write_is_left_as_it_is_and_named() {
    use std::os::unix::fs::PermissionsExt;
    let other = OtherProject::new();
    let open = std::fs::Permissions::from_mode(0o777);
    fs_err::set_permissions(other.project.env.home("shop"), open).unwrap();
    let ran = other.forget(&["--memories"]).succeeded();
    let note = "shop are not looked at: ";
    assert!(ran.stderr().contains(note), "{ran}");
    assert!(
        ran.stderr().contains("can be written by every user"),
        "{ran}"
    );
    assert!(other.project.file(&other.id).exists());
}

/// A link in the place of the project's folder leads to memories that are not the project's.
#[cfg(unix)]
#[test]
fn no_link_of_a_project_is_followed() {
    let other = OtherProject::new();
    let (own, away) = (
        other.project.env.home("shop/.claude"),
        other.project.env.path("away"),
    );
    fs_err::rename(&own, &away).unwrap();
    std::os::unix::fs::symlink(&away, &own).unwrap();
    other.forget(&["--memories"]).succeeded();
    let file = format!("data/session-search/memories/active/{}.md", other.id);
    assert!(away.join(file).exists());
}
