//! Vectors, and what each stands for.

use crate::npy;
use crate::support::{
    DIMS, Index, deliver, embed, has_vector, is_near, meta, model, session as session_of, turn,
    vector,
};
use session_core::Turn;
use session_store::{
    Document, DocumentBatch, Level, ModelId, ModelRow, Reader, SessionId, TurnId, VectorRow, Writer,
};

pub fn axis(n: usize) -> Vec<f32> {
    (0..DIMS).map(|i| if i == n { 1.0 } else { 0.0 }).collect()
}

fn document(turn: i64, text: &str) -> Document {
    Document {
        turn: Some(TurnId::new(turn)),
        text: text.into(),
    }
}

fn put(writer: &mut Writer, session: i64, documents: &[(Document, Option<Vec<f32>>)]) {
    let model = model(writer);
    let pending = session_of(writer, session);
    writer
        .store_documents(&model, pending, documents, DocumentBatch::Complete)
        .unwrap();
}

fn current(index: &Reader) -> ModelRow {
    index.model("f00d").unwrap().unwrap()
}

/// Session, turn and vector of all rows that stand for a turn.
pub fn rows(index: &Reader) -> Vec<(i64, i64, Vec<f32>)> {
    let model = current(index);
    let matrix = index.matrix(&model, Level::Turn).unwrap();
    let owners = index.vector_owners(model.id, Level::Turn).unwrap();
    let row = |o: VectorRow| {
        let turn = o.turn.map_or(0, i64::from);
        (i64::from(o.session), turn, matrix.row(o.row))
    };
    owners.rows().map(row).collect()
}

#[test]
fn rows_of_a_writer_that_died_are_overwritten() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[(document(1, "a"), Some(axis(0)))]);
    writer.commit().unwrap();
    put(
        &mut writer,
        2,
        &[
            (document(2, "b"), Some(axis(1))),
            (document(3, "c"), Some(axis(2))),
        ],
    );
    drop(writer);
    assert_eq!(rows(&index.reader()), [(1, 1, axis(0))]);
    let mut writer = index.writer();
    put(&mut writer, 3, &[(document(4, "d"), Some(axis(3)))]);
    writer.commit().unwrap();
    assert_eq!(rows(&index.reader()), [(1, 1, axis(0)), (3, 4, axis(3))]);
    let array = npy::read(&index.root().join("vectors/f00d/turn.0.npy"));
    assert_eq!(array.rows, [axis(0), axis(3)]);
}

#[test]
fn a_model_row_from_before_a_commit_is_accepted() {
    let index = Index::new();
    let mut writer = index.writer();
    let before = model(&mut writer);
    for (session, n) in [(1, 0), (2, 1)] {
        let pending = session_of(&mut writer, session);
        let documents = [(document(session, ["a", "b"][n]), Some(axis(n)))];
        writer
            .store_documents(&before, pending, &documents, DocumentBatch::Complete)
            .unwrap();
        writer.commit().unwrap();
    }
    assert_eq!(rows(&index.reader()), [(1, 1, axis(0)), (2, 2, axis(1))]);
}

#[test]
fn the_same_text_needs_no_second_vector() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[(document(1, "a"), Some(axis(0)))]);
    put(&mut writer, 2, &[(document(2, "a"), None)]);
    writer.commit().unwrap();
    put(&mut writer, 3, &[(document(3, "a"), None)]);
    writer.commit().unwrap();
    let vectors = [(1, 1, axis(0)), (2, 2, axis(0)), (3, 3, axis(0))];
    assert_eq!(rows(&index.reader()), vectors);
    let model = current(writer.reader().unwrap());
    let mut known = |text| {
        let index = writer.reader().unwrap();
        has_vector(index, &model, SessionId::new(9), text)
    };
    assert_eq!((known("a"), known("b")), (true, false));
}

