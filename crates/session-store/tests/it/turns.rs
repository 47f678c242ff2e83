//! Sessions and turns, read again as they were written.

use crate::support::{Index, SOURCE, bash, deliver, failed, found, meta, prompts, turn};
use rusqlite::Connection;
use session_core::{
    ErrorSignature, FileStamp, KnownTurns, PromptKind, SessionMeta, Turn, TurnContent, TurnSpan,
};
use session_store::{SessionId, TurnId, Writer};

fn written(turns: &[Turn]) -> (Index, Writer, SessionId) {
    let index = Index::new();
    let mut writer = index.writer();
    let session = deliver(&mut writer, &meta("a"), turns);
    (index, writer, session)
}

fn ids(writer: &mut Writer, session: SessionId) -> Vec<TurnId> {
    let turns = writer.reader().unwrap().turns(session).unwrap();
    turns.iter().map(|t| t.id).collect()
}

fn title(writer: &mut Writer) -> Option<String> {
    writer.reader().unwrap().sessions().unwrap()[0]
        .title
        .clone()
}

#[test]
fn a_forgotten_turn_keeps_its_start_alone() {
    let timed = |index, ended_ms| Turn {
        ended_ms: Some(ended_ms),
        ..turn(index, "Where is the port configured?", &[])
    };
    let blank = Turn {
        started_ms: Some(1000),
        ..Turn {
            index: 1,
            ..Turn::default()
        }
    };
    let forgotten = |writer: &mut Writer, session| {
        let turns = ids(writer, session);
        let keys = writer.reader().unwrap().dedup_keys(turns[1]).unwrap();
        let row = writer.reader().unwrap().sessions().unwrap().remove(0);
        let turn = writer.reader().unwrap().turn(turns[1]).unwrap().unwrap();
        (keys, turn.ended_ms, row.started_ms, row.ended_ms, row.turns)
    };
    let (_index, mut writer, session) = written(&[timed(0, 500), timed(1, 9000)]);
    let second = ids(&mut writer, session)[1];
    writer.exclude_turn(second).unwrap();
    let now = forgotten(&mut writer, session);
    assert_eq!(now.3, Some(500));
    // As the next full read finds it.
    let (_index, mut writer, session) = written(&[timed(0, 500), blank]);
    assert_eq!(forgotten(&mut writer, session), now);
}

/// Numbers of the turns in the word index, and the block from which FTS5 has their mean length.
fn documents(index: &Index, mut writer: Writer) -> (Vec<i64>, Vec<u8>) {
    writer.commit().unwrap();
    index.reader().verify_thoroughly().unwrap();
    let db = Connection::open(index.root().join("index.db")).unwrap();
    let mut find = db
        .prepare("SELECT id FROM words_docsize ORDER BY id")
        .unwrap();
    let turns = find.query_map([], |row| row.get(0)).unwrap();
    let lengths = "SELECT block FROM words_data WHERE id = 1";
    let lengths = db.query_row(lengths, [], |row| row.get(0)).unwrap();
    (turns.map(Result::unwrap).collect(), lengths)
}

#[test]
fn a_turn_without_words_is_no_document() {
    let asked = |index| turn(index, "Where is the port configured?", &[]);
    let blank = |index| Turn {
        index,
        ..Turn::default()
    };
    let (index, mut writer, session) = written(&[asked(0), asked(1), asked(2)]);
    for forgotten in &ids(&mut writer, session)[1..] {
        writer.exclude_turn(*forgotten).unwrap();
    }
    let forgotten = documents(&index, writer);
    assert_eq!(forgotten.0, [1]);
    // As the next full read finds them.
    let (index, writer, _) = written(&[asked(0), blank(1), blank(2)]);
    assert_eq!(documents(&index, writer), forgotten);
}

