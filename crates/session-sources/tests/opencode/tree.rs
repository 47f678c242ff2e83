//! The tree of JSON files. What turns are made of it, `turns` and `tools` test
//! for both forms.

use crate::fixture::{
    Conversation, Home, age, assistant, insert, read, read_from, render, session, show, text, user,
};
use fs_err as fs;
use insta::assert_snapshot;
use session_sources::{CollectingSink, Retry};

fn greeting(id: &str) -> Conversation {
    session(
        id,
        vec![user(vec![text("Hello.")]), assistant(vec![text("Hi.")])],
    )
}

fn ids(found: &CollectingSink) -> Vec<&str> {
    found.sessions.iter().map(|s| s.id.as_str()).collect()
}

#[test]
fn ids_come_from_the_path() {
    let home = Home::new();
    home.write_tree(&greeting("ses_a"));
    let found = read(&home.tree());
    assert_eq!(ids(&found), ["ses_a"], "the file says otherwise");
    let turn = &found.turns[0].turn;
    assert_eq!(
        (turn.origin.as_deref(), turn.leaf.as_deref()),
        (Some("msg_a_00"), Some("msg_a_01"))
    );
    assert_eq!((turn.started_ms, turn.ended_ms), (Some(1000), Some(2500)));
    let meta = &found.sessions[0];
    assert_eq!(meta.title.as_deref(), Some("A port in use"));
    assert_eq!(meta.cwd.as_deref(), Some("/home/ann/app"));
}

#[test]
fn worktrees_are_known_by_the_project_file() {
    let home = Home::new();
    home.write_tree(&greeting("ses_a"));
    fs::create_dir(home.tree().join("project")).unwrap();
    let project = r#"{"id":"prj","worktree":"/home/ann/main","sandboxes":["/home/ann/app"]}"#;
    fs::write(home.tree().join("project/prj.json"), project).unwrap();
    assert_eq!(
        read(&home.tree()).sessions[0].project.as_deref(),
        Some("/home/ann/main")
    );
}

