//! History files and their problems.

use crate::support::{Index, SOURCE, deliver, deliver_at, found, meta, turn};
use proptest::prelude::*;
use session_core::{FileStamp, KnownTurns, Query, SessionMeta, Turn};
use session_store::{FileDigest, FileId, HistoryProblem, Reader, Writer};

fn problem(path: &str, reason: &str, count: u64) -> HistoryProblem {
    HistoryProblem {
        path: path.into(),
        reason: reason.into(),
        offset: Some(7),
        count,
        is_unread_path: false,
    }
}

fn reasons(writer: &mut Writer) -> Vec<String> {
    let problems = writer.reader().unwrap().problems().unwrap().into_iter();
    problems
        .map(|p| format!("{} {}x {}", p.path, p.count, p.reason))
        .collect()
}

#[test]
fn a_file_is_known_by_its_path() {
    let index = Index::new();
    let mut writer = index.writer();
    let file = writer.upsert_file(SOURCE, "/h/a.jsonl").unwrap();
    assert_eq!(writer.upsert_file(SOURCE, "/h/a.jsonl").unwrap(), file);
    assert_ne!(writer.upsert_file(SOURCE, "/h/b.jsonl").unwrap(), file);
    let stamp = FileStamp {
        size: u64::MAX,
        mtime_ns: -1,
        inode: u64::MAX - 1,
    };
    writer.checkpoint(file, "here", stamp).unwrap();
    writer.commit().unwrap();
    let row = index.reader().file(file).unwrap().unwrap();
    assert_eq!(row.stamp, stamp);
    assert_eq!(
        index.reader().cursor(file).unwrap().as_deref(),
        Some("here")
    );
    assert_eq!(index.reader().cursor(FileId::new(99)).unwrap(), None);
    assert_eq!((row.path.as_str(), row.gone), ("/h/a.jsonl", false));
    assert_eq!(index.reader().file(FileId::new(99)).unwrap(), None);
}

#[test]
fn a_vanished_file_leaves_its_sessions_marked_until_it_is_back() {
    let index = Index::new();
    let mut writer = index.writer();
    let asked = turn(0, "Where is the port configured?", &[]);
    let session = deliver(&mut writer, &meta("a"), &[asked]);
    let file = writer.reader().unwrap().sessions().unwrap()[0].file;
    let gone = |writer: &mut Writer| writer.reader().unwrap().sessions().unwrap()[0].gone;
    writer
        .record_problem(&problem("/h/a.jsonl", "bad line", 1))
        .unwrap();
    writer.mark_file_gone(file).unwrap();
    assert!(gone(&mut writer));
    assert_eq!(reasons(&mut writer), [""; 0], "it does not matter now");
    assert_eq!(writer.reader().unwrap().turns(session).unwrap().len(), 1);
    writer.upsert_file(SOURCE, "/h/a.jsonl").unwrap();
    assert!(!gone(&mut writer));
    assert_eq!(reasons(&mut writer), ["/h/a.jsonl 1x bad line"]);
    writer.mark_session_gone(file, "a").unwrap();
    assert!(gone(&mut writer));
    writer
        .open_session(file, SOURCE, &meta("a"), KnownTurns::Keep)
        .unwrap();
    assert!(!gone(&mut writer));
    writer.begin_full_read(file, "/h/a.jsonl").unwrap();
    assert!(gone(&mut writer), "until it is met again");
}

/// OpenCode moved its sessions from a tree of files to a database, and keeps the tree.
#[test]
fn a_session_that_another_file_of_the_agent_takes_over_is_one() {
    let turns = [
        turn(0, "Where is the port configured?", &[]),
        turn(1, "And the lamp?", &[]),
    ];
    for is_gone_first in [true, false] {
        let index = Index::new();
        let mut writer = index.writer();
        deliver(&mut writer, &meta("a"), &turns);
        let tree = writer.upsert_file(SOURCE, "/h/a.jsonl").unwrap();
        let database = writer.upsert_file(SOURCE, "/h/a.db").unwrap();
        if is_gone_first {
            writer.mark_session_gone(tree, "a").unwrap();
        }
        let session = writer
            .open_session(database, SOURCE, &meta("a"), KnownTurns::Replace)
            .unwrap();
        for turn in &turns {
            writer.add_turn(session, turn).unwrap();
        }
        writer
            .checkpoint(database, "end", FileStamp::default())
            .unwrap();
        if !is_gone_first {
            writer.mark_session_gone(tree, "a").unwrap();
        }
        writer.commit().unwrap();
        let reader = index.reader();
        let sessions = reader.sessions().unwrap();
        let known: Vec<_> = sessions.iter().map(|s| (s.id, s.file, s.gone)).collect();
        assert_eq!(known, [(session, database, false)], "{is_gone_first}");
        assert_eq!(reader.turns(session).unwrap().len(), 2);
        let lamp = Query::new("lamp");
        let hits = reader.search_lexical(&lamp, 9, |_| Ok(true)).unwrap().turns;
        assert_eq!(hits.len(), 1, "{is_gone_first}");
    }
}

