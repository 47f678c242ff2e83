//! Updates the index beside other processes that write to it.

use session_config::Home;
use session_indexer::{RefreshMode, RefreshProgress, SilentProgress};
use session_query::{ForgetSelection, SearchEngine};
use session_sources::Env;
use session_store::Writer;
use session_test::claude::ClaudeTranscript;
use session_test::home::TestHome;
use std::cell::Cell;

fn silent() -> Box<dyn RefreshProgress> {
    Box::new(SilentProgress)
}

#[test]
fn what_was_forgotten_comes_back_without_what_is_new() {
    let test = TestHome::new();
    let root = test.path("index");
    let id = |number: u32| format!("aaaaaaaa-0000-4000-8000-00000000000{number}");
    let write = |number| {
        test.write_transcript(
            &ClaudeTranscript::new(&id(number), "/w").user(&format!("add pier {number}")),
        );
    };
    write(1);
    let home = Home::new(Env::with_home(&test.home("")), root.clone());
    let engine = SearchEngine::new(home.clone()).unwrap();
    engine
        .refresh_when_unlocked(RefreshMode::Changes, &silent, || {})
        .unwrap();
    let mut writer = Writer::open(&root).unwrap();
    let sessions = writer.reader().unwrap().sessions().unwrap();
    let ids = [id(1)];
    let selection = ForgetSelection {
        ids: &ids,
        project: None,
        before_ms: None,
        pattern: None,
    };
    let request = selection.resolve(&sessions).unwrap();
    let plan = request.plan(writer.reader().unwrap()).unwrap();
    let (records, reason) = (home.exclusions().unwrap(), request.reason(&plan));
    let at = "2026-01-15T12:00:00Z";
    plan.forget_and_purge(&mut writer, &records, reason, at)
        .unwrap();
    drop(writer);
    write(2);
    let undo = || engine.undo_forget(1, &silent, || {}).unwrap();
    let restored = undo().unwrap();
    assert_eq!((restored.sessions, restored.turns), (1, 1));
    assert_eq!(undo(), None);
}

#[test]
fn an_update_waits_for_another_writer() {
    let test = TestHome::new();
    let root = test.path("index");
    let id = "aaaaaaaa-0000-4000-8000-000000000001";
    test.write_transcript(&ClaudeTranscript::new(id, "/w").user("add a pier"));
    let home = Home::new(Env::with_home(&test.home("")), root.clone());
    let engine = SearchEngine::new(home).unwrap();
    let mut other = Writer::open(&root).unwrap();
    other.upsert_file("claude", "/h/a").unwrap();
    let other = Cell::new(Some(other));
    let waited = Cell::new(0);
    let on_wait = || {
        waited.set(waited.get() + 1);
        drop(other.take());
    };
    let refresh = || engine.refresh_when_unlocked(RefreshMode::Changes, &silent, on_wait);
    assert!(refresh().unwrap().is_complete());
    assert_eq!(waited.get(), 1);
    assert!(refresh().unwrap().is_complete());
    assert_eq!(waited.get(), 1);
}
