//! The second pass: models that fail, that are new, that stand side by side.

use crate::embedder::Buckets;
use crate::home::{Home, say, turns, word};
use crate::state::{found, vectors};
use session_embed::Embedder;
use session_indexer::{IndexError, Mode, Outcome, Refresh, refresh};

fn with(home: &Home, models: &[&Buckets]) -> Result<Outcome, IndexError> {
    let embedders = models.iter().map(|m| *m as &dyn Embedder).collect();
    refresh(&Refresh {
        embedders,
        ..home.how()
    })
}

fn history(files: usize) -> Home {
    let home = Home::new();
    for n in 0..files {
        home.write(n, turns(n, 0, 2).as_bytes());
    }
    home
}

#[test]
fn where_a_model_fails_words_are_found_and_a_later_run_goes_on() {
    let home = history(40);
    // Enough for the first batch of sessions, not for all.
    let failing = Buckets::failing_after("b", 100);
    let error = with(&home, &[&failing]).unwrap_err();
    assert!(matches!(error, IndexError::Embed(_)), "{error}");
    assert_eq!(found(&home.reader(), &word(7, 1)).len(), 1);
    let first = vectors(&home.reader(), &failing.fingerprint()).len();
    assert!(first > 0, "the first batch stays");

    let good = Buckets::new("b");
    let outcome = with(&home, &[&good]).unwrap();
    assert!(outcome.is_complete() && outcome.embedded > 0);
    let all = vectors(&home.reader(), &good.fingerprint());
    assert_eq!(all.len(), first + outcome.embedded);
    let other = history(40);
    with(&other, &[&good]).unwrap();
    assert_eq!(all, vectors(&other.reader(), &good.fingerprint()));
}

#[test]
fn two_models_stand_side_by_side() {
    let home = history(3);
    let models = [Buckets::new("b"), Buckets::new("c")];
    with(&home, &[&models[0]]).unwrap();
    let before = vectors(&home.reader(), &models[0].fingerprint());
    let both = [&models[0], &models[1]];
    let outcome = with(&home, &both).unwrap();
    assert_eq!(outcome.embedded, before.len(), "the new one embeds all");
    let reader = home.reader();
    let [first, second] = both.map(|m| vectors(&reader, &m.fingerprint()));
    assert_eq!(first, before);
    assert!(second.len() == first.len() && second != first);
    assert_eq!(with(&home, &both).unwrap(), Outcome::default());
}

#[test]
fn a_text_is_embedded_once() {
    let home = history(2);
    let model = Buckets::new("b");
    with(&home, &[&model]).unwrap();
    // The same words at another time, so no copy: its texts are known.
    let same = turns(0, 0, 2)
        .replace("2026-03-02", "2026-04-05")
        .replace("\"u0-", "\"v0-");
    home.write(2, same.as_bytes());
    let outcome = with(&home, &[&model]).unwrap();
    assert_eq!((outcome.turns, outcome.embedded), (2, 0));
    assert_eq!(found(&home.reader(), &word(0, 0)).len(), 2);
    // And more of a session costs only what is new: a turn, a session's chunk.
    home.write(1, turns(1, 0, 3).as_bytes());
    assert_eq!(with(&home, &[&model]).unwrap().embedded, 2);
}

#[test]
fn a_full_run_embeds_all_again() {
    let home = history(3);
    let model = Buckets::new("b");
    let first = with(&home, &[&model]).unwrap();
    let before = vectors(&home.reader(), &model.fingerprint());
    let how = Refresh {
        mode: Mode::Full,
        embedders: vec![&model],
        ..home.how()
    };
    assert_eq!(refresh(&how).unwrap().embedded, first.embedded);
    assert_eq!(vectors(&home.reader(), &model.fingerprint()), before);
}

/// One session loses a text in the refresh in which another takes it over.
#[test]
fn a_text_that_changes_hands_keeps_its_vector() {
    let home = history(1);
    home.write(1, turns(0, 0, 2).as_bytes());
    let db = home.database();
    say(
        &db,
        "ses_a",
        1,
        "user",
        "Where are the settings of the harbour?",
    );
    let model = Buckets::new("b");
    with(&home, &[&model]).unwrap();
    home.write(0, turns(5, 0, 1).as_bytes());
    with(&home, &[&model]).unwrap();

    let other = Home::new();
    other.write(0, turns(5, 0, 1).as_bytes());
    other.write(1, turns(0, 0, 2).as_bytes());
    say(
        &other.database(),
        "ses_a",
        1,
        "user",
        "Where are the settings of the harbour?",
    );
    with(&other, &[&model]).unwrap();
    let of = |home: &Home| vectors(&home.reader(), &model.fingerprint());
    assert_eq!(of(&home), of(&other));
}