/// A copy of a whole home, whose file is gone, takes nothing over.
#[test]
fn what_no_living_file_of_the_agent_holds_stays() {
    let index = Index::new();
    let mut writer = index.writer();
    let turns = [
        turn(0, "Where is the port configured?", &[]),
        turn(1, "And the lamp?", &[]),
    ];
    let first = deliver_at(&mut writer, "/h/a.jsonl", &meta("a"), &turns[..1]);
    let copy = deliver_at(&mut writer, "/copy/a.jsonl", &meta("a"), &turns);
    assert_eq!(writer.reader().unwrap().sessions().unwrap().len(), 2);
    writer.mark_file_gone(copy.file).unwrap();
    writer.mark_session_gone(first.file, "a").unwrap();
    assert_eq!(writer.reader().unwrap().sessions().unwrap().len(), 2);
}

/// A history was copied, and its original deleted, or the copy.
#[test]
fn a_session_that_a_file_holds_that_is_there_is_not_kept_of_one_that_is_gone() {
    let turns = [
        turn(0, "Where is the port configured?", &["At the quay."]),
        turn(1, "And the lamp?", &[]),
    ];
    // The answer came after the copy was made.
    let begun = [turn(0, "Where is the port configured?", &[])];
    let cases: [(&[Turn], &[Turn], usize); 5] = [
        (&turns, &turns, 1),
        (&turns[..1], &turns, 1),
        (&begun, &turns, 1),
        (&turns, &begun, 2),
        (&turns[..1], &begun, 2),
    ];
    for (gone, there, sessions) in cases {
        for is_gone_first in [true, false] {
            let index = Index::new();
            let mut writer = index.writer();
            let mut files = [("/h/a.jsonl", gone), ("/copy/a.jsonl", there)];
            files[..].rotate_left(usize::from(!is_gone_first));
            for (path, turns) in files {
                deliver_at(&mut writer, path, &meta("a"), turns);
            }
            let file = writer.upsert_file(SOURCE, "/h/a.jsonl").unwrap();
            writer.mark_file_gone(file).unwrap();
            writer.commit().unwrap();
            let reader = index.reader();
            assert_eq!(reader.sessions().unwrap().len(), sessions);
            // Should it come back it is read.
            assert_eq!(reader.file(file).unwrap().is_some(), sessions == 2);
            let hits = |word| reader.search_lexical(&Query::new(word), 9, |_| Ok(true));
            assert_eq!(hits("port").unwrap().turns.len(), 1);
            reader.verify_thoroughly().unwrap();
        }
    }
}

/// The row of a forgotten turn is no copy of another one.
#[test]
fn a_session_of_which_a_turn_is_forgotten_is_held_once() {
    let index = Index::new();
    let mut writer = index.writer();
    let turns = [
        turn(0, "Where is the port configured?", &["At the quay."]),
        turn(1, "And the lamp?", &[]),
    ];
    let original = deliver_at(&mut writer, "/h/a.jsonl", &meta("a"), &turns);
    let reader = writer.reader().unwrap();
    let session = reader.sessions().unwrap()[0].id;
    let lamp = reader.turns(session).unwrap()[1].id;
    writer.exclude_turn(lamp).unwrap();
    let blank = Turn {
        index: 1,
        ..Turn::default()
    };
    let [port, _] = turns;
    deliver_at(&mut writer, "/copy/a.jsonl", &meta("a"), &[port, blank]);
    writer.mark_file_gone(original.file).unwrap();
    writer.commit().unwrap();
    let sessions = index.reader().sessions().unwrap();
    let gone: Vec<bool> = sessions.iter().map(|session| session.gone).collect();
    assert_eq!(gone, [false]);
    assert_eq!(found(&index.reader(), "quay").len(), 1);
}