/// The agent still works in the turn: a result of a call, or the rest of the answer, comes later.
#[test]
fn what_a_forgotten_turn_goes_on_with_is_forgotten() {
    let (_index, mut writer, session) = written(&[turn(0, "Where is the lamp?", &["here"])]);
    let id = ids(&mut writer, session)[0];
    writer.exclude_turn(id).unwrap();
    let later = Turn {
        continues: true,
        ended_ms: Some(9000),
        span: TurnSpan { start: 0, end: 900 },
        ..turn(0, "", &["in the harbour"])
    };
    writer.add_turn(session, &later).unwrap();
    let reader = writer.reader().unwrap();
    assert!(reader.turn(id).unwrap().unwrap().is_excluded());
    assert_eq!(reader.content(id).unwrap(), TurnContent::default());
    assert!(prompts(reader, "harbour").is_empty());
    assert_eq!(reader.sessions().unwrap()[0].ended_ms, None);
}

#[test]
fn nothing_is_seen_before_the_commit() {
    let (index, mut writer, _) = written(&[turn(0, "Where is the port configured?", &[])]);
    let reader = index.reader();
    assert_eq!(
        (reader.sessions().unwrap().len(), reader.is_empty().unwrap()),
        (0, true)
    );
    writer.commit().unwrap();
    assert_eq!(
        (reader.sessions().unwrap().len(), reader.is_empty().unwrap()),
        (1, false)
    );
}

#[test]
fn a_snapshot_is_one_state() {
    let (index, mut writer, session) = written(&[turn(0, "Where is the port configured?", &[])]);
    writer.commit().unwrap();
    let reader = index.reader();
    reader.begin_snapshot().unwrap();
    assert_eq!(found(&reader, "port").len(), 1);
    deliver(
        &mut writer,
        &meta("a"),
        &[turn(0, "Where is the socket made?", &[])],
    );
    writer.commit().unwrap();
    assert_eq!(found(&reader, "port").len(), 1);
    assert_eq!(reader.turns(session).unwrap().len(), 1);
    assert_eq!(found(&index.reader(), "port"), []);
}

#[test]
fn equal_turns_keep_their_numbers() {
    let turns: Vec<Turn> = (0..4)
        .map(|n| turn(n, &format!("Question number{n} of them all."), &[]))
        .collect();
    let (_index, mut writer, session) = written(&turns);
    writer.commit().unwrap();
    let before = ids(&mut writer, session);
    writer.reset_cursors().unwrap();
    assert!(!writer.reader().unwrap().is_empty().unwrap());
    assert_eq!(
        found(writer.reader().unwrap(), "number2"),
        [before[2]],
        "it stays until it is read again"
    );
    assert_eq!(deliver(&mut writer, &meta("a"), &turns), session);
    assert_eq!(ids(&mut writer, session), before);
    deliver(&mut writer, &meta("a"), &turns[..2]);
    assert_eq!(ids(&mut writer, session), before[..2]);
    assert_eq!(found(writer.reader().unwrap(), "number2"), []);
    assert_eq!(writer.reader().unwrap().sessions().unwrap()[0].turns, 2);
}

#[test]
fn the_next_session_of_a_file_ends_the_one_before() {
    let (_index, mut writer, first) = written(&[
        turn(0, "Where is the port configured?", &[]),
        turn(1, "And which socket is it?", &[]),
    ]);
    let file = writer.upsert_file(SOURCE, "/h/a.jsonl").unwrap();
    writer
        .open_session(file, SOURCE, &meta("a"), KnownTurns::Replace)
        .unwrap();
    writer
        .add_turn(first, &turn(0, "Where is the port configured?", &[]))
        .unwrap();
    writer
        .open_session(file, SOURCE, &meta("b"), KnownTurns::Replace)
        .unwrap();
    writer.checkpoint(file, "", FileStamp::default()).unwrap();
    assert_eq!(writer.reader().unwrap().turns(first).unwrap().len(), 1);
    assert_eq!(found(writer.reader().unwrap(), "socket"), []);
}

#[test]
fn a_session_is_named_by_its_title_else_by_its_first_prompt_that_says_something() {
    let command = |index, prompt| Turn {
        kind: PromptKind::Command,
        ..turn(index, prompt, &[])
    };
    let (_index, mut writer, _) = written(&[command(0, "/clear"), turn(1, "ok", &[])]);
    assert_eq!(title(&mut writer), None);
    let turns = [
        command(0, "/clear"),
        turn(1, "Rename\n  the lexer module", &[]),
    ];
    deliver(&mut writer, &meta("a"), &turns);
    assert_eq!(
        title(&mut writer).as_deref(),
        Some("Rename the lexer module")
    );
    let own = SessionMeta {
        title: Some("Lexer".into()),
        ..meta("a")
    };
    deliver(&mut writer, &own, &turns);
    assert_eq!(title(&mut writer).as_deref(), Some("Lexer"));
}