#[test]
fn a_text_of_a_fast_model_is_known_in_its_session_alone() {
    let index = Index::new();
    let mut writer = index.writer();
    let fast = writer.add_model("fa57", "fast", DIMS).unwrap();
    let pending = session_of(&mut writer, 1);
    let twice = |vector| [(document(1, "a"), vector), (document(2, "a"), None)];
    writer
        .store_documents(
            &fast,
            pending,
            &twice(Some(axis(0))),
            DocumentBatch::Partial,
        )
        .unwrap();
    writer.commit().unwrap();
    let reader = index.reader();
    let known = |session| {
        let session = SessionId::new(session);
        has_vector(&reader, &fast, session, "a")
    };
    assert_eq!((known(1), known(2)), (true, false));
    let model = reader.model("fa57").unwrap().unwrap();
    assert_eq!(
        model.rows(Level::Turn),
        2,
        "the second is a copy of the first"
    );
}

#[test]
fn rows_stay_where_the_text_stays() {
    let index = Index::new();
    let mut writer = index.writer();
    let three = [
        (document(1, "a"), Some(axis(0))),
        (document(2, "b"), Some(axis(1))),
        (document(3, "c"), Some(axis(2))),
    ];
    put(&mut writer, 1, &three);
    writer.commit().unwrap();
    put(
        &mut writer,
        1,
        &[(document(9, "c"), None), (document(1, "a"), None)],
    );
    writer.commit().unwrap();
    assert_eq!(
        rows(writer.reader().unwrap()),
        [(1, 1, axis(0)), (1, 9, axis(2))]
    );
    assert_eq!(
        current(writer.reader().unwrap()).rows(Level::Turn),
        3,
        "one row is dead"
    );
}

#[test]
fn a_zero_vector_is_not_stored() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[(document(1, "a"), Some(vec![0.0; DIMS]))]);
    writer.commit().unwrap();
    assert_eq!(rows(&index.reader()), []);
    let index = writer.reader().unwrap();
    assert!(!has_vector(index, &current(index), SessionId::new(1), "a"));
}

/// One session lets go of a text that another takes over in the same batch: the
/// other was told that the vector is there.
#[test]
fn a_text_that_moves_to_another_session_keeps_its_vector() {
    let at = |origin: &str, time, words: &str| Turn {
        origin: Some(origin.into()),
        started_ms: Some(time),
        ended_ms: Some(time),
        ..turn(0, words, &[])
    };
    let shared = "Why does the new watcher leak file handles?";
    let index = Index::new();
    let mut writer = index.writer();
    let first = deliver(&mut writer, &meta("a"), &[at("m1", 20, shared)]);
    let second = deliver(&mut writer, &meta("b"), &[at("m1", 10, shared)]);
    embed(&mut writer);
    writer.commit().unwrap();
    let holders = |writer: &mut Writer| -> Vec<i64> {
        let all = rows(writer.reader().unwrap()).into_iter();
        all.filter(|r| is_near(&r.2, &vector(shared)))
            .map(|r| r.0)
            .collect()
    };
    assert_eq!(holders(&mut writer), [i64::from(first)]);
    // The newest is embedded first: it is the one that lets go.
    let other = at("m2", 20, "Who wrote this module in the first place?");
    deliver(&mut writer, &meta("a"), &[other]);
    embed(&mut writer);
    writer.commit().unwrap();
    assert_eq!(holders(&mut writer), [i64::from(second)]);
}

