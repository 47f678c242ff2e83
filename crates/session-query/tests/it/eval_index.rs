//! The index that the questions of a labelled set are put to.

use session_config::Home;
use session_indexer::{RefreshProgress, SilentProgress};
use session_models::TABLE_MODEL;
use session_query::{EvalIndex, EvalSource, QueryError};
use session_sources::Env;
use session_test::claude::ClaudeTranscript;
use session_test::home::TestHome;

const OWN: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const OF_SET: &str = "bbbbbbbb-0000-4000-8000-000000000002";

fn silent() -> Box<dyn RefreshProgress> {
    Box::new(SilentProgress)
}

/// A user with a session.
fn user() -> (TestHome, Home) {
    let test = TestHome::new();
    test.write_transcript(&ClaudeTranscript::new(OWN, "/w").user("add a pier"));
    let home = Home::new(Env::with_home(&test.home("")), test.path("index"));
    (test, home)
}

/// Returns the ids of the sessions that are searched, and the number of models that embed a question.
fn searched(home: &Home, source: EvalSource<'_>) -> (Vec<String>, usize) {
    let index = EvalIndex::new(home.clone(), source).unwrap();
    let reader = index.refresh(&silent).unwrap();
    let sessions = reader.sessions().unwrap().into_iter();
    let models = index.embed(&reader, "pier").unwrap().len();
    (sessions.map(|session| session.uid).collect(), models)
}

#[test]
fn a_set_without_a_history_is_put_to_the_users() {
    let (test, home) = user();
    let source = EvalSource {
        model: Some(TABLE_MODEL),
        ..EvalSource::default()
    };
    assert_eq!(searched(&home, source), (vec![OWN.to_owned()], 1));
    assert!(home.index_directory.exists());
    let kept = test.path("kept");
    fs_err::remove_dir_all(&home.index_directory).unwrap();
    let source = EvalSource {
        index: Some(&kept),
        ..source
    };
    assert_eq!(searched(&home, source), (vec![OWN.to_owned()], 1));
    assert!(kept.exists() && !home.index_directory.exists());
}

#[test]
fn the_history_of_a_set_is_indexed_apart() {
    let (_test, home) = user();
    let set = TestHome::new();
    set.write_transcript(&ClaudeTranscript::new(OF_SET, "/w").user("add a quay"));
    let (history, kept) = (set.home(".claude"), set.path("kept"));
    let temporary = EvalSource {
        history: Some(&history),
        model: Some(TABLE_MODEL),
        ..EvalSource::default()
    };
    assert_eq!(searched(&home, temporary), (vec![OF_SET.to_owned()], 1));
    assert!(!home.index_directory.exists() && !kept.exists());
    let source = EvalSource {
        index: Some(&kept),
        ..temporary
    };
    assert_eq!(searched(&home, source), (vec![OF_SET.to_owned()], 1));
    assert!(kept.exists() && !home.index_directory.exists());
}

#[test]
fn a_model_that_is_not_here_is_refused() {
    let (_test, home) = user();
    let source = EvalSource {
        model: Some("no-such-model"),
        ..EvalSource::default()
    };
    let refused = EvalIndex::new(home, source);
    assert!(matches!(refused, Err(QueryError::Model(_))));
}
