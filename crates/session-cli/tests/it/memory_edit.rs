//! Memories in an editor.

#[cfg(unix)]
use crate::hostile::tree;
use crate::memory::MemoryProject;
use serde_json::{Value, json};
#[cfg(unix)]
use std::path::PathBuf;

#[test]
fn an_editor_changes_a_memory_or_nothing() {
    let project = MemoryProject::new();
    let id = project.save("Lantern", "in the harbour", &[]);
    let edit = |editor: &str| {
        let mut command = project.command();
        command.env("EDITOR", editor).args(["memory", "edit", &id]);
        project.env.ran(command.output().unwrap())
    };
    edit("sed -i s/harbour/tower/").succeeded();
    assert_eq!(project.found(&["tower"]), ["Lantern"]);
    let ran = edit("sed -i 's/^topic:.*/topic: [/'").exits(2);
    assert!(
        ran.stderr().contains("what you wrote is kept in") && ran.stderr().contains("line "),
        "{ran}"
    );
    assert_eq!(project.found(&["tower"]), ["Lantern"]);
    edit("false").exits(2);
}

#[test]
fn an_edited_text_that_is_refused_is_kept() {
    let project = MemoryProject::new();
    let id = project.save("Kept", "for good", &[]);
    let mut command = project.command();
    command
        .env("EDITOR", "printf 'no memory' >")
        .args(["memory", "edit", &id]);
    let ran = project.env.ran(command.output().unwrap()).exits(2);
    let kept = fs_err::read_dir(project.env.path("index/memories/edits")).unwrap();
    let kept = kept.map(|entry| entry.unwrap().path());
    let kept: Vec<_> = kept
        .filter(|p| p.to_string_lossy().ends_with(".rejected.md"))
        .collect();
    assert_eq!(kept.len(), 1, "{ran}");
    assert_eq!(fs_err::read_to_string(&kept[0]).unwrap(), "no memory");
}

#[test]
fn an_edited_text_that_is_too_long_is_kept() {
    let project = MemoryProject::new();
    let id = project.save("Kept", "for good", &[]);
    let mut command = project.command();
    command
        .env("EDITOR", "yes 'a line of notes' | head -c 300000 >>")
        .args(["memory", "edit", &id]);
    let ran = project.env.ran(command.output().unwrap()).exits(2);
    let stderr = ran.stderr();
    let said = stderr.split("is kept in ").nth(1).unwrap();
    let kept = said.split(':').next().unwrap().trim();
    assert!(fs_err::metadata(kept).unwrap().len() > 300_000, "{ran}");
}

/// Who follows the hint to edit it would else believe that it is injected again.
#[test]
fn an_edit_of_a_memory_that_waits_for_trust_says_so() {
    let project = MemoryProject::new();
    let id = project.save("Lantern", "in the harbour", &[]);
    let text = fs_err::read_to_string(project.file(&id)).unwrap();
    fs_err::write(project.file(&id), text.replace("harbour", "tower")).unwrap();
    let note = format!("note: {id} was changed outside of session-search");
    let ran = project.run(&["memory", "edit", &id, "--kind", "decision"]);
    assert!(ran.stderr().contains(&note), "{}", ran.succeeded());
    let mut command = project.command();
    command.env("EDITOR", "true").args(["memory", "edit", &id]);
    let ran = project.env.ran(command.output().unwrap()).succeeded();
    assert!(ran.stderr().contains(&note), "{ran}");
}

#[test]
fn a_replacement_takes_over_triggers_and_cues() {
    let project = MemoryProject::new();
    let fields = ["--when-command", "light *", "--cue", "it is dark"];
    let old = project.save("Lantern", "in the harbour", &fields);
    let new = project.save("Lantern of brass", "in the hall", &[]);
    let ran = project
        .run(&["memory", "supersede", &old, "--by", &new, "--json"])
        .succeeded();
    let note = format!("note: {new} takes over the trigger `light *` and 1 cue\n");
    assert!(ran.stderr().contains(&note), "{ran}");
    let json: Value = serde_json::from_str(&ran.stdout()).unwrap();
    let inherited = json!({"when": {"commands": ["light *"]}, "cues": ["it is dark"]});
    assert_eq!(json["inherited"], inherited);
    let shown = project.json(&["memory", "show", &new]);
    assert_eq!(shown["when"], inherited["when"]);
    assert_eq!(shown["cues"], inherited["cues"]);
}