#[test]
fn sessions_are_pending_until_embedded_newest_first() {
    let index = Index::new();
    let mut writer = index.writer();
    let at = |time, words: &str| Turn {
        started_ms: Some(time),
        ended_ms: Some(time),
        ..turn(0, words, &[])
    };
    let old = deliver(
        &mut writer,
        &meta("a"),
        &[at(10, "The older question of all.")],
    );
    let new = deliver(
        &mut writer,
        &meta("b"),
        &[at(20, "The newer question of all.")],
    );
    let model = model(&mut writer);
    let pending = |writer: &mut Writer| -> Vec<SessionId> {
        let pending = writer
            .reader()
            .unwrap()
            .pending_sessions(&[model.id])
            .unwrap();
        pending.iter().map(|p| p.session).collect()
    };
    assert_eq!(pending(&mut writer), [new, old]);
    embed(&mut writer);
    assert_eq!(pending(&mut writer), []);
    assert_eq!(
        writer
            .reader()
            .unwrap()
            .embedded_sessions(model.id)
            .unwrap(),
        2
    );
    deliver(
        &mut writer,
        &meta("a"),
        &[at(10, "The older question of all.")],
    );
    assert_eq!(pending(&mut writer), [], "nothing changed");
    deliver(
        &mut writer,
        &meta("a"),
        &[at(10, "The older question, put better.")],
    );
    assert_eq!(pending(&mut writer), [old]);
    assert_eq!(
        writer
            .reader()
            .unwrap()
            .embedded_sessions(model.id)
            .unwrap(),
        1
    );
}

#[test]
fn two_models_do_not_touch_each_other() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[(document(1, "a"), Some(axis(0)))]);
    let other = writer.add_model("beef", "other", 3).unwrap();
    let pending = session_of(&mut writer, 1);
    let documents = [(document(1, "a"), Some(vec![0.0, 1.0, 0.0]))];
    let index_of_one = writer.reader().unwrap();
    assert!(!has_vector(index_of_one, &other, pending.session, "a"));
    writer
        .store_documents(&other, pending, &documents, DocumentBatch::Complete)
        .unwrap();
    writer.commit().unwrap();
    let reader = index.reader();
    let names: Vec<String> = reader
        .models()
        .unwrap()
        .into_iter()
        .map(|m| m.name)
        .collect();
    assert_eq!(names, ["by-hash", "other"]);
    let other = reader.model("beef").unwrap().unwrap();
    let matrix = reader.matrix(&other, Level::Turn).unwrap();
    assert_eq!((matrix.rows(), matrix.dims()), (1, 3));
    assert_eq!(matrix.dot(&[0.5, 0.25, 0.0]).products, [0.25]);
    assert_eq!(rows(&reader), [(1, 1, axis(0))]);
}

#[test]
fn a_partial_batch_leaves_its_session_pending() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[(document(1, "a"), Some(axis(0)))]);
    let at = Turn {
        prompt: "Another question for the first session.".into(),
        ..turn(0, "", &[])
    };
    let session = i64::from(deliver(&mut writer, &meta("made-0"), &[at]));
    let (model, pending) = (model(&mut writer), session_of(&mut writer, session));
    let some = [(document(2, "b"), Some(axis(1)))];
    writer
        .store_documents(&model, pending, &some, DocumentBatch::Partial)
        .unwrap();
    writer.commit().unwrap();
    assert_eq!(
        rows(writer.reader().unwrap()),
        [(1, 1, axis(0)), (1, 2, axis(1))]
    );
    assert_eq!(
        writer
            .reader()
            .unwrap()
            .pending_sessions(&[model.id])
            .unwrap(),
        [pending]
    );
    put(
        &mut writer,
        session,
        &[(document(2, "b"), None), (document(3, "c"), Some(axis(2)))],
    );
    writer.commit().unwrap();
    assert_eq!(
        rows(writer.reader().unwrap()),
        [(1, 2, axis(1)), (1, 3, axis(2))]
    );
    assert_eq!(
        writer
            .reader()
            .unwrap()
            .pending_sessions(&[model.id])
            .unwrap(),
        []
    );
}

