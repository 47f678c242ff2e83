//! Updates the index beside other processes that write to it.

use session_config::Home;
use session_indexer::{RefreshMode, RefreshProgress, SilentProgress};
use session_query::SearchEngine;
use session_sources::Env;
use session_store::Writer;
use session_test::claude::ClaudeTranscript;
use session_test::home::TestHome;
use std::cell::Cell;

fn silent() -> Box<dyn RefreshProgress> {
    Box::new(SilentProgress)
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
    let update = || engine.update(RefreshMode::Changes, &silent, on_wait);
    assert!(update().unwrap().is_complete());
    assert_eq!(waited.get(), 1);
    assert!(update().unwrap().is_complete());
    assert_eq!(waited.get(), 1);
}