/// Also where its first turns are those of a session that it does not name.
#[test]
fn a_fork_whose_history_was_copied_is_held_once() {
    let turns = [turn(0, "Where is the port configured?", &[])];
    let fork = SessionMeta {
        is_unnamed_fork: true,
        ..meta("a")
    };
    for is_moved in [true, false] {
        let index = Index::new();
        let mut writer = index.writer();
        let first = deliver_at(&mut writer, "/h/a.jsonl", &fork, &turns);
        deliver_at(&mut writer, "/copy/a.jsonl", &fork, &turns);
        assert_eq!(writer.reader().unwrap().sessions().unwrap().len(), 2);
        if is_moved {
            writer.mark_session_gone(first.file, "a").unwrap();
        } else {
            writer.mark_file_gone(first.file).unwrap();
        }
        writer.commit().unwrap();
        let sessions = index.reader().sessions().unwrap();
        assert_eq!(sessions.len(), 1, "{is_moved}");
        assert!(!sessions[0].gone && sessions[0].is_unnamed_fork);
    }
}

#[test]
fn each_kind_of_problem_has_its_time() {
    let index = Index::new();
    let mut writer = index.writer();
    let file = writer.upsert_file(SOURCE, "/h/a").unwrap();
    writer
        .record_problem(&problem("/h/a", "bad line", 2))
        .unwrap();
    writer
        .record_problem(&problem("/h/a", "bad line", 1))
        .unwrap();
    writer
        .record_unreadable(&problem("/h/a", "locked", 1))
        .unwrap();
    writer
        .replace_listing_problems(&[problem("/h", "no access", 1)])
        .unwrap();
    let all = ["/h 1x no access", "/h/a 3x bad line", "/h/a 1x locked"];
    assert_eq!(reasons(&mut writer), all);
    writer.clear_unreadable("/h/a").unwrap();
    assert_eq!(reasons(&mut writer), all[..2]);
    writer.replace_listing_problems(&[]).unwrap();
    assert_eq!(reasons(&mut writer), all[1..2]);
    writer.begin_full_read(file, "/h/a").unwrap();
    assert_eq!(reasons(&mut writer), [""; 0]);
}

#[derive(Debug, Clone)]
enum FileStep {
    Read { path: usize, stamp: FileStamp },
    Vanish(usize),
    Move { from: usize, to: usize },
    Forget(usize),
    Reset,
    Commit,
    Die,
}

fn file_step() -> impl Strategy<Value = FileStep> {
    let path = || 0..200usize;
    let stamp = (0..3u64, -1..2i64, 0..2u64).prop_map(|(size, mtime_ns, inode)| FileStamp {
        size,
        mtime_ns,
        inode,
    });
    prop_oneof![
        8 => (path(), stamp).prop_map(|(path, stamp)| FileStep::Read { path, stamp }),
        2 => path().prop_map(FileStep::Vanish),
        2 => (path(), path()).prop_map(|(from, to)| FileStep::Move { from, to }),
        2 => path().prop_map(FileStep::Forget),
        1 => Just(FileStep::Reset),
        2 => Just(FileStep::Commit),
        1 => Just(FileStep::Die),
    ]
}

fn file_at(writer: &mut Writer, path: usize) -> Option<FileId> {
    let files = writer.reader().unwrap().files().unwrap();
    let path = format!("/h/{path}.jsonl");
    files.iter().find(|f| f.path == path).map(|f| f.id)
}

