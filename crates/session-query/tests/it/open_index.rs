//! Keeps an index open between queries.

use session_core::{FileStamp, KnownTurns, SessionMeta};
use session_embed::Embedder;
use session_indexer::{ReadPolicy, RefreshMode, SilentProgress};
use session_query::{LiveIndex, OpenIndex, QueryError, QueryRefresh, Snapshot};
use session_sources::Env;
use session_store::Writer;
use session_test::claude::ClaudeTranscript;
use session_test::home::TestHome;
use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

fn add_session(root: &Path, uid: &str) {
    let claude = "claude";
    let mut writer = Writer::open(root).unwrap();
    let file = writer.upsert_file(claude, &format!("/h/{uid}")).unwrap();
    let meta = SessionMeta {
        id: uid.into(),
        ..SessionMeta::default()
    };
    writer
        .open_session(file, claude, &meta, KnownTurns::Replace)
        .unwrap();
    writer.checkpoint(file, "", FileStamp::default()).unwrap();
    writer.commit().unwrap();
}

fn uids(open: &mut OpenIndex) -> Result<Vec<String>, QueryError> {
    let read = |snapshot: &Snapshot| {
        let uids = snapshot.sessions.iter().map(|s| s.uid.clone());
        Ok(uids.collect())
    };
    open.with_snapshot(read)
}

#[test]
fn what_was_committed_meanwhile_is_seen() {
    let root = tempfile::tempdir().unwrap();
    let mut open = OpenIndex::new(root.path());
    let missing = uids(&mut open).unwrap_err();
    assert!(matches!(missing, QueryError::Store(_)), "{missing}");
    add_session(root.path(), "a");
    assert_eq!(uids(&mut open).unwrap(), ["a"]);
    assert_eq!(uids(&mut open).unwrap(), ["a"]);
    add_session(root.path(), "b");
    assert_eq!(uids(&mut open).unwrap(), ["a", "b"]);
}

#[test]
fn a_stale_snapshot_is_as_it_was_read_unless_that_fails() {
    let root = tempfile::tempdir().unwrap();
    let mut open = OpenIndex::new(root.path());
    add_session(root.path(), "a");
    let read = |snapshot: &Snapshot| -> Result<Vec<String>, QueryError> {
        snapshot.index.turn_columns()?;
        Ok(snapshot.sessions.iter().map(|s| s.uid.clone()).collect())
    };
    assert_eq!(open.with_stale_snapshot(read).unwrap(), ["a"]);
    add_session(root.path(), "b");
    assert_eq!(open.with_stale_snapshot(read).unwrap(), ["a"]);
    let needs_both = |snapshot: &Snapshot| match read(snapshot)?.as_slice() {
        [a, b] => Ok(vec![a.clone(), b.clone()]),
        _ => Err(QueryError::Io(std::io::ErrorKind::NotFound.into())),
    };
    assert_eq!(open.with_stale_snapshot(needs_both).unwrap(), ["a", "b"]);
    add_session(root.path(), "c");
    assert_eq!(open.with_snapshot(read).unwrap(), ["a", "b", "c"]);
}

#[test]
fn an_index_in_the_place_of_another_is_seen() {
    let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    add_session(root.path(), "old");
    add_session(other.path(), "new");
    let mut open = OpenIndex::new(root.path());
    assert_eq!(uids(&mut open).unwrap(), ["old"]);
    let database = |root: &Path| root.join("index.db");
    fs_err::rename(database(other.path()), database(root.path())).unwrap();
    assert_eq!(uids(&mut open).unwrap(), ["new"]);
}

#[test]
fn between_two_questions_nothing_keeps_the_log_from_being_truncated() {
    let root = tempfile::tempdir().unwrap();
    add_session(root.path(), "a");
    let mut open = OpenIndex::new(root.path());
    uids(&mut open).unwrap();
    add_session(root.path(), "b");
    Writer::open(root.path()).unwrap().vacuum().unwrap();
    let log = fs_err::metadata(root.path().join("index.db-wal")).unwrap();
    assert_eq!(log.len(), 0);
    assert_eq!(uids(&mut open).unwrap(), ["a", "b"]);
}