#[test]
fn bad_files_cost_only_themselves() {
    let home = Home::new();
    home.write_tree(&greeting("ses_a"));
    let bad = [
        ("session/prj/ses_b.json", ""),
        ("message/ses_a/msg_a_02.json", "{\"role\":\"us"),
        ("part/msg_a_01/prt_98.json", "\u{0}"),
        ("part/msg_a_01/notes.txt", "not a part"),
        ("message/ses_none/msg_x.json", "{"),
    ];
    for (path, content) in bad {
        let path = home.tree().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let latin = b"{\"type\":\"text\",\"text\":\"Gr\xfc\xdfe.\"}";
    fs::write(home.tree().join("part/msg_a_01/prt_99.json"), latin).unwrap();
    let found = read(&home.tree());
    let turns: Vec<_> = found
        .turns
        .iter()
        .map(|collected| collected.turn.clone())
        .collect();
    assert_snapshot!(render(&turns), @"
    0 typed: Hello.
      text: Hi.
      text: Gr��e.
    ");
    let told: Vec<_> = found
        .warnings
        .iter()
        .map(|w| (w.reason.as_str(), w.count))
        .collect();
    assert_eq!(told, [("message or part is not valid JSON", 3)]);
}

#[test]
fn a_session_that_moved_to_a_database_is_left_out() {
    let home = Home::new();
    home.write_tree(&greeting("ses_a"));
    home.write_tree(&greeting("ses_b"));
    let cursor = read(&home.tree()).cursor;
    insert(&home.connect(), &greeting("ses_b"));
    assert_eq!(ids(&read(&home.tree())), ["ses_a"]);

    let mut found = CollectingSink::default();
    read_from(&home.tree(), cursor.as_ref(), &mut found);
    assert_eq!(ids(&found), [""; 0]);
    assert_eq!(found.gone, ["ses_b"]);
}

#[test]
fn only_what_changed_is_delivered() {
    let home = Home::new();
    for id in ["ses_a", "ses_b"] {
        home.write_tree(&greeting(id));
    }
    age(&home.tree());
    let found = read(&home.tree());
    let next = |home: &Home| {
        let mut next = CollectingSink::default();
        read_from(&home.tree(), found.cursor.as_ref(), &mut next);
        next
    };
    assert_eq!(ids(&next(&home)), [""; 0]);
    let part = home.tree().join("part/msg_b_01/prt_07.json");
    fs::write(part, text("More.").to_string()).unwrap();
    assert_eq!(ids(&next(&home)), ["ses_b"]);
    fs::remove_file(home.tree().join("session/prj/ses_a.json")).unwrap();
    assert_eq!(next(&home).gone, ["ses_a"]);
}

#[test]
fn a_tree_that_is_gone_is_told() {
    let home = Home::new();
    fs::create_dir(home.tree()).unwrap();
    let found = read(&home.tree());
    assert_eq!(found.warnings[0].reason, "cannot be read: entity not found");
    assert!(found.cursor.is_none());
    assert!(show(&home.tree(), &found).is_empty());
}

/// An error says nothing of what a file holds.
#[cfg(target_os = "linux")]
#[test]
fn a_session_that_cannot_be_read_now_stays() {
    for file in ["session/prj/ses_b.json", "part/msg_b_01/prt_00.json"] {
        let home = Home::new();
        for id in ["ses_a", "ses_b"] {
            home.write_tree(&greeting(id));
        }
        let whole = read(&home.tree());
        let path = home.tree().join(file);
        let text = fs::read(&path).unwrap();
        session_test::files::make_unreadable(&path);
        let found = read(&home.tree());
        assert_eq!(ids(&found), ["ses_a"], "{file}");
        assert_eq!(found.warnings[0].retry, Retry::NextRefresh);
        let mut after = CollectingSink::default();
        read_from(&home.tree(), whole.cursor.as_ref(), &mut after);
        assert_eq!((ids(&after), &*after.gone), (vec![], &[][..]), "{file}");
        fs::remove_file(&path).unwrap();
        fs::write(&path, text).unwrap();
        let mut healed = CollectingSink::default();
        read_from(&home.tree(), found.cursor.as_ref(), &mut healed);
        assert_eq!(ids(&healed), ["ses_b"], "{file}");
    }
}

/// The tree still has old copies of sessions that moved there.
#[test]
fn a_tree_beside_a_locked_database_is_read_again() {
    let home = Home::new();
    home.write_tree(&greeting("ses_a"));
    let db = home.connect();
    insert(&db, &greeting("ses_a"));
    db.pragma_update(None, "journal_mode", "DELETE").unwrap();
    db.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let found = read(&home.tree());
    assert_eq!(found.warnings[0].retry, Retry::NextRefresh);
    db.execute_batch("COMMIT").unwrap();
    let mut after = CollectingSink::default();
    read_from(&home.tree(), found.cursor.as_ref(), &mut after);
    assert_eq!(after.gone, ["ses_a"]);
}

/// Which sessions are in it is not known: none that has messages is gone.
#[cfg(unix)]
#[test]
fn a_project_folder_that_cannot_be_listed_costs_its_own_sessions() {
    let home = Home::new();
    for id in ["ses_a", "ses_b"] {
        home.write_tree(&greeting(id));
    }
    let sessions = home.tree().join("session");
    let other = sessions.join("other");
    fs::create_dir(&other).unwrap();
    let file = other.join("ses_b.json");
    fs::rename(sessions.join("prj/ses_b.json"), &file).unwrap();
    let whole = read(&home.tree());
    assert_eq!(ids(&whole).len(), 2);
    let away = home.tree().join("other");
    fs::rename(&other, &away).unwrap();
    session_test::files::make_unlistable(&other);

    let found = read(&home.tree());
    assert_eq!(ids(&found), ["ses_a"]);
    let [warning] = found.warnings.as_slice() else {
        panic!("{:?}", found.warnings)
    };
    let told = format!("`{}` cannot be listed: ", other.display());
    assert!(warning.reason.starts_with(&told), "{}", warning.reason);
    assert_eq!(warning.retry, Retry::NextRefresh);
    let mut after = CollectingSink::default();
    read_from(&home.tree(), whole.cursor.as_ref(), &mut after);
    assert_eq!((ids(&after), &*after.gone), (vec![], &[][..]));
    fs::remove_file(&other).unwrap();
    fs::rename(&away, &other).unwrap();
    let mut healed = CollectingSink::default();
    read_from(&home.tree(), found.cursor.as_ref(), &mut healed);
    assert_eq!(ids(&healed), ["ses_b"]);
}
