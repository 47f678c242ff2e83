//! Rows that stand for nothing are given back, and nobody notices.

use crate::npy;
use crate::support::{DIMS, Index, model, vector};
use session_store::{
    Document, DocumentExtent, DocumentKind, EmbeddedDocument, ModelRow, Reader, StoreError, TurnId,
    Writer,
};
use std::collections::BTreeMap;
use std::time::Duration;

fn put(writer: &mut Writer, session: i64, texts: impl Iterator<Item = usize>) {
    let model = model(writer);
    let of = |n: usize| {
        let text = format!("text number {n}");
        let vector = vector(&text);
        let document = Document {
            turn: Some(TurnId::new(n as i64 + 1)),
            text,
        };
        EmbeddedDocument {
            document,
            vector: Some(vector),
        }
    };
    let documents: Vec<_> = texts.map(of).collect();
    let pending = crate::support::session(writer, session);
    writer
        .store_documents(&model, pending, &documents, DocumentExtent::Complete)
        .unwrap();
    writer.commit().unwrap();
}

fn current(index: &Reader) -> ModelRow {
    index.model("f00d").unwrap().unwrap()
}

/// Each turn with its cosine to a query.
fn cosines(index: &Reader) -> BTreeMap<TurnId, f32> {
    let model = current(index);
    let query = vector("a query");
    let scores = index
        .matrix(&model, DocumentKind::Turn)
        .unwrap()
        .dot(&query)
        .products;
    let owners = index.vector_owners(model.id, DocumentKind::Turn).unwrap();
    owners
        .rows()
        .filter_map(|o| Some((o.turn?, scores[o.row])))
        .collect()
}

const GENERATIONS: [&str; 2] = ["vectors/f00d/turn.0.npy", "vectors/f00d/turn.1.npy"];

/// An index of two sessions, the first of which has just lost its texts.
fn half_dead() -> (Index, Writer) {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, 0..900);
    put(&mut writer, 2, 900..1800);
    put(&mut writer, 1, (0..900).filter(|n| n % 10 == 0));
    (index, writer)
}

#[test]
fn dead_rows_go_and_results_stay() {
    let (index, mut writer) = half_dead();
    let before = cosines(writer.reader().unwrap());
    let earlier = index.reader();
    let mapped = earlier
        .matrix(&current(&earlier), DocumentKind::Turn)
        .unwrap();
    let rows_before = mapped.rows();
    writer.compact("f00d").unwrap();

    let reader = index.reader();
    let model = current(&reader);
    assert_eq!(cosines(&reader), before);
    assert_eq!(model.rows(DocumentKind::Turn), before.len());
    assert!(rows_before > before.len() + 512);
    assert_eq!(
        GENERATIONS.map(|f| index.root().join(f).exists()),
        [cfg!(windows), true], // there a file that is mapped stays
    );
    let array = npy::read(&index.root().join(GENERATIONS[1]));
    assert_eq!(array.shape, (before.len(), DIMS));
    // What was opened before is still whole.
    assert_eq!(mapped.dot(&vector("a query")).products.len(), rows_before);
    assert_eq!(cosines(&earlier), before);
}

#[test]
fn rows_are_appended_to_the_new_generation() {
    let (index, mut writer) = half_dead();
    writer.compact("f00d").unwrap();
    let before = cosines(writer.reader().unwrap());
    put(&mut writer, 3, 5000..5010);
    let after = cosines(&index.reader());
    assert!(after.len() > before.len());
    assert!(before.iter().all(|(turn, score)| after[turn] == *score));
}

#[test]
fn a_few_dead_rows_are_left() {
    let index = Index::new();
    let mut writer = index.writer();
    put(&mut writer, 1, 0..100);
    put(&mut writer, 1, 0..1);
    let before = current(writer.reader().unwrap());
    writer.compact("f00d").unwrap();
    writer.compact("no such model").unwrap();
    assert_eq!(current(writer.reader().unwrap()), before);
    assert!(index.root().join(GENERATIONS[0]).exists());
}

#[test]
fn a_damaged_matrix_is_not_compacted() {
    let (index, mut writer) = half_dead();
    fs_err::write(index.root().join(GENERATIONS[0]), "short").unwrap();
    let failed = writer.compact("f00d");
    assert!(matches!(failed, Err(StoreError::Corrupt { .. })));
    drop(writer);
    assert_eq!(current(&index.reader()).generation(DocumentKind::Turn), 0);
}

#[test]
fn forgetting_begins_empty_matrices() {
    let (index, mut writer) = half_dead();
    let model = current(writer.reader().unwrap()).id;
    writer.delete_vectors(model).unwrap();
    assert_eq!(cosines(&index.reader()), BTreeMap::new());
    assert!(!index.root().join(GENERATIONS[0]).exists());
    put(&mut writer, 1, 0..10);
    let array = npy::read(&index.root().join(GENERATIONS[1]));
    assert_eq!(array.shape.0, cosines(&index.reader()).len());
}

#[test]
fn another_version_of_a_model_is_deleted_with_its_files() {
    let (index, mut writer) = half_dead();
    let old = current(writer.reader().unwrap());
    let other = writer.add_model("beef", "other", 3).unwrap();
    let new = writer.add_model("cafe", &old.name, 3).unwrap();
    let matrix = index.root().join(GENERATIONS[0]);
    let foreign = index.root().join("vectors/backup/turn.0.npy");
    fs_err::create_dir_all(foreign.parent().unwrap()).unwrap();
    fs_err::write(&foreign, "somebody's").unwrap();
    writer
        .delete_other_versions(&new, Duration::from_secs(3600))
        .unwrap();
    writer.commit().unwrap();
    assert_eq!(index.reader().models().unwrap().len(), 3, "it is in use");
    writer.delete_other_versions(&new, Duration::ZERO).unwrap();
    assert!(matrix.exists(), "until the commit");
    writer.commit().unwrap();
    assert_eq!(index.reader().models().unwrap(), [other, new]);
    assert!(!matrix.exists() && foreign.exists());
}

#[test]
fn a_matrix_that_a_deleted_model_left_is_not_cut() {
    let (index, mut writer) = half_dead();
    let old = current(writer.reader().unwrap());
    let matrix = index.root().join(GENERATIONS[0]);
    let bytes = fs_err::read(&matrix).unwrap();
    let new = writer.add_model("cafe", &old.name, 3).unwrap();
    writer.delete_other_versions(&new, Duration::ZERO).unwrap();
    writer.commit().unwrap();
    fs_err::create_dir_all(matrix.parent().unwrap()).unwrap();
    fs_err::write(&matrix, &bytes).unwrap();
    let mapped = fs_err::File::open(&matrix).unwrap();
    put(&mut writer, 1, 0..10);
    assert_eq!(mapped.metadata().unwrap().len(), bytes.len() as u64);
    let array = npy::read(&matrix);
    assert!(array.shape.0 > 0);
}