fn take(index: &Index, writer: &mut Option<Writer>, step: &FileStep) {
    let open = writer.as_mut().unwrap();
    match step {
        FileStep::Read { path, stamp } => {
            deliver(open, &meta(&path.to_string()), &[]);
            let file = file_at(open, *path).unwrap();
            open.checkpoint(file, "", *stamp).unwrap();
        }
        FileStep::Vanish(path) => {
            if let Some(file) = file_at(open, *path) {
                open.mark_file_gone(file).unwrap();
            }
        }
        FileStep::Move { from, to } => {
            let file = file_at(open, *from).filter(|_| file_at(open, *to).is_none());
            let to = format!("/h/{to}.jsonl");
            if let Some(file) = file {
                open.rename_file(file, &to).unwrap();
            }
        }
        FileStep::Forget(path) => {
            let file = file_at(open, *path);
            let sessions = open.reader().unwrap().sessions().unwrap();
            let of_file = sessions.iter().filter(|session| Some(session.file) == file);
            of_file.for_each(|session| open.delete_session(session.id).unwrap());
        }
        FileStep::Reset => open.reset_cursors().unwrap(),
        FileStep::Commit => open.commit().unwrap(),
        FileStep::Die => {
            *writer = None;
            *writer = Some(index.writer());
        }
    }
}

/// The digests tell of each file what its row does.
fn check_digests(index: &Reader) {
    let digests = index.file_digests().unwrap();
    let (gone, mut present): (Vec<_>, Vec<_>) = index
        .files()
        .unwrap()
        .into_iter()
        .partition(|file| file.gone);
    assert_eq!(
        digests.gone(),
        gone.iter().map(|f| f.id).collect::<Vec<_>>()
    );
    for file in &gone {
        assert!(!digests.note_seen(FileDigest::new(&file.path, file.stamp)));
    }
    while let Some(file) = present.pop() {
        let is_read = file.stamp != FileStamp::default();
        assert_eq!(
            digests.note_seen(FileDigest::new(&file.path, file.stamp)),
            is_read
        );
        let rest: Vec<FileId> = present.iter().map(|f| f.id).collect();
        if is_read {
            assert!(rest.iter().all(|file| digests.unseen().contains(file)));
        } else {
            assert!(digests.unseen().contains(&file.id));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn blocks_of_files_hold_what_their_rows_do(steps in prop::collection::vec(file_step(), 1..60)) {
        let index = Index::new();
        let mut writer = Some(index.writer());
        for step in &steps {
            take(&index, &mut writer, step);
            if matches!(step, FileStep::Commit | FileStep::Die | FileStep::Reset) {
                check_digests(&index.reader());
            }
        }
        check_digests(writer.as_mut().unwrap().reader().unwrap());
    }
}

#[test]
fn failures_of_models_are_no_problems_of_histories() {
    let index = Index::new();
    let mut writer = index.writer();
    let history = problem("/home/ann/model `remote`", "refused", 1);
    writer.record_unreadable(&history).unwrap();
    writer
        .replace_model_failure("remote", Some("refused"))
        .unwrap();
    let failures = |writer: &mut Writer| writer.reader().unwrap().model_failures().unwrap();
    let failure = ("remote".to_owned(), "refused".to_owned());
    assert_eq!(failures(&mut writer), [failure].into());
    assert_eq!(writer.reader().unwrap().problems().unwrap(), [history]);
    writer.replace_model_failure("remote", None).unwrap();
    assert_eq!(failures(&mut writer), [].into());
}

/// Neither damage within a file nor a path at which there is nothing leaves a whole path unread.
#[test]
fn whole_paths_that_are_unread_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = Writer::open(dir.path()).unwrap();
    let unread = |path: &str| HistoryProblem {
        is_unread_path: true,
        ..problem(path, "no access", 1)
    };
    let listing = [unread("/h"), problem("/h/link", "leads nowhere", 1)];
    writer.replace_listing_problems(&listing).unwrap();
    writer.record_unreadable(&unread("/h/a.db")).unwrap();
    writer.record_unreadable(&unread("/h")).unwrap();
    writer
        .record_unreadable(&problem("/h/b.db", "a row", 1))
        .unwrap();
    writer
        .record_problem(&problem("/h/c.jsonl", "a line", 1))
        .unwrap();
    writer.commit().unwrap();
    assert_eq!(writer.reader().unwrap().unread_paths().unwrap(), 2);
    assert_eq!(
        writer.reader().unwrap().listing_problems().unwrap(),
        listing
    );
    writer.clear_unreadable("/h/a.db").unwrap();
    writer.replace_listing_problems(&[]).unwrap();
    writer.commit().unwrap();
    assert_eq!(writer.reader().unwrap().unread_paths().unwrap(), 1);
}
