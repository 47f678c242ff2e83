//! Memories in an editor.

use crate::memory::MemoryProject;

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
    let kept = fs_err::read_dir(project.env.path("index")).unwrap();
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
