//! Histories repeat each other: each text is found once, and never lost.

use crate::random::check_turn_keys;
use crate::support::{Index, SOURCE, bash, deliver, failed, found, meta, prompts, turn};
use session_core::{
    CallDialog, CallStatus, DeliveredCall, FileStamp, KnownTurns, SessionMeta, ToolCall, Turn,
    TurnPart,
};
use session_store::{FileId, Reader, Writer};

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

/// A call for a reply of the user, or the result of one that was read before.
fn reply(reply: Option<&str>) -> TurnPart {
    TurnPart::Call(ToolCall {
        dialog: CallDialog::new(None, reply.map(str::to_owned)),
        ..ToolCall::default()
    })
}

/// The result of a command that was read before.
fn late_failure(run: u32, output: &str) -> TurnPart {
    TurnPart::Call(ToolCall {
        output: Some(output.into()),
        status: CallStatus::Failed,
        delivered: Some(Box::new(DeliveredCall {
            run: Some(run),
            ..DeliveredCall::default()
        })),
        ..ToolCall::default()
    })
}

fn asked_with(parts: Vec<TurnPart>) -> Turn {
    Turn {
        parts,
        ..asked("m1", 7, &[])
    }
}

/// Stores a turn of the session `a` as the file at a path has it, in several reads; the last ends the file.
fn deliver_in_reads(writer: &mut Writer, path: &str, reads: Vec<Vec<TurnPart>>) -> FileId {
    let file = writer.upsert_file(SOURCE, path).unwrap();
    for (number, parts) in reads.into_iter().enumerate() {
        let (known, continues) = match number {
            0 => (KnownTurns::Replace, false),
            _ => (KnownTurns::Keep, true),
        };
        let session = writer.open_session(file, SOURCE, &meta("a"), known);
        let turn = Turn {
            continues,
            ..asked_with(parts)
        };
        writer.add_turn(session.unwrap(), &turn).unwrap();
        writer
            .checkpoint(file, "end", FileStamp::default())
            .unwrap();
    }
    file
}

/// A result that is read apart from its call comes after those that are read with theirs.
#[test]
fn a_copy_that_was_read_at_once_is_one_and_takes_the_place_of_its_original() {
    let [check, build] = ["cargo test alpha", "npm run build"];
    let [check_fails, build_fails] = ["error: alpha broke", "error: the build broke"];
    let calls = || vec![bash(check, ""), bash(build, "")];
    let in_two_reads = [
        // The results came in another order than their calls.
        vec![
            calls(),
            vec![late_failure(1, build_fails), late_failure(0, check_fails)],
        ],
        // The second call and its result were read at once.
        vec![
            vec![bash(check, "")],
            vec![failed(build, build_fails), late_failure(0, check_fails)],
        ],
        vec![
            vec![reply(None), reply(Some("Close them")), bash(check, "")],
            vec![reply(Some("Use the pool"))],
        ],
    ];
    let at_once = [
        vec![failed(check, check_fails), failed(build, build_fails)],
        vec![failed(check, check_fails), failed(build, build_fails)],
        vec![
            reply(Some("Use the pool")),
            reply(Some("Close them")),
            bash(check, ""),
        ],
    ];
    for (original, copy) in in_two_reads.into_iter().zip(at_once) {
        let index = Index::new();
        let mut writer = index.writer();
        let old = deliver_in_reads(&mut writer, "/h/a.jsonl", original);
        deliver_in_reads(&mut writer, "/renamed/a.jsonl", vec![copy]);
        let reader = writer.reader().unwrap();
        assert_eq!(sessions_with(reader, "watcher"), ["a"]);
        writer.mark_file_gone(old).unwrap();
        let reader = writer.reader().unwrap();
        assert_eq!(reader.sessions().unwrap().len(), 1);
        assert_eq!(sessions_with(reader, "watcher"), ["a"]);
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

fn fork_of(original: &str, id: &str) -> SessionMeta {
    SessionMeta {
        forked_from: Some(original.into()),
        ..meta(id)
    }
}

#[test]
fn what_a_fork_of_a_fork_copied_belongs_to_the_first_fork() {
    let said = ["It never closes them."];
    let forks = [fork_of("gone", "a"), fork_of("a", "b"), fork_of("b", "c")];
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let index = Index::new();
        let mut writer = index.writer();
        for number in order {
            deliver(&mut writer, &forks[number], &[asked("m1", 7, &said)]);
        }
        let reader = writer.reader().unwrap();
        assert_eq!(sessions_with(reader, "watcher"), ["a"], "{order:?}");
    }
}

/// No history of an agent says so, a damaged one may.
#[test]
fn forks_of_each_other_have_one_owner() {
    let said = ["It never closes them."];
    let forks = [fork_of("c", "a"), fork_of("a", "b"), fork_of("b", "c")];
    let index = Index::new();
    let mut writer = index.writer();
    for fork in forks.iter().chain(&forks) {
        deliver(&mut writer, fork, &[asked("m1", 7, &said)]);
    }
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["a"]);
    deliver(&mut writer, &forks[0], &[]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["b"]);
}

/// When all is read again, each copy is the shorter one for a while.
#[test]
fn of_equal_turns_that_of_the_first_session_is_the_owner() {
    let said = ["It never closes them."];
    let (_index, mut writer) = two(asked("m1", 7, &[]), asked("m1", 7, &said));
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["b"]);
    deliver(&mut writer, &meta("a"), &[asked("m1", 7, &said)]);
    assert_eq!(sessions_with(writer.reader().unwrap(), "watcher"), ["a"]);
}

/// The lines of a fork are copied with the folder at hand.
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

/// The ranks of the sessions change while one writer writes.
#[test]
fn of_forks_that_are_read_before_their_originals_the_first_original_is_the_owner() {
    let index = Index::new();
    let mut writer = index.writer();
    let fork = |id: &str, original: Option<&str>| SessionMeta {
        forked_from: original.map(str::to_owned),
        ..meta(id)
    };
    let said = ["It never closes them."];
    let mut deliver_in = |id: &str, original: Option<&str>| {
        deliver(&mut writer, &fork(id, original), &[asked("m1", 7, &said)]);
        sessions_with(writer.reader().unwrap(), "closes")
    };
    assert_eq!(deliver_in("d", Some("c")), ["d"]);
    assert_eq!(deliver_in("c", Some("b")), ["c"]);
    assert_eq!(deliver_in("b", Some("a")), ["b"]);
    assert_eq!(deliver_in("a", None), ["a"]);
    // It is known as a fork only now.
    assert_eq!(deliver_in("a", Some("x")), ["a"]);
    assert_eq!(deliver_in("y", None), ["y"]);
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
