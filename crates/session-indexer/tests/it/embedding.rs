//! The second pass: models that fail, that are new, that stand side by side.

use crate::embedder::{Buckets, Meanwhile, Refusing};
use crate::home::{Home, say, turns, word};
use crate::state::{found, vectors};
use serde_json::json;
use session_core::{Progress, document};
use session_embed::Embedder;
use session_indexer::{
    EmbeddingOptions, IndexError, RefreshMode, RefreshOptions, RefreshOutcome, RefreshProgress,
    RefreshStage, SilentProgress, embed_releasing_writer, refresh,
};
use session_store::StoredContent;
use std::cell::RefCell;
use std::slice;

fn with(home: &Home, model: &Buckets) -> Result<RefreshOutcome, IndexError> {
    refresh(&home.options_with(model))
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
    let home = history(100);
    // Enough for the first commit, not for all.
    let failing = Buckets::failing_after("b", 250);
    let error = with(&home, &failing).unwrap_err();
    assert!(matches!(error, IndexError::Embed(_)), "{error}");
    assert_eq!(found(&home.reader(), &word(7, 1)).len(), 1);
    let first = vectors(&home.reader(), &failing.fingerprint()).len();
    assert!(first > 0, "the first commit stays");

    let good = Buckets::new("b");
    let outcome = with(&home, &good).unwrap();
    assert!(outcome.is_complete() && outcome.embedded > 0);
    let all = vectors(&home.reader(), &good.fingerprint());
    assert_eq!(all.len(), first + outcome.embedded);
    let other = history(100);
    with(&other, &good).unwrap();
    assert_eq!(all, vectors(&other.reader(), &good.fingerprint()));
}

/// Its vector would say that all such texts are alike.
#[test]
fn what_a_model_does_not_read_has_no_vector_of_it() {
    let home = Home::new();
    let text =
        "この検索機能を新しく実装して、索引も追加してください。それから設定画面も直してほしいです";
    let line = turns(0, 0, 1).lines().next().unwrap().to_owned() + "\n";
    let line = line.replace("Why does topic0x0 not start on my machine?", text);
    home.write(0, line.as_bytes());
    let models = [Buckets::of_latin("b"), Buckets::new("c")];
    for model in &models {
        assert!(with(&home, model).unwrap().is_complete());
    }
    let of = |model: &Buckets| vectors(&home.reader(), &model.fingerprint()).len();
    assert_eq!(of(&models[0]), 0);
    assert!(of(&models[1]) > 0);
}

#[test]
fn two_models_stand_side_by_side() {
    let home = history(3);
    let models = [Buckets::new("b"), Buckets::new("c")];
    with(&home, &models[0]).unwrap();
    let before = vectors(&home.reader(), &models[0].fingerprint());
    let outcome = with(&home, &models[1]).unwrap();
    assert_eq!(outcome.embedded, before.len(), "the new one embeds all");
    let reader = home.reader();
    let [first, second] = models
        .each_ref()
        .map(|m| vectors(&reader, &m.fingerprint()));
    assert_eq!(first, before);
    assert!(second.len() == first.len() && second != first);
    for model in &models {
        assert_eq!(with(&home, model).unwrap(), RefreshOutcome::default());
    }
}

/// Sessions of an empty index are embedded as they are read. Copies, titles that another file gives, sessions of several
/// in one file, and long ones have the vectors that the second pass makes.
#[test]
fn a_first_index_has_the_vectors_of_the_second_pass() {
    let home = history(4);
    home.write(5, (turns(0, 0, 2) + &turns(5, 2, 2)).as_bytes());
    let title = json!({"type": "summary", "summary": "All of topic2x1", "leafUuid": "b2-1"});
    home.write(6, format!("{title}\n{}", turns(6, 0, 1)).as_bytes());
    let long = turns(7, 0, 250).replace("on my machine", &"on my old machine ".repeat(300));
    home.write(7, long.as_bytes());
    let db = home.database();
    say(&db, "ses_a", 1, "user", "Which port does the harbour have?");
    say(&db, "ses_b", 2, "user", "Why does the crane not turn?");
    let model = Buckets::new("b");
    let at_once = with(&home, &model).unwrap();
    let of_first = vectors(&home.reader(), &model.fingerprint());
    let first = home.reader();
    let row = first.model(&model.fingerprint()).unwrap().unwrap();
    assert_eq!(first.embedded_sessions(row.id).unwrap(), 9);

    fs_err::remove_dir_all(home.root()).unwrap();
    home.refresh();
    let later = with(&home, &model).unwrap();
    assert_eq!(of_first, vectors(&home.reader(), &model.fingerprint()));
    assert!(at_once.embedded >= later.embedded && later.embedded > 500);
}