#[test]
fn a_secret_that_an_edit_replaces_is_told() {
    const NOTE: &str = "note: a secret is replaced by a mark: github-token";
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let project = MemoryProject::new();
    let id = project.save("Lantern", "in the harbour", &[]);
    let ran = project.run(&["memory", "edit", &id, "--cue", token]);
    assert!(ran.succeeded().stderr().contains(NOTE));
    let mut command = project.command();
    command
        .env("EDITOR", format!("sed -i s/harbour/{token}/"))
        .args(["memory", "edit", &id]);
    let ran = project.env.ran(command.output().unwrap());
    assert!(ran.succeeded().stderr().contains(NOTE));
    let ran = project.run(&["memory", "edit", &id, "--topic", "Lamp"]);
    assert!(!ran.succeeded().stderr().contains("secret"));
}

#[cfg(unix)]
#[test]
fn no_byte_of_a_memory_that_is_purged_stays() {
    const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let project = MemoryProject::new();
    let id = project.save("Zorbly", "in the harbour", &["--importance", "high"]);
    project.save("Lamp", "on the pier", &["--importance", "high"]);
    project.run(&["memory", "sync-context"]).succeeded();
    let edit = |editor: &str| {
        let mut command = project.command();
        command.env("EDITOR", editor).args(["memory", "edit", &id]);
        project.env.ran(command.output().unwrap())
    };
    edit(&format!("printf 'zorbly {TOKEN}' >")).exits(2);
    edit("f() { cp \"$1\" \"$(dirname \"$1\")/.x.swp\"; kill -9 $PPID; }; f").exits(-1);
    let left = || files_with(&project, "zorbly");
    assert!(left().len() >= 3, "{:?}", left());
    assert_eq!(files_with(&project, TOKEN), Vec::<PathBuf>::new());
    let backup = "f() { cp \"$1\" \"$1~\"; }; f";
    let held = left().len();
    edit(backup).succeeded();
    assert_eq!(left().len(), held, "the editor's copy is gone");
    project
        .run(&["memory", "delete", &id, "--purge"])
        .succeeded();
    assert_eq!(left(), Vec::<PathBuf>::new());
    assert_ne!(files_with(&project, "on the pier"), Vec::<PathBuf>::new());
}

#[cfg(unix)]
#[test]
fn an_edit_of_a_memory_that_is_removed_meanwhile_fails() {
    let project = MemoryProject::new();
    let id = project.save("Zorbly", "in the harbour", &[]);
    let editor = format!("f() {{ find \"$HOME\" -name '{id}*' -delete; rm -f \"$1\"; }}; f");
    let mut command = project.command();
    command.env("EDITOR", editor).args(["memory", "edit", &id]);
    let ran = project.env.ran(command.output().unwrap()).exits(2);
    assert!(ran.stderr().contains(&format!("`{id}`")), "{ran}");
    assert!(!ran.stdout().contains("unchanged"), "{ran}");
}

/// Returns the files of the home and the index that hold a text, whatever its case.
#[cfg(unix)]
fn files_with(project: &MemoryProject, text: &str) -> Vec<PathBuf> {
    let holds = |bytes: &[u8]| {
        let held = String::from_utf8_lossy(bytes).to_lowercase();
        held.contains(&text.to_lowercase())
    };
    let files = tree(project.env.root()).into_iter();
    let files = files.filter(|(_, content)| holds(content));
    files.map(|(path, _)| path).collect()
}
