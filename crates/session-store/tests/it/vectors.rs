//! Vectors, and what each stands for.

use crate::npy;
use crate::support::{
    DIMS, Index, deliver, embed, has_vector, is_near, meta, model, session as session_of, turn,
    vector,
};
use session_core::Turn;
use session_store::{
    Document, DocumentExtent, DocumentKind, EmbeddedDocument, ModelRow, Reader, SessionId, TurnId,
    VectorRow, Writer,
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

/// A document with its vector.
pub fn embedded(turn: i64, text: &str, vector: Vec<f32>) -> EmbeddedDocument {
    EmbeddedDocument {
        document: document(turn, text),
        vector: Some(vector),
    }
}

/// A document of whose text a vector is stored.
pub fn stored(turn: i64, text: &str) -> EmbeddedDocument {
    EmbeddedDocument {
        document: document(turn, text),
        vector: None,
    }
}

pub fn put(writer: &mut Writer, session: i64, documents: &[EmbeddedDocument]) {
    let model = model(writer);
    let pending = session_of(writer, session);
    writer
        .store_documents(&model, pending, documents, DocumentExtent::Complete)
        .unwrap();
}

pub fn current(index: &Reader) -> ModelRow {
    index.model("f00d").unwrap().unwrap()
}

/// Session, turn and vector of all rows that stand for a turn.
pub fn rows(index: &Reader) -> Vec<(i64, i64, Vec<f32>)> {
    let model = current(index);
    let matrix = index.matrix(&model, DocumentKind::Turn).unwrap();
    let owners = index.vector_owners(model.id, DocumentKind::Turn).unwrap();
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
    put(&mut writer, 1, &[embedded(1, "a", axis(0))]);
    writer.commit().unwrap();
    put(
        &mut writer,
        2,
        &[embedded(2, "b", axis(1)), embedded(3, "c", axis(2))],
    );
    drop(writer);
    assert_eq!(rows(&index.reader()), [(1, 1, axis(0))]);
    let mut writer = index.writer();
    put(&mut writer, 3, &[embedded(4, "d", axis(3))]);
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
        let documents = [embedded(session, ["a", "b"][n], axis(n))];
        writer
            .store_documents(&before, pending, &documents, DocumentExtent::Complete)
            .unwrap();
        writer.commit().unwrap();
    }
    assert_eq!(rows(&index.reader()), [(1, 1, axis(0)), (2, 2, axis(1))]);
}

#[test]
fn the_same_text_needs_no_second_vector() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[embedded(1, "a", axis(0))]);
    put(&mut writer, 2, &[stored(2, "a")]);
    writer.commit().unwrap();
    put(&mut writer, 3, &[stored(3, "a")]);
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
    let twice = [embedded(1, "a", axis(0)), stored(2, "a")];
    writer
        .store_documents(&fast, pending, &twice, DocumentExtent::Subset)
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
        model.rows(DocumentKind::Turn),
        2,
        "the second is a copy of the first"
    );
}

#[test]
fn rows_stay_where_the_text_stays() {
    let index = Index::new();
    let mut writer = index.writer();
    let three = [
        embedded(1, "a", axis(0)),
        embedded(2, "b", axis(1)),
        embedded(3, "c", axis(2)),
    ];
    put(&mut writer, 1, &three);
    writer.commit().unwrap();
    put(&mut writer, 1, &[stored(9, "c"), stored(1, "a")]);
    writer.commit().unwrap();
    assert_eq!(
        rows(writer.reader().unwrap()),
        [(1, 1, axis(0)), (1, 9, axis(2))]
    );
    assert_eq!(
        current(writer.reader().unwrap()).rows(DocumentKind::Turn),
        3,
        "one row is dead"
    );
}

#[test]
fn a_zero_vector_is_not_stored() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[embedded(1, "a", vec![0.0; DIMS])]);
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
fn two_models_do_not_touch_each_other() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[embedded(1, "a", axis(0))]);
    let other = writer.add_model("beef", "other", 3).unwrap();
    let pending = session_of(&mut writer, 1);
    let documents = [embedded(1, "a", vec![0.0, 1.0, 0.0])];
    let index_of_one = writer.reader().unwrap();
    assert!(!has_vector(index_of_one, &other, pending.session, "a"));
    writer
        .store_documents(&other, pending, &documents, DocumentExtent::Complete)
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
    let matrix = reader.matrix(&other, DocumentKind::Turn).unwrap();
    assert_eq!((matrix.rows(), matrix.dims()), (1, 3));
    assert_eq!(matrix.dot(&[0.5, 0.25, 0.0]).products, [0.25]);
    assert_eq!(rows(&reader), [(1, 1, axis(0))]);
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
    reader
        .vector_owners(model.id, DocumentKind::Turn)
        .unwrap()
        .count()
}

#[test]
fn a_reader_for_many_queries_keeps_vectors_until_others_commit() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, &[embedded(1, "a", axis(0))]);
    writer.commit().unwrap();
    let reader = Reader::open(index.root()).unwrap();
    let found = |query: usize| {
        reader.begin_snapshot().unwrap();
        let model = reader.model("f00d").unwrap().unwrap();
        let owners = reader.vector_owners(model.id, DocumentKind::Turn).unwrap();
        let rows: Vec<VectorRow> = owners.rows().collect();
        let dots = reader
            .matrix(&model, DocumentKind::Turn)
            .unwrap()
            .dot(&axis(query))
            .products;
        reader.end_snapshot().unwrap();
        let of_rows = rows.iter().map(|row| dots[row.row]);
        (rows.len(), of_rows.fold(0.0, f32::max))
    };
    assert_eq!([found(0), found(0)], [(1, 1.0), (1, 1.0)]);
    assert_eq!(found(1), (1, 0.0));
    put(&mut writer, 2, &[embedded(2, "b", axis(1))]);
    assert_eq!(found(1), (1, 0.0));
    writer.commit().unwrap();
    assert_eq!(found(1), (2, 1.0));
}
