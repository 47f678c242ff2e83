//! Projects of worktrees that an earlier version took from the name of a folder.

use crate::exclusions::refresh_excluding;
use crate::home::{Home, turns, word};
use crate::state::found;
use rusqlite::Connection;
use session_forget::ExcludeSettings;
use session_store::Writer;
use std::path::{Path, PathBuf};

/// Makes a repository with a worktree in a folder of worktrees in the home, and returns both.
fn repository_with_worktree(home: &Path) -> (PathBuf, PathBuf) {
    let repository = home.join("code/bank");
    let worktree = home.join(".worktrees/bank/fix");
    let kept = repository.join(".git/worktrees/fix");
    for folder in [&kept, &worktree] {
        fs_err::create_dir_all(folder).unwrap();
    }
    let back = worktree.join(".git").display().to_string();
    fs_err::write(kept.join("gitdir"), back).unwrap();
    fs_err::write(kept.join("commondir"), "../..").unwrap();
    let gitdir = format!("gitdir: {}", kept.display());
    fs_err::write(worktree.join(".git"), gitdir).unwrap();
    (repository, worktree)
}

/// Writes into the index the project that an earlier version gave to the sessions of the worktree.
fn write_earlier_project(home: &Home) {
    let project = home.env().home.display().to_string();
    let mut writer = Writer::open(&home.root()).unwrap();
    for session in writer.reader().unwrap().sessions().unwrap() {
        writer.set_project(session.id, Some(&project)).unwrap();
    }
    writer.commit().unwrap();
}

/// Removes the note that this version leaves.
fn delete_note(home: &Home) {
    let db = Connection::open(home.root().join("index.db")).unwrap();
    let delete = "DELETE FROM settings WHERE key = 'worktree_projects'";
    assert_eq!(db.execute(delete, []).unwrap(), 1);
}

fn projects(home: &Home) -> Vec<Option<String>> {
    let sessions = home.reader().sessions().unwrap().into_iter();
    sessions.map(|session| session.project).collect()
}

#[test]
fn a_project_that_was_taken_from_a_name_is_corrected_once() {
    let home = Home::new();
    let (repository, worktree) = repository_with_worktree(&home.env().home);
    let cwd = serde_json::to_string(&worktree).unwrap();
    let in_worktree = |text: String| text.replace("\"/home/ann/app\"", &cwd);
    home.write(0, in_worktree(turns(0, 0, 1)).as_bytes());
    home.refresh();
    let bank = repository.display().to_string();
    assert_eq!(projects(&home), [Some(bank.clone())]);
    write_earlier_project(&home);
    delete_note(&home);
    assert_eq!(home.refresh().files_read, 1, "the cursor has it, too");
    assert_eq!(projects(&home), [Some(bank.clone())]);
    assert_eq!(home.refresh().files_read, 0);
    // Rules that were applied to it leave it out now.
    write_earlier_project(&home);
    let rules = ExcludeSettings {
        projects: vec![bank.clone()],
        ..ExcludeSettings::default()
    };
    let outcome = refresh_excluding(&home, &rules).unwrap();
    assert_eq!(outcome.removed.sessions, 0);
    delete_note(&home);
    let outcome = refresh_excluding(&home, &rules).unwrap();
    assert_eq!(outcome.removed.sessions, 1);
    assert_eq!(outcome.removed_projects, [bank]);
    home.write(0, in_worktree(turns(0, 0, 2)).as_bytes());
    let outcome = refresh_excluding(&home, &rules).unwrap();
    assert_eq!((outcome.files_read, outcome.turns), (1, 0));
    assert!(found(&home.reader(), &word(0, 1)).is_empty());
}
