//! Which vectors of an index answer a query.

use session_config::Home;
use session_core::{FileStamp, KnownTurns, SessionMeta, Turn};
use session_embed::Embedder;
use session_models::TABLE_MODEL;
use session_query::{QueryModels, UnembeddedSessions};
use session_sources::Env;
use session_store::{
    Document, DocumentExtent, DocumentKind, EmbeddedDocument, Reader, StoredContent, Writer,
};
use std::path::Path;

const PROMPTS: [&str; 2] = [
    "Why does the docker network of the staging host not resolve?",
    "Rename the parser module and its tests, please.",
];

/// Indexes a session of one turn for each prompt.
fn index(root: &Path) {
    let claude = "claude";
    let mut writer = Writer::open(root).unwrap();
    for prompt in PROMPTS {
        let file = writer.upsert_file(claude, &format!("/h/{prompt}")).unwrap();
        let meta = SessionMeta {
            id: prompt.into(),
            ..SessionMeta::default()
        };
        let session = writer
            .open_session(file, claude, &meta, KnownTurns::Replace)
            .unwrap();
        let turn = Turn {
            prompt: prompt.into(),
            ..Turn::default()
        };
        writer.add_turn(session, &turn).unwrap();
        writer.checkpoint(file, "", FileStamp::default()).unwrap();
    }
    writer.commit().unwrap();
}

/// A fingerprint of another version of the table.
const OTHER_FINGERPRINT: &str = "00112233445566aa";

/// Embeds the turns of the first sessions by the table.
fn embed(root: &Path, table: &dyn Embedder, sessions: usize) {
    embed_as(root, table, &table.spec().fingerprint(), sessions);
}

/// Embeds the turns of the first sessions by the table under a fingerprint.
fn embed_as(root: &Path, table: &dyn Embedder, fingerprint: &str, sessions: usize) {
    let mut writer = Writer::open(root).unwrap();
    let dims = table.spec().dims;
    let model = writer.add_model(fingerprint, TABLE_MODEL, dims).unwrap();
    let pending = writer.reader().unwrap().pending_sessions(&[model.id]);
    for pending in pending.unwrap().into_iter().take(sessions) {
        let turns = writer.reader().unwrap().contents(pending.session).unwrap();
        let document = |stored: StoredContent| {
            let text = stored.content.prompt;
            let vector = table.embed_query(&text).unwrap();
            let turn = Some(stored.turn);
            EmbeddedDocument {
                document: Document { turn, text },
                vector: Some(vector),
            }
        };
        let documents: Vec<_> = turns.into_iter().map(document).collect();
        writer
            .store_documents(&model, pending, &documents, DocumentExtent::Complete)
            .unwrap();
    }
    writer.commit().unwrap();
}

/// The greatest cosine of a query with turns, by each model that answers.
fn best(models: &QueryModels, root: &Path) -> Vec<f32> {
    let index = Reader::open(root).unwrap();
    let answering = models.embed(&index, PROMPTS[0]).unwrap();
    let best = answering.iter().map(|embedding| {
        let matrix = index.matrix(&embedding.model, DocumentKind::Turn).unwrap();
        let products = matrix.dot(&embedding.vector).products;
        products.into_iter().fold(f32::MIN, f32::max)
    });
    best.collect()
}

/// Words answer until the table has embedded the sessions anew.
#[test]
fn vectors_of_another_version_of_the_table_do_not_answer() {
    let user = tempfile::tempdir().unwrap();
    let root = user.path().join("index");
    let home = Home::new(Env::with_home(user.path()), root.clone());
    let table = session_embed::open_bundled_table().unwrap();
    index(&root);
    embed_as(&root, table.as_ref(), OTHER_FINGERPRINT, 2);
    let models = QueryModels::new(home.catalogue().unwrap(), TABLE_MODEL, &root).unwrap();
    assert!(best(&models, &root).is_empty());
    assert!(models.failures().is_empty());
    embed(&root, table.as_ref(), 2);
    let found = best(&models, &root);
    assert!(found.len() == 1 && found[0] > 0.98, "{found:?}");
}

