//! The index that the questions of a labelled set are put to.

use session_config::Home;
use session_indexer::{RefreshProgress, SilentProgress};
use session_models::{REMOTE_MODEL, TABLE_MODEL};
use session_query::{EmbeddedSessions, EvalIndex, EvalSource, PartlyEmbedded, QueryError};
use session_sources::Env;
use session_store::Reader;
use session_test::claude::ClaudeTranscript;
use session_test::endpoint_server::{EndpointServer, reply_with_vectors};
use session_test::files::set_tree_modified;
use session_test::home::TestHome;
use std::time::{Duration, SystemTime};

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

/// A user with a session, who chose a model behind an endpoint.
fn user_of_an_endpoint() -> (TestHome, Home, EndpointServer) {
    let (test, mut home) = user();
    let server = EndpointServer::start(reply_with_vectors);
    home.config.model = REMOTE_MODEL.to_owned();
    home.config.remote.url = Some(server.url());
    home.config.remote.model = Some("first".to_owned());
    (test, home, server)
}

/// Takes the texts that an endpoint got, but for the one that tells the dimension.
fn take_texts(server: &EndpointServer) -> Vec<String> {
    let requests = server.take_requests().into_iter();
    let texts = requests.flat_map(|request| request.texts);
    texts.filter(|text| text != "dimensions").collect()
}

#[test]
fn a_measured_model_embeds_none_of_the_users_sessions() {
    let (test, home, server) = user_of_an_endpoint();
    let unembedded = PartlyEmbedded {
        model: REMOTE_MODEL.to_owned(),
        embedded: EmbeddedSessions {
            sessions: 0,
            all_sessions: 1,
        },
        in_use: true,
    };
    let kept = test.path("kept");
    for index in [None, Some(kept.as_path())] {
        let source = EvalSource {
            index,
            ..EvalSource::default()
        };
        let index = EvalIndex::new(home.clone(), source).unwrap();
        let reader = index.refresh(&silent).unwrap();
        let found = index.find_unembedded(&reader).unwrap();
        assert_eq!(found, Some(unembedded.clone()));
        assert_eq!(index.embed(&reader, "pier").unwrap().len(), 1, "the table");
        assert_eq!(take_texts(&server), [""; 0]);
    }
    let table = EvalSource {
        model: Some(TABLE_MODEL),
        ..EvalSource::default()
    };
    let index = EvalIndex::new(home, table).unwrap();
    let reader = index.refresh(&silent).unwrap();
    assert_eq!(index.find_unembedded(&reader).unwrap(), None);
}

#[test]
fn an_endpoint_that_was_not_chosen_gets_nothing_of_the_users() {
    let (test, mut home, server) = user_of_an_endpoint();
    home.config.model = TABLE_MODEL.to_owned();
    let kept = test.path("kept");
    let named = EvalSource {
        model: Some(REMOTE_MODEL),
        ..EvalSource::default()
    };
    for index in [None, Some(kept.as_path())] {
        let refused = EvalIndex::new(home.clone(), EvalSource { index, ..named });
        assert!(matches!(refused, Err(QueryError::EndpointNotChosen)));
    }
    assert_eq!(server.take_requests().len(), 0);
    let set = TestHome::new();
    set.write_transcript(&ClaudeTranscript::new(OF_SET, "/w").user("add a quay"));
    let history = set.home(".claude");
    let source = EvalSource {
        history: Some(&history),
        ..named
    };
    assert_eq!(searched(&home, source), (vec![OF_SET.to_owned()], 2));
    let texts = take_texts(&server).join("\n");
    assert!(
        texts.contains("quay") && !texts.contains("add a pier"),
        "{texts}"
    );
}

/// What another model at the endpoint has embedded may have cost money.
#[test]
fn the_vectors_of_another_model_at_the_endpoint_are_kept() {
    let (test, mut home, _server) = user_of_an_endpoint();
    let kept = test.path("kept");
    let history = test.home(".claude");
    let source = EvalSource {
        history: Some(&history),
        index: Some(&kept),
        ..EvalSource::default()
    };
    assert_eq!(searched(&home, source).1, 2);
    let month = Duration::from_secs(30 * 24 * 60 * 60);
    set_tree_modified(&kept.join("vectors"), SystemTime::now() - month);
    home.config.remote.model = Some("second".to_owned());
    assert_eq!(searched(&home, source).1, 2);
    let models = Reader::open(&kept).unwrap().models().unwrap();
    let remote = models.iter().filter(|model| model.name == REMOTE_MODEL);
    assert_eq!(remote.count(), 2);
}