#[test]
fn a_plan_names_its_session_by_its_heading() {
    let named = |prompt: &str| {
        let (_index, mut writer, _) = written(&[turn(0, prompt, &[])]);
        title(&mut writer).unwrap()
    };
    let plan = "Implement the following plan:\n\n# Plan: Move the lamp\n\n## Context\nIt is dark.";
    assert_eq!(named(plan), "Move the lamp");
    let plan = "Implement the following plan: Move the lamp\nto the gate";
    assert_eq!(named(plan), "Move the lamp");
    for bare in [
        "Implement the following plan:",
        "Implement the following plan: #",
    ] {
        assert_eq!(named(bare), bare);
    }
}

#[test]
fn a_long_prompt_names_its_session_up_to_a_word_with_a_mark() {
    let named = |prompt: &str| {
        let (_index, mut writer, _) = written(&[turn(0, prompt, &[])]);
        title(&mut writer).unwrap()
    };
    let lantern = "Hang the lantern ".repeat(7);
    assert_eq!(named(&lantern), lantern.trim());
    let cut = named(&format!("{lantern}at the harbour gate"));
    assert_eq!(
        cut,
        format!("{}…", lantern.trim_end_matches("lantern ").trim())
    );
    let cut = named(&"灯".repeat(50));
    assert_eq!(cut, format!("{}…", "灯".repeat(39)));
    let cut = named(&format!("Hang the lantern{}at the gate", " ".repeat(500)));
    assert_eq!(cut, "Hang the lantern…");
}

#[test]
fn a_title_from_another_file_finds_its_session_whichever_comes_first() {
    let with_leaf = || Turn {
        leaf: Some("m9".into()),
        ..turn(0, "Where is the port configured?", &[])
    };
    let (_index, mut writer, _) = written(&[with_leaf()]);
    writer.store_external_title("m9", "Harbour works").unwrap();
    writer.apply_external_titles().unwrap();
    assert_eq!(title(&mut writer).as_deref(), Some("Harbour works"));
    assert_eq!(found(writer.reader().unwrap(), "harbour").len(), 1);

    let index = Index::new();
    let mut writer = index.writer();
    writer.store_external_title("m9", "Harbour works").unwrap();
    writer.commit().unwrap();
    deliver(&mut writer, &meta("a"), &[with_leaf()]);
    writer.apply_external_titles().unwrap();
    assert_eq!(
        prompts(writer.reader().unwrap(), "harbour"),
        ["Where is the port configured?"]
    );
    let own = SessionMeta {
        title: Some("Lexer".into()),
        ..meta("a")
    };
    deliver(&mut writer, &own, &[with_leaf()]);
    writer.apply_external_titles().unwrap();
    assert_eq!(title(&mut writer).as_deref(), Some("Lexer"));
    assert_eq!(found(writer.reader().unwrap(), "harbour"), []);
}

#[test]
fn each_field_of_a_turn_is_searched() {
    let parts = vec![bash("cargo nextest run", "error[E0502]: cannot borrow")];
    let (_index, mut writer, _) = written(&[Turn {
        parts,
        ..turn(0, "Please run everything again.", &[])
    }]);
    for word in ["everything", "nextest", "E0502"] {
        assert_eq!(found(writer.reader().unwrap(), word).len(), 1, "{word}");
    }
}