#[test]
fn a_slow_model_embeds_a_text_once() {
    let home = history(2);
    let model = Buckets::new("b");
    let embed_new = || {
        let turns = home.refresh().turns;
        let done = embed_releasing_writer(
            &home.root(),
            &EmbeddingOptions::new(&model, &SilentProgress),
        );
        (turns, done.unwrap().texts)
    };
    embed_new();
    // The same words at another time, so no copy: its texts are known.
    let same = turns(0, 0, 2)
        .replace("2026-03-02", "2026-04-05")
        .replace("\"u0-", "\"v0-");
    home.write(2, same.as_bytes());
    assert_eq!(embed_new(), (2, 0));
    assert_eq!(found(&home.reader(), &word(0, 0)).len(), 2);
    // And more of a session costs only what is new: a turn, a session's chunk.
    home.write(1, turns(1, 0, 3).as_bytes());
    assert_eq!(embed_new().1, 2);
}

#[test]
fn a_fast_model_embeds_what_is_new_of_a_session() {
    let home = history(2);
    let model = Buckets::new("b");
    with(&home, &model).unwrap();
    home.write(1, turns(1, 0, 3).as_bytes());
    assert_eq!(with(&home, &model).unwrap().embedded, 2);
}

/// A session that is embedded in parts has the vectors that it has as a whole, also after it has grown.
#[test]
fn a_session_of_many_turns_has_the_vectors_of_its_documents() {
    let home = Home::new();
    let model = Buckets::new("b");
    for turns_now in [2_500, 2_600] {
        home.write(0, turns(0, 0, turns_now).as_bytes());
        with(&home, &model).unwrap();
        let reader = home.reader();
        let [session] = reader.sessions().unwrap().try_into().unwrap();
        let contents = reader.session_contents(session.id).unwrap();
        let budget = model.max_document_bytes();
        let prompts = contents
            .turns
            .iter()
            .map(|stored| stored.content.prompt.as_str());
        let chunks = document::build_session_documents(contents.title.as_deref(), prompts, budget);
        let of_turn =
            |stored: &StoredContent| document::build_turn_document(&stored.content, budget);
        let of_turns = contents.turns.iter().filter_map(of_turn).count();
        let stored = vectors(&reader, &model.fingerprint());
        assert_eq!(stored.len(), chunks.len() + of_turns);
        assert_eq!(of_turns, turns_now);
        assert!(chunks.len() > 1);
    }
}

#[test]
fn a_full_run_embeds_all_again() {
    let home = history(3);
    let model = Buckets::new("b");
    let first = with(&home, &model).unwrap();
    let before = vectors(&home.reader(), &model.fingerprint());
    let options = RefreshOptions {
        mode: RefreshMode::Full,
        ..home.options_with(&model)
    };
    assert_eq!(refresh(&options).unwrap().embedded, first.embedded);
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
    with(&home, &model).unwrap();
    // A file that shrinks is taken for a damaged one.
    let longer = turns(5, 0, 1) + &"{\"type\":\"mode\"}\n".repeat(200);
    home.write(0, longer.as_bytes());
    with(&home, &model).unwrap();

    let other = Home::new();
    other.write(0, longer.as_bytes());
    other.write(1, turns(0, 0, 2).as_bytes());
    say(
        &other.database(),
        "ses_a",
        1,
        "user",
        "Where are the settings of the harbour?",
    );
    with(&other, &model).unwrap();
    let of = |home: &Home| vectors(&home.reader(), &model.fingerprint());
    assert_eq!(of(&home), of(&other));
}

#[test]
fn a_slow_model_gives_what_a_fast_one_gives() {
    let (home, other) = (history(3), history(3));
    let model = Buckets::new("b");
    with(&home, &model).unwrap();
    other.refresh();
    let done = embed_releasing_writer(
        &other.root(),
        &EmbeddingOptions::new(&model, &SilentProgress),
    )
    .unwrap();
    assert_eq!((done.texts, done.sessions_left), (9, 0));
    let of = |home: &Home| vectors(&home.reader(), &model.fingerprint());
    assert_eq!(of(&home), of(&other));
    let again = embed_releasing_writer(
        &other.root(),
        &EmbeddingOptions::new(&model, &SilentProgress),
    )
    .unwrap();
    assert_eq!((again.texts, again.sessions_left), (0, 0));
}

/// Their vectors are zero and not stored: by the index alone they would be the next ones again and again.
#[test]
fn more_texts_than_a_commit_has_that_a_slow_model_cannot_read() {
    let home = Home::new();
    let lines = turns(0, 0, 250);
    let prompts = lines.lines().filter(|line| line.contains("Why does"));
    let unreadable = |(turn, line): (usize, &str)| {
        let prompt = format!("Why does {} not start on my machine?", word(0, turn));
        line.replace(
            &prompt,
            "この検索機能を新しく実装して、索引も追加してください",
        )
    };
    let last = format!("{}\n", prompts.clone().next_back().unwrap());
    let lines: String = prompts
        .enumerate()
        .take(249)
        .map(|line| unreadable(line) + "\n")
        .collect();
    home.write(0, (lines + &last).as_bytes());
    home.refresh();
    let model = Buckets::of_latin("b");
    let done = embed_releasing_writer(
        &home.root(),
        &EmbeddingOptions::new(&model, &SilentProgress),
    )
    .unwrap();
    assert_eq!(done.sessions_left, 0);
    assert_eq!(vectors(&home.reader(), &model.fingerprint()).len(), 2);
}

