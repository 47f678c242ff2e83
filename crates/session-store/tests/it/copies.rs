//! Histories repeat each other: each text is found once, and never lost.

use crate::random::check_turn_keys;
use crate::support::{Index, deliver, found, meta, prompts, turn};
use session_core::{CallDialog, SessionMeta, ToolCall, Turn, TurnPart};
use session_store::{Reader, Writer};

const ASKED: &str = "Why does the watcher leak file handles?";

fn asked(origin: &str, time: i64, answers: &[&str]) -> Turn {
    Turn {
        origin: Some(origin.into()),
        started_ms: Some(time),
        ..turn(0, ASKED, answers)
    }
}

fn titled(id: &str, title: &str) -> SessionMeta {
    SessionMeta {
        title: Some(title.into()),
        ..meta(id)
    }
}

/// The sessions in which a word is found, by their ids.
fn sessions_with(index: &Reader, word: &str) -> Vec<String> {
    let sessions = index.sessions().unwrap();
    let id = |turn| {
        let session = index.turn_columns().unwrap().session_of(turn);
        let row = sessions.iter().find(|s| Some(s.id) == session).unwrap();
        row.uid.clone()
    };
    found(index, word).into_iter().map(id).collect()
}

fn two(first: Turn, second: Turn) -> (Index, Writer) {
    let index = Index::new();
    let mut writer = index.writer();
    deliver(&mut writer, &meta("a"), &[first]);
    deliver(&mut writer, &meta("b"), &[second]);
    (index, writer)
}

/// A turn with a call in which the user said more than the prompt.
fn replied(reply: &str) -> Turn {
    let call = ToolCall {
        name: "AskUserQuestion".into(),
        dialog: CallDialog::new(None, Some(reply.into())),
        ..ToolCall::default()
    };
    let mut turn = asked("m1", 7, &[]);
    turn.parts.push(TurnPart::Call(call));
    turn
}

#[test]
fn a_copy_may_lack_a_reply() {
    for (copy, found) in [
        (asked("m1", 7, &[]), &["a"][..]),
        (replied("Use the pool"), &["a"]),
        (replied("Close them"), &["a", "b"]),
    ] {
        let (_index, mut writer) = two(replied("Use the pool"), copy);
        assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), found);
        assert_eq!(sessions_with(writer.reader().unwrap(), "pool"), ["a"]);
    }
}

/// Two branches began with the same prompt.
#[test]
fn the_owner_of_a_copy_has_its_origin_where_one_has() {
    let index = Index::new();
    let mut writer = index.writer();
    deliver(&mut writer, &meta("a"), &[asked("m1", 7, &["It waits."])]);
    deliver(&mut writer, &meta("b"), &[asked("m2", 7, &["It leaks."])]);
    let copying = deliver(&mut writer, &meta("c"), &[asked("m2", 7, &[])]);
    let reader = writer.reader().unwrap();
    let copy = reader.turns(copying).unwrap().remove(0);
    let owner = reader.turn(copy.owner.unwrap()).unwrap().unwrap();
    let sessions = reader.sessions().unwrap();
    let session = sessions.iter().find(|row| row.id == owner.session);
    assert_eq!(session.unwrap().uid, "b");
}

/// No check of SQLite tells of them.
#[test]
fn damaged_keys_are_made_anew_before_all_is_read_again() {
    let (index, mut writer) = two(asked("m1", 7, &["It waits."]), asked("m2", 8, &[]));
    writer.commit().unwrap();
    drop(writer);
    let db = rusqlite::Connection::open(index.root().join("index.db")).unwrap();
    let damage = "UPDATE turn_keys SET keys = x'00' || substr(keys, 2)";
    assert!(db.execute(damage, []).unwrap() > 0);
    let mut writer = index.writer();
    writer.reset_cursors().unwrap();
    check_turn_keys(writer.reader().unwrap());
}

#[test]
fn a_copy_shares_the_origin_or_the_time_and_prompt() {
    let first = || asked("m1", 7, &["It never closes them."]);
    let said = ["It never closes them."];
    for (second, copies) in [
        (asked("m1", 8, &said), true),
        (asked("m2", 7, &said), true),
        (asked("m2", 8, &said), false),
        // Made in the middle of the turn.
        (asked("m1", 7, &[]), true),
        (asked("m1", 7, &["Something else."]), false),
    ] {
        let (_index, mut writer) = two(first(), second.clone());
        let expected: &[&str] = if copies { &["a"] } else { &["a", "b"] };
        assert_eq!(
            sessions_with(writer.reader().unwrap(), "watcher"),
            expected,
            "{second:?}"
        );
        let sessions = writer.reader().unwrap().sessions().unwrap();
        let row = &writer.reader().unwrap().turns(sessions[1].id).unwrap()[0];
        assert_eq!(row.owner.is_some(), copies, "{second:?}");
        assert_eq!(
            writer.reader().unwrap().content(row.id).unwrap().prompt,
            ASKED
        );
    }
}