#[test]
fn turns_are_found_by_the_signature_of_a_failure() {
    let index = Index::new();
    let mut writer = index.writer();
    let asked = |n, part| Turn {
        parts: vec![part],
        ..turn(n, "Build the lamp", &[])
    };
    let error = "error: cannot borrow `oil` at line";
    let turns = [
        asked(0, failed("make", &format!("{error} 12"))),
        asked(1, bash("cat log", &format!("{error} 12"))),
        asked(2, failed("make", "error: no wick")),
    ];
    let session = deliver(&mut writer, &meta("a"), &turns);
    deliver(
        &mut writer,
        &meta("b"),
        &[asked(0, failed("make lamp", &format!("{error} 340")))],
    );
    writer.commit().unwrap();
    let found = |index: &Index| {
        let signature = ErrorSignature::new(&format!("{error} 7")).unwrap();
        let turns = index.reader().turns_with_error(signature).unwrap();
        turns.iter().map(|found| found.session).collect::<Vec<_>>()
    };
    assert_eq!(found(&index).len(), 2);
    assert_eq!(found(&index)[0], session);
    writer.delete_session(session).unwrap();
    writer.commit().unwrap();
    assert_eq!(found(&index).len(), 1);
}

/// Its history still tells it when it is read again.
#[test]
fn a_session_has_no_branch_of_forgotten_turns() {
    let index = Index::new();
    let mut writer = index.writer();
    let on = |n, branch: &str| Turn {
        branch: Some(branch.into()),
        ..turn(n, &format!("Question number{n}."), &[])
    };
    let turns = [on(0, "main"), on(1, "main"), on(2, "lantern")];
    let told = SessionMeta {
        branch: Some("lantern".into()),
        ..meta("a")
    };
    let session = deliver(&mut writer, &told, &turns);
    let branch = |writer: &mut Writer| {
        let all = writer.reader().unwrap().sessions().unwrap();
        all[0].branch.clone()
    };
    let ids: Vec<_> = writer.reader().unwrap().turns(session).unwrap();
    writer.exclude_turn(ids[1].id).unwrap();
    assert_eq!(branch(&mut writer).as_deref(), Some("lantern"));
    writer.exclude_turn(ids[2].id).unwrap();
    assert_eq!(branch(&mut writer).as_deref(), Some("main"));
    let file = writer.reader().unwrap().sessions().unwrap()[0].file;
    writer
        .open_session(file, SOURCE, &told, KnownTurns::Keep)
        .unwrap();
    writer.clear_excluded_branches(file).unwrap();
    assert_eq!(branch(&mut writer).as_deref(), Some("main"));
    writer.exclude_turn(ids[0].id).unwrap();
    assert_eq!(branch(&mut writer), None);
}

/// The number of a bucket is a part of a hash.
#[test]
fn forgotten_turns_leave_no_buckets_of_keys() {
    let index = Index::new();
    let mut writer = index.writer();
    let asked = Turn {
        origin: Some("o1".into()),
        leaf: Some("l1".into()),
        ..turn(0, "Where is the port configured?", &[])
    };
    let session = deliver(&mut writer, &meta("a"), &[asked]);
    writer.commit().unwrap();
    let buckets = || {
        let db = rusqlite::Connection::open(index.root().join("index.db")).unwrap();
        let count = "SELECT count(*) FROM turn_keys";
        db.query_row(count, [], |row| row.get::<_, u32>(0)).unwrap()
    };
    assert!(buckets() > 0);
    let turns = writer.reader().unwrap().turns(session).unwrap();
    writer.exclude_turn(turns[0].id).unwrap();
    writer.commit().unwrap();
    assert_eq!(buckets(), 0);
}

#[test]
fn the_project_of_a_session_is_known_by_its_working_directory() {
    let index = Index::new();
    let mut writer = index.writer();
    let told = |cwd: &str| SessionMeta {
        cwd: Some(cwd.to_owned()),
        project: Some("/w/app".to_owned()),
        ..meta("a")
    };
    deliver(
        &mut writer,
        &told("/w/tree"),
        &[turn(0, "Where is it?", &[])],
    );
    let file = writer.reader().unwrap().sessions().unwrap()[0].file;
    let known = |meta: &SessionMeta| writer.known_project(file, SOURCE, meta).unwrap();
    assert_eq!(known(&told("/w/tree")).as_deref(), Some("/w/app"));
    assert_eq!(known(&told("/w/other")), None);
    assert_eq!(known(&meta("b")), None);
}