/// A vector that no part needs is orphaned with the last part, and one that an earlier part needs is not.
#[test]
fn the_documents_of_a_session_come_in_parts() {
    let index = Index::new();
    let mut writer = index.writer();
    let old = [
        (document(1, "a"), Some(axis(0))),
        (document(2, "b"), Some(axis(1))),
    ];
    put(&mut writer, 1, &old);
    writer.commit().unwrap();
    let (model, pending) = (model(&mut writer), session_of(&mut writer, 1));
    let parts = [
        ([(document(2, "b"), None)], DocumentBatch::Part),
        ([(document(3, "c"), Some(axis(2)))], DocumentBatch::Part),
        ([(document(4, "b"), Some(axis(1)))], DocumentBatch::Complete),
    ];
    for (part, extent) in &parts {
        writer
            .store_documents(&model, pending, part, *extent)
            .unwrap();
        writer.commit().unwrap();
    }
    assert_eq!(
        rows(writer.reader().unwrap()),
        [(1, 2, axis(1)), (1, 3, axis(2)), (1, 4, axis(1))]
    );
    assert!(
        !writer
            .reader()
            .unwrap()
            .has_pending_sessions(&[model.id])
            .unwrap()
    );
}

/// A session one of whose parts could not be stored is embedded again.
#[test]
fn a_session_with_a_part_that_failed_is_still_pending() {
    let index = Index::new();
    let mut writer = index.writer();
    let (model, pending) = (model(&mut writer), session_of(&mut writer, 1));
    let parts = [
        ([(document(1, "a"), None)], DocumentBatch::Part),
        ([(document(2, "b"), Some(axis(1)))], DocumentBatch::Complete),
    ];
    for (part, extent) in &parts {
        writer
            .store_documents(&model, pending, part, *extent)
            .unwrap();
    }
    writer.commit().unwrap();
    assert!(
        writer
            .reader()
            .unwrap()
            .has_pending_sessions(&[model.id])
            .unwrap()
    );
}

#[test]
fn documents_of_an_old_revision_are_not_stored() {
    let index = Index::new();
    let mut writer = index.writer();
    let (model, before) = (model(&mut writer), session_of(&mut writer, 1));
    deliver(
        &mut writer,
        &meta("made-0"),
        &[turn(0, "A question that came meanwhile.", &[])],
    );
    let documents = [(document(1, "a"), Some(axis(0)))];
    writer
        .store_documents(&model, before, &documents, DocumentBatch::Complete)
        .unwrap();
    writer.commit().unwrap();
    assert_eq!(rows(writer.reader().unwrap()), []);
    let pending = writer
        .reader()
        .unwrap()
        .pending_sessions(&[model.id])
        .unwrap();
    assert!(pending.len() == 1 && pending[0].revision > before.revision);
}

#[test]
fn a_session_is_pending_for_models_together_until_one_has_it() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[(document(1, "a"), Some(axis(0)))]);
    let old = model(&mut writer);
    let new = writer.add_model("beef", "other", DIMS).unwrap();
    let pending = session_of(&mut writer, 2);
    let documents = [(document(2, "b"), Some(axis(3)))];
    writer
        .store_documents(&new, pending, &documents, DocumentBatch::Complete)
        .unwrap();
    writer.commit().unwrap();
    let mut sessions = |models: &[ModelId]| -> Vec<i64> {
        let pending = writer.reader().unwrap().pending_sessions(models).unwrap();
        pending.iter().map(|p| p.session.into()).collect()
    };
    assert_eq!(sessions(&[old.id]), [2]);
    assert_eq!(sessions(&[new.id]), [1]);
    assert_eq!(sessions(&[old.id, new.id]), [0; 0]);
}

/// Embeds a session by a model, and notes where that was the last.
fn embed_by(writer: &mut Writer, model: &ModelRow, session: i64) {
    let find = writer.reader().unwrap().pending_sessions(&[model.id]);
    let pending = find.unwrap().into_iter();
    let pending = pending.filter(|p| i64::from(p.session) == session);
    for pending in pending {
        writer
            .store_documents(model, pending, &[], DocumentBatch::Complete)
            .unwrap();
    }
    writer.note_if_complete(model.id).unwrap();
    writer.commit().unwrap();
}