#[test]
fn a_longer_copy_takes_over() {
    let said = ["It never closes them."];
    let (_index, mut writer) = two(asked("m1", 7, &[]), asked("m1", 7, &said));
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["b"]);
    deliver(&mut writer, &meta("c"), &[asked("m1", 7, &[])]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["b"]);
    // The first one goes on.
    let longer = ["It never closes them.", "Now it does."];
    deliver(&mut writer, &meta("a"), &[asked("m1", 7, &longer)]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["a"]);
    deliver(&mut writer, &meta("a"), &[]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["b"]);
}

#[test]
fn what_a_fork_copied_belongs_to_the_original() {
    let named = SessionMeta {
        forked_from: Some("a".into()),
        ..meta("b")
    };
    let unnamed = SessionMeta {
        is_unnamed_fork: true,
        ..meta("b")
    };
    for fork in [named, unnamed] {
        check_owners_beside_fork(&fork);
    }
}

fn check_owners_beside_fork(fork: &SessionMeta) {
    let said = ["It never closes them."];
    let index = Index::new();
    let mut writer = index.writer();
    deliver(&mut writer, fork, &[asked("m1", 7, &said)]);
    deliver(&mut writer, &meta("a"), &[asked("m1", 7, &said)]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["a"]);
    deliver(&mut writer, fork, &[asked("m1", 7, &said)]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["a"]);
    // The fork's own words are its own.
    let longer = ["It never closes them.", "Now it does."];
    deliver(&mut writer, fork, &[asked("m1", 7, &longer)]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["b"]);
}

/// The lines of a fork are copied with the folder at hand, and an earlier version kept fewer files.
#[test]
fn a_copy_may_have_its_files_elsewhere_or_fewer() {
    let edited = |files: &[&str]| {
        let call = ToolCall {
            name: "Bash".into(),
            command: Some("sed -i s/a/b/ pool.rs".into()),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            ..ToolCall::default()
        };
        let mut turn = asked("m1", 7, &[]);
        turn.parts.push(TurnPart::Call(call));
        turn
    };
    for (files, sessions) in [
        (&["/w/app/web/pool.rs"][..], &["a"][..]),
        (&[], &["a"]),
        (&["/w/app/pool.rs", "/w/app/log.txt"], &["b"]),
        (&["/w/app/other.rs"], &["a", "b"]),
    ] {
        let (_index, mut writer) = two(edited(&["/w/app/pool.rs"]), edited(files));
        assert_eq!(
            sessions_with(writer.reader().unwrap(), "watcher"),
            sessions,
            "{files:?}"
        );
    }
}

#[test]
fn a_copy_is_indexed_when_its_owner_is_deleted() {
    let said = ["It never closes them."];
    let (_index, mut writer) = two(asked("m1", 7, &said), asked("m1", 7, &said));
    deliver(&mut writer, &meta("a"), &[]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["b"]);
}

#[test]
fn a_copy_is_indexed_when_its_owner_changes() {
    let said = ["It never closes them."];
    let (_index, mut writer) = two(asked("m1", 7, &said), asked("m1", 7, &said));
    deliver(&mut writer, &meta("a"), &[asked("m1", 7, &["A thread."])]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "closes"), ["b"]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "thread"), ["a"]);
}

#[test]
fn one_of_two_copies_becomes_the_owner() {
    let said = ["It never closes them."];
    let (_index, mut writer) = two(asked("m1", 7, &said), asked("m1", 7, &said));
    deliver(&mut writer, &meta("c"), &[asked("m1", 7, &said)]);
    deliver(&mut writer, &meta("a"), &[]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["b"]);
    deliver(&mut writer, &meta("b"), &[]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["c"]);
}

#[test]
fn the_same_prompt_at_another_time_is_no_copy() {
    let said = ["It never closes them."];
    let (_index, mut writer) = two(asked("m1", 7, &said), asked("m1", 7, &said));
    deliver(&mut writer, &meta("b"), &[asked("m2", 900, &said)]);
    assert_eq!(
        sessions_with(writer.reader().unwrap(), "watcher"),
        ["a", "b"]
    );
    deliver(&mut writer, &meta("b"), &[asked("m1", 7, &said)]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["a"]);
}

#[test]
fn a_title_is_indexed_with_the_first_turn_that_is_no_copy() {
    let index = Index::new();
    let mut writer = index.writer();
    let next = || turn(1, "Now write a regression test for it.", &[]);
    let own = turn(0, "Something of its own came before.", &[]);
    deliver(&mut writer, &meta("a"), &[asked("m1", 7, &[])]);
    deliver(&mut writer, &titled("b", "Plumbing"), &[own, next()]);
    let of_title = |writer: &mut Writer| prompts(writer.reader().unwrap(), "plumbing");
    assert_eq!(of_title(&mut writer), ["Something of its own came before."]);
    // Now the first turn is one of the other session's.
    deliver(
        &mut writer,
        &titled("b", "Plumbing"),
        &[asked("m1", 7, &[]), next()],
    );
    assert_eq!(
        of_title(&mut writer),
        ["Now write a regression test for it."]
    );
    deliver(&mut writer, &meta("a"), &[]);
    assert_eq!(of_title(&mut writer), [ASKED]);
}