#[test]
fn a_question_that_fails_costs_itself_alone() {
    let root = tempfile::tempdir().unwrap();
    add_session(root.path(), "a");
    let mut open = OpenIndex::new(root.path());
    let failed: Result<(), QueryError> = open.with_snapshot(|_| {
        Err(QueryError::Store(session_store::StoreError::Missing {
            root: root.path().to_owned(),
        }))
    });
    assert!(failed.is_err());
    assert_eq!(uids(&mut open).unwrap(), ["a"]);
}

fn live<'a>(
    root: &'a Path,
    env: &'a Env,
    table: &'a dyn Embedder,
    policy: &'a ReadPolicy,
) -> LiveIndex<'a> {
    LiveIndex {
        root,
        env,
        table,
        policy,
        progress: &|| Box::new(SilentProgress),
    }
}

#[test]
fn an_answer_is_from_the_index_as_the_refresh_beside_it_left_it() {
    let home = TestHome::new();
    let env = Env::with_home(&home.home(""));
    let root = home.path("index");
    let table = session_embed::open_bundled_table().unwrap();
    let policy = ReadPolicy::default();
    let live = live(&root, &env, table.as_ref(), &policy);
    let mut open = OpenIndex::new(&root);
    let mut count = || {
        let count = |snapshot: &Snapshot| Ok::<_, QueryError>(snapshot.sessions.len());
        let answer = open.answer(&live, count).unwrap();
        (answer.answer, answer.refresh.files_read)
    };
    assert_eq!(count(), (0, 0));
    home.write_transcript(
        &ClaudeTranscript::new("aaaaaaaa-0000-4000-8000-000000000001", "/w").user("add a pier"),
    );
    assert_eq!(count(), (1, 1));
    assert_eq!(count(), (1, 0));
}

/// A snapshot during a refresh keeps deleted text in the log.
#[test]
fn an_answer_leaves_no_purge_behind() {
    let count = |snapshot: &Snapshot| Ok::<_, QueryError>(snapshot.sessions.len());
    check_purges(|live| {
        let found = live
            .answer(QueryRefresh::DuringAnswer, None::<fn()>, count)
            .unwrap()
            .found;
        found.unwrap().answer
    });
}

#[test]
fn an_answer_of_an_open_index_leaves_no_purge_behind() {
    let mut open = None;
    // Longer than a purge waits for readers.
    let count = |snapshot: &Snapshot| {
        std::thread::sleep(Duration::from_millis(400));
        Ok::<_, QueryError>(snapshot.sessions.len())
    };
    check_purges(|live| {
        let open = open.get_or_insert_with(|| OpenIndex::new(live.root));
        open.answer(live, count).unwrap().answer
    });
}