/// The work is committed every 100 texts, inside a long session, too.
#[test]
fn a_slow_model_that_is_stopped_goes_on_from_there() {
    let home = Home::new();
    home.write(0, turns(0, 0, 250).as_bytes());
    home.refresh();
    let failing = Buckets::failing_after("b", 120);
    let error = embed_releasing_writer(
        &home.root(),
        &EmbeddingOptions::new(&failing, &SilentProgress),
    )
    .unwrap_err();
    assert!(matches!(error, IndexError::Embed(_)), "{error}");
    let held = vectors(&home.reader(), &failing.fingerprint()).len();
    assert_eq!(held, 100);
    let good = Buckets::new("b");
    let done = embed_releasing_writer(&home.root(), &EmbeddingOptions::new(&good, &SilentProgress))
        .unwrap();
    let all = vectors(&home.reader(), &good.fingerprint()).len();
    assert_eq!((done.texts + held, done.sessions_left), (all, 0));

    let other = Buckets::new("c");
    let stopped = EmbeddingOptions {
        stop: &|| true,
        ..EmbeddingOptions::new(&other, &SilentProgress)
    };
    let done = embed_releasing_writer(&home.root(), &stopped).unwrap();
    assert_eq!((done.texts, done.sessions_left), (0, 1));
}

#[test]
fn others_write_while_a_slow_model_computes() {
    let home = history(1);
    home.refresh();
    let model = Meanwhile::new(Buckets::new("b"), || {
        home.write(1, turns(1, 0, 2).as_bytes());
        assert!(!home.refresh().locked);
    });
    let done = embed_releasing_writer(
        &home.root(),
        &EmbeddingOptions::new(&model, &SilentProgress),
    )
    .unwrap();
    assert_eq!((done.texts, done.sessions_left), (6, 0), "new turns, too");
}

/// Notes the progress of an embedding run, in turns.
#[derive(Default)]
struct EmbeddingReports(RefCell<Vec<(u64, u64)>>);

impl RefreshProgress for EmbeddingReports {
    fn report(&self, stage: RefreshStage, progress: Progress) {
        if stage == RefreshStage::Embedding {
            self.0.borrow_mut().push((progress.done, progress.total));
        }
    }
}

#[test]
fn the_progress_of_a_slow_model_is_of_all_turns() {
    let home = history(150);
    home.refresh();
    let (model, reports) = (Buckets::new("b"), EmbeddingReports::default());
    embed_releasing_writer(&home.root(), &EmbeddingOptions::new(&model, &reports)).unwrap();
    let reports = reports.0.into_inner();
    assert!(reports.len() > 2, "it takes several commits");
    assert!(
        reports.iter().all(|(_, total)| *total == 300),
        "{reports:?}"
    );
    assert_eq!(reports.last(), Some(&(300, 300)));
}

/// A text that a server refuses costs itself, is told, and is tried again.
#[test]
fn a_text_that_fails_is_tried_again_later() {
    let home = history(3);
    home.refresh();
    let refusing = Refusing {
        model: Buckets::new("b"),
        word: word(1, 0),
    };
    let run = |model: &dyn Embedder| {
        embed_releasing_writer(&home.root(), &EmbeddingOptions::new(model, &SilentProgress))
            .unwrap()
    };
    let done = run(&refusing);
    // A turn, and the chunk of its session.
    assert_eq!((done.texts, done.failed, done.sessions_left), (7, 2, 1));
    let failures = || {
        assert_eq!(home.reader().problems().unwrap(), []);
        let failures = home.reader().model_failures().unwrap();
        failures.into_iter().collect::<Vec<_>>()
    };
    let reason = "no vector could be had of 2 texts; the next run tries again";
    let failure = ("b".to_owned(), reason.to_owned());
    assert_eq!(failures(), slice::from_ref(&failure));
    let done = run(&refusing);
    assert_eq!((done.texts, done.failed, done.sessions_left), (0, 2, 1));
    assert_eq!(failures(), slice::from_ref(&failure));
    let done = run(&refusing.model);
    assert_eq!((done.texts, done.failed, done.sessions_left), (2, 0, 0));
    assert_eq!(failures(), []);
    assert_eq!(
        vectors(&home.reader(), &refusing.model.fingerprint()).len(),
        9
    );
}