/// As an endpoint that does not answer.
#[test]
fn a_chosen_model_that_is_not_there_leaves_the_others() {
    let user = tempfile::tempdir().unwrap();
    let root = user.path().join("index");
    let home = Home::new(Env::with_home(user.path()), root.clone());
    let table = session_embed::open_bundled_table().unwrap();
    index(&root);
    embed(&root, table.as_ref(), 2);
    for (chosen, reason) in [
        ("mine", "there is no model `mine`"),
        ("gte-small", "the model `gte-small` is not here"),
    ] {
        let models = QueryModels::new(home.catalogue().unwrap(), chosen, &root).unwrap();
        assert_eq!(best(&models, &root).len(), 1);
        let failures = models.failures();
        assert_eq!(failures.len(), 1, "{failures:?}");
        assert!(failures[0].reason.starts_with(reason), "{failures:?}");
        assert!(failures[0].hint.is_some(), "{failures:?}");
        assert!(models.chosen().is_none());
        let index = Reader::open(&root).unwrap();
        assert!(!models.has_pending_sessions(&index).unwrap());
        // What needs its vectors fails.
        let error = models.load_chosen().err().unwrap().to_string();
        assert!(error.starts_with(reason), "{error}");
    }
}

#[test]
fn a_model_whose_vectors_are_lost_leaves_the_others() {
    let user = tempfile::tempdir().unwrap();
    let root = user.path().join("index");
    let home = Home::new(Env::with_home(user.path()), root.clone());
    let table = session_embed::open_bundled_table().unwrap();
    index(&root);
    embed(&root, table.as_ref(), 2);
    let models = QueryModels::new(home.catalogue().unwrap(), TABLE_MODEL, &root).unwrap();
    let (vectors, away) = (root.join("vectors"), root.join("queries"));
    for is_lost in [false, true, false] {
        if is_lost {
            fs_err::rename(&vectors, &away).unwrap();
        }
        assert_eq!(best(&models, &root).len(), usize::from(!is_lost));
        let failures = models.failures().into_iter();
        let reasons: Vec<String> = failures.map(|failure| failure.reason).collect();
        let wanted = "the vectors of `table` in the index are lost";
        assert_eq!(reasons, vec![wanted; usize::from(is_lost)]);
        if is_lost {
            fs_err::rename(&away, &vectors).unwrap();
        }
    }
}

/// The endpoint is never asked.
#[test]
fn what_is_left_to_the_chosen_model_is_noted() {
    let user = tempfile::tempdir().unwrap();
    let root = user.path().join("index");
    let mut home = Home::new(Env::with_home(user.path()), root.clone());
    home.config.remote.url = Some("http://127.0.0.1:9/v1".to_owned());
    home.config.remote.model = Some("e5".to_owned());
    let table = session_embed::open_bundled_table().unwrap();
    index(&root);
    embed(&root, table.as_ref(), 2);
    let due = |chosen: &str| {
        let models = QueryModels::new(home.catalogue().unwrap(), chosen, &root).unwrap();
        let index = Reader::open(&root).unwrap();
        models
            .find_unembedded_sessions(&index, PROMPTS.len())
            .unwrap()
    };
    let unembedded = |embedded| UnembeddedSessions {
        model: "remote".to_owned(),
        embedded,
        all: 2,
        time_left: None,
        failure: None,
    };
    assert_eq!(due(TABLE_MODEL), None);
    assert_eq!(due("remote"), Some(unembedded(0)));
    let models = QueryModels::new(home.catalogue().unwrap(), "remote", &root).unwrap();
    let fingerprint = models.chosen().unwrap().fingerprint();
    embed_as(&root, table.as_ref(), &fingerprint, 1);
    assert_eq!(due("remote"), Some(unembedded(1)));
    embed_as(&root, table.as_ref(), &fingerprint, 1);
    assert_eq!(due("remote"), None);
}