fn check_purges(mut count_sessions: impl FnMut(&LiveIndex<'_>) -> usize) {
    let home = TestHome::new();
    let env = Env::with_home(&home.home(""));
    let root = home.path("index");
    let table = session_embed::open_bundled_table().unwrap();
    let policy = ReadPolicy::default();
    let live = live(&root, &env, table.as_ref(), &policy);
    let mut answer = || count_sessions(&live);
    home.write_transcript(
        &ClaudeTranscript::new("aaaaaaaa-0000-4000-8000-000000000001", "/w").user("add a pier"),
    );
    let gone = home.write_transcript(
        &ClaudeTranscript::new("aaaaaaaa-0000-4000-8000-000000000002", "/w").user("oil"),
    );
    assert_eq!(answer(), 2);
    fs_err::remove_file(gone).unwrap();
    let mut writer = Writer::open(&root).unwrap();
    let sessions = writer.reader().unwrap().sessions().unwrap();
    let session = sessions.iter().find(|s| s.uid.ends_with('2')).unwrap();
    writer.delete_session(session.id).unwrap();
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(answer(), 1);
    let is_pending = || live.snapshot().unwrap().index.is_purge_pending().unwrap();
    assert!(!is_pending());

    // Deleted by the refresh of the search itself.
    let other = ClaudeTranscript::new("aaaaaaaa-0000-4000-8000-000000000003", "/w");
    home.write_transcript(&other.clone().user("wick"));
    assert_eq!(answer(), 2);
    home.write_transcript(&other.user("wick").user("<!-- session-search: off -->"));
    assert_eq!(answer(), 1);
    assert!(!is_pending());
}

#[test]
fn an_answer_that_fails_is_repeated_where_the_index_changed_alone() {
    let home = TestHome::new();
    let env = Env::with_home(&home.home(""));
    let root = home.path("index");
    add_session(&root, "a");
    let table = session_embed::open_bundled_table().unwrap();
    let policy = ReadPolicy::default();
    let live = live(&root, &env, table.as_ref(), &policy);
    live.refresh(RefreshMode::Changes, None).unwrap();
    for (changes, expected_calls) in [(false, 1), (true, 2)] {
        let calls = Cell::new(0);
        let fail = |_: &Snapshot| -> Result<(), QueryError> {
            if calls.replace(calls.get() + 1) == 0 && changes {
                add_session(&root, "b");
            }
            Err(std::io::Error::other("no answer").into())
        };
        let mut open = OpenIndex::new(&root);
        assert!(open.answer(&live, fail).is_err());
        assert_eq!(calls.get(), expected_calls, "changes: {changes}");
        uids(&mut open).unwrap();
    }
}

#[test]
fn an_open_index_tells_of_commits() {
    let root = tempfile::tempdir().unwrap();
    let mut open = OpenIndex::new(root.path());
    assert!(open.has_changed() && open.has_changed(), "there is none");
    add_session(root.path(), "a");
    assert!(open.has_changed(), "there is one");
    assert!(!open.has_changed());
    add_session(root.path(), "b");
    assert_eq!(uids(&mut open).unwrap(), ["a", "b"]);
    assert!(open.has_changed(), "a query between does not matter");
    assert!(!open.has_changed());
}

#[test]
fn an_open_index_tells_of_another_index() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("index");
    let mut open = OpenIndex::new(&root);
    add_session(&root, "a");
    assert!(open.has_changed());
    fs_err::rename(&root, folder.path().join("old")).unwrap();
    add_session(&root, "a");
    assert!(open.has_changed());
    assert!(!open.has_changed());
}

#[test]
fn an_answer_tells_that_histories_are_back_or_elsewhere() {
    let home = TestHome::new();
    let env = Env::with_home(&home.home(""));
    let root = home.path("index");
    let table = session_embed::open_bundled_table().unwrap();
    let policy = ReadPolicy::default();
    let live = live(&root, &env, table.as_ref(), &policy);
    home.write_transcript(
        &ClaudeTranscript::new("aaaaaaaa-0000-4000-8000-000000000001", "/w").user("add a pier"),
    );
    let mut open = OpenIndex::new(&root);
    let gone = |snapshot: &Snapshot| {
        let gone = snapshot.sessions.iter().map(|session| session.gone);
        Ok::<_, QueryError>(gone.collect::<Vec<_>>())
    };
    let mut answers = || {
        let answer = live
            .answer(QueryRefresh::DuringAnswer, None::<fn()>, gone)
            .unwrap();
        [
            answer.found.unwrap().answer,
            open.answer(&live, gone).unwrap().answer,
        ]
    };
    let (projects, away) = (home.home(".claude/projects"), home.path("away"));
    let project = fs_err::read_dir(&projects).unwrap().next().unwrap();
    let project = project.unwrap().path();
    assert_eq!(answers(), [[false], [false]]);
    fs_err::rename(&project, &away).unwrap();
    assert_eq!(answers(), [[true], [true]]);
    fs_err::rename(&away, &project).unwrap();
    assert_eq!(answers(), [[false], [false]]);
    fs_err::rename(&project, &away).unwrap();
    answers();
    fs_err::rename(&away, projects.join("-elsewhere")).unwrap();
    assert_eq!(answers(), [[false], [false]]);
}