#[test]
fn a_changed_session_waits_for_each_model_that_had_all() {
    let index = Index::new();
    let mut writer = index.writer();
    let models = ["f00d", "beef", "cafe"].map(|of| writer.add_model(of, of, DIMS).unwrap());
    let [quick, slow, partial] = &models;
    for (number, name) in [(1, "a"), (2, "b")] {
        deliver(&mut writer, &meta(name), &[turn(0, name, &[])]);
        embed_by(&mut writer, quick, number);
        embed_by(&mut writer, slow, number);
    }
    embed_by(&mut writer, partial, 2);
    deliver(&mut writer, &meta("a"), &[turn(0, "two", &[])]);
    writer.commit().unwrap();
    let waiting = |writer: &mut Writer, models: &[&ModelRow]| -> Vec<i64> {
        let models: Vec<ModelId> = models.iter().map(|model| model.id).collect();
        let pending = writer.reader().unwrap().pending_sessions(&models).unwrap();
        pending.iter().map(|p| p.session.into()).collect()
    };
    assert_eq!(waiting(&mut writer, &[quick]), [1]);
    assert_eq!(waiting(&mut writer, &[partial]), [1]);
    embed_by(&mut writer, quick, 1);
    assert_eq!(waiting(&mut writer, &[slow]), [1]);
    assert_eq!(waiting(&mut writer, &[quick, slow]), [0; 0]);
    embed_by(&mut writer, slow, 1);
    assert_eq!(waiting(&mut writer, &[slow]), [0; 0]);
    assert_eq!(waiting(&mut writer, &[partial]), [1]);
    deliver(&mut writer, &meta("b"), &[turn(0, "three", &[])]);
    writer.delete_session(SessionId::new(2)).unwrap();
    assert_eq!(waiting(&mut writer, &[slow]), [0; 0]);
}

/// Also those of a slow model, which gets to the session later.
#[test]
fn rows_of_deleted_turns_are_orphaned() {
    let index = Index::new();
    let mut writer = index.writer();
    let first = turn(0, "Where is the port of the relay set?", &[]);
    let second = turn(1, "Replace the titanium variant, please.", &[]);
    deliver(&mut writer, &meta("a"), &[first.clone(), second]);
    deliver(
        &mut writer,
        &meta("b"),
        &[turn(0, "Something else entirely.", &[])],
    );
    embed(&mut writer);
    writer.commit().unwrap();
    let before = owners(&index.reader());
    deliver(&mut writer, &meta("a"), &[first]);
    writer.commit().unwrap();
    let after = owners(&index.reader());
    assert_eq!((before, after), (3, 1));
    embed(&mut writer);
    writer.commit().unwrap();
    assert_eq!(owners(&index.reader()), 2);
}

fn owners(reader: &Reader) -> usize {
    let model = reader.model("f00d").unwrap().unwrap();
    reader.vector_owners(model.id, Level::Turn).unwrap().count()
}

#[test]
fn a_reader_for_many_queries_keeps_vectors_until_others_commit() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[(document(1, "a"), Some(axis(0)))]);
    writer.commit().unwrap();
    let reader = Reader::open(index.root()).unwrap();
    let found = |query: usize| {
        reader.snapshot().unwrap();
        let model = reader.model("f00d").unwrap().unwrap();
        let owners = reader.vector_owners(model.id, Level::Turn).unwrap();
        let rows: Vec<VectorRow> = owners.rows().collect();
        let dots = reader
            .matrix(&model, Level::Turn)
            .unwrap()
            .dot(&axis(query))
            .products;
        reader.end_snapshot().unwrap();
        let of_rows = rows.iter().map(|row| dots[row.row]);
        (rows.len(), of_rows.fold(0.0, f32::max))
    };
    assert_eq!([found(0), found(0)], [(1, 1.0), (1, 1.0)]);
    assert_eq!(found(1), (1, 0.0));
    put(&mut writer, 2, &[(document(2, "b"), Some(axis(1)))]);
    assert_eq!(found(1), (1, 0.0));
    writer.commit().unwrap();
    assert_eq!(found(1), (2, 1.0));
}
