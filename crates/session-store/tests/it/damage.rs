//! Indexes of other versions, damaged ones, none at all.

use crate::support::{Index, deliver, embed, found, meta, replace_by_file, turn};
use rusqlite::Connection;
use session_store::{
    Document, DocumentExtent, DocumentKind, EmbeddedDocument, FORMAT_VERSION, Reader, RowProducts,
    SessionId, StoreError, TurnId, Writer, delete_old_databases, index_exists, old_databases,
};
use std::path::PathBuf;

const MATRIX: &str = "vectors/f00d/turn.0.npy";

fn filled() -> Index {
    let index = Index::new();
    let mut writer = index.writer();
    for n in 0..40 {
        let asked = turn(0, &format!("Question number{n} of them all."), &[]);
        deliver(&mut writer, &meta(&format!("s{n}")), &[asked]);
    }
    embed(&mut writer);
    writer.commit().unwrap();
    writer.vacuum().unwrap();
    index
}

fn open_matrix(index: &Index) -> Result<usize, StoreError> {
    let reader = index.reader();
    let model = reader.model("f00d").unwrap().unwrap();
    Ok(reader.matrix(&model, DocumentKind::Turn)?.rows())
}

fn assert_rebuilt(index: &Index) {
    let mut writer = Writer::rebuild(index.root()).unwrap();
    assert_eq!(writer.reader().unwrap().sessions().unwrap().len(), 0);
    assert!(!index.root().join("vectors").exists());
    assert!(index.root().join("index.db.old").exists());
    let asked = turn(0, "Where is the port configured?", &[]);
    deliver(&mut writer, &meta("a"), &[asked]);
    embed(&mut writer);
    writer.commit().unwrap();
    assert_eq!(found(&index.reader(), "port").len(), 1);
}

#[test]
fn where_there_is_no_index_the_reader_says_so() {
    let index = Index::new();
    assert!(!index_exists(index.root()));
    let error = Reader::open(index.root()).err().unwrap();
    assert!(matches!(error, StoreError::Missing { .. }) && !error.needs_rebuild());
    // As a writer leaves it that was killed at once.
    fs_err::write(index.root().join("index.db"), "").unwrap();
    let error = Reader::open(index.root()).err().unwrap();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    drop(index.writer());
    assert!(index_exists(index.root()) && Reader::open(index.root()).is_ok());
}

/// As a copy or a backup may leave it.
#[test]
fn a_folder_in_the_place_of_the_database_is_put_aside() {
    let index = Index::new();
    drop(index.writer());
    let folder = index.root().join("index.db");
    fs_err::remove_file(&folder).unwrap();
    fs_err::create_dir(&folder).unwrap();
    let errors = [
        Reader::open(index.root()).err().unwrap(),
        Writer::open(index.root()).err().unwrap(),
    ];
    for error in errors {
        let named = format!("`{}` is a folder", folder.display());
        assert!(error.to_string().ends_with(&named), "{error}");
        assert!(error.needs_rebuild() && error.hint().is_some());
    }
    assert_rebuilt(&index);
    assert_eq!(old_databases(index.root()), [] as [PathBuf; 0]);
    delete_old_databases(index.root()).unwrap();
}

/// A folder that may not be entered, or a process with too many open files, loses no vectors.
#[cfg(unix)]
#[test]
fn a_matrix_that_cannot_be_opened_is_not_damaged() {
    let index = filled();
    let path = index.root().join(MATRIX);
    fs_err::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("turn.0.npy", &path).unwrap();
    let error = open_matrix(&index).unwrap_err();
    assert!(matches!(error, StoreError::Io(_)), "{error}");
    assert!(index.reader().models_with_damaged_vectors().is_err());
    fs_err::remove_file(&path).unwrap();
    assert!(open_matrix(&index).unwrap_err().needs_rebuild());
}

/// An index that says that it has another format, and how opening it fails.
fn of_format(format: u32) -> (Index, [StoreError; 2]) {
    let index = filled();
    let db = rusqlite::Connection::open(index.root().join("index.db")).unwrap();
    db.pragma_update(None, "user_version", format).unwrap();
    db.close().unwrap();
    let errors = [
        Reader::open(index.root()).err().unwrap(),
        Writer::open(index.root()).err().unwrap(),
    ];
    for error in &errors {
        let is_format = matches!(
            error,
            StoreError::Format { found, expected: FORMAT_VERSION, .. } if *found == format
        );
        assert!(is_format && !error.needs_migration(), "{error}");
    }
    (index, errors)
}

/// The first format that has no migration, and the last.
#[test]
fn a_format_that_is_too_old_wants_a_rebuild() {
    for format in [1, 14] {
        let (index, errors) = of_format(format);
        assert!(
            errors
                .iter()
                .all(|e| e.needs_rebuild() && !e.needs_update())
        );
        assert_rebuilt(&index);
    }
}

#[test]
fn a_newer_format_wants_a_newer_program() {
    let (_, errors) = of_format(FORMAT_VERSION + 1);
    assert!(
        errors
            .iter()
            .all(|e| e.needs_update() && !e.needs_rebuild())
    );
}

#[test]
fn a_file_that_is_no_database_wants_a_rebuild() {
    let index = filled();
    fs_err::write(index.root().join("index.db"), "no database ".repeat(1000)).unwrap();
    let errors = [
        Reader::open(index.root()).err().unwrap(),
        Writer::open(index.root()).err().unwrap(),
    ];
    for error in errors {
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        assert!(error.needs_rebuild());
    }
    assert_rebuilt(&index);
}

/// The version of the database says what is in it: what lacks is lost.
#[test]
fn a_schema_that_lacks_something_wants_a_rebuild() {
    for (change, said) in [
        (
            "ALTER TABLE session_blocks RENAME COLUMN sessions TO lost",
            "lacks `session_blocks.sessions`",
        ),
        ("DROP TABLE turns", "lacks `turns.branch`"),
    ] {
        let index = filled();
        let db = rusqlite::Connection::open(index.root().join("index.db")).unwrap();
        db.pragma_update(None, "foreign_keys", false).unwrap();
        db.execute_batch(change).unwrap();
        db.close().unwrap();
        let error = read_all(&index).unwrap_err();
        assert!(error.needs_rebuild() && !error.needs_space(), "{error}");
        let text = error.to_string();
        assert!(text.ends_with(said), "{text}");
        assert_rebuilt(&index);
    }
}

/// Bytes of a page of the database.
const PAGE_BYTES: usize = 2048;

/// Whatever page is lost, nothing panics, and what fails asks for a rebuild.
#[test]
fn a_lost_page_is_an_error_that_wants_a_rebuild() {
    let index = filled();
    let path = index.root().join("index.db");
    let whole = fs_err::read(&path).unwrap();
    assert!(index.reader().verify().is_ok());
    let mut failed = 0;
    for page in 0..whole.len() / PAGE_BYTES {
        let mut bytes = whole.clone();
        bytes[page * PAGE_BYTES..(page + 1) * PAGE_BYTES].fill(0xa5);
        fs_err::write(&path, bytes).unwrap();
        if let Err(error) = read_all(&index) {
            assert!(error.needs_rebuild(), "page {page}: {error}");
            failed += 1;
        }
    }
    assert!(failed > 10, "{failed}");
}

fn read_all(index: &Index) -> Result<(), StoreError> {
    let reader = Reader::open(index.root())?;
    reader.verify()?;
    for session in reader.sessions()? {
        for turn in reader.turns(session.id)? {
            reader.content(turn.id)?;
        }
    }
    let query = session_core::Query::new("question number7");
    reader.search_lexical(&query, 10, |_| Ok(true)).map(drop)
}

#[test]
fn a_frame_that_is_damaged_costs_itself() {
    let index = Index::new();
    let mut writer = index.writer();
    let answer = "some words ".repeat(13_000); // fills a frame
    for n in 0..2 {
        let asked = turn(0, &format!("Question number{n} of them all."), &[&answer]);
        deliver(&mut writer, &meta(&format!("s{n}")), &[asked]);
    }
    writer.commit().unwrap();
    let db = rusqlite::Connection::open(index.root().join("index.db")).unwrap();
    db.execute("UPDATE contents SET frame = x'00ff' WHERE id = 1", [])
        .unwrap();
    let reader = index.reader();
    assert_eq!(reader.content(TurnId::new(1)).unwrap().prompt, "");
    assert_eq!(
        reader.content(TurnId::new(2)).unwrap().prompt,
        "Question number1 of them all."
    );
}

#[cfg(unix)]
#[test]
fn a_matrix_that_is_a_pipe_is_told_without_waiting() {
    let index = filled();
    let path = index.root().join(MATRIX);
    fs_err::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let error = open_matrix(&index).err().unwrap();
    assert!(error.to_string().contains("is no file"), "{error}");
}

type Damage = fn(PathBuf);

#[test]
fn a_matrix_that_is_not_what_the_index_says_is_told() {
    let cases: [(Damage, &str); 8] = [
        (|path| replace_by_file(path.parent().unwrap()), "is missing"),
        (
            |path| replace_by_file(path.ancestors().nth(2).unwrap()),
            "is missing",
        ),
        (
            |path| {
                fs_err::remove_file(&path).unwrap();
                fs_err::create_dir(path).unwrap();
            },
            "is no file",
        ),
        (|path| fs_err::remove_file(path).unwrap(), "is missing"),
        (
            |path| fs_err::write(path, "").unwrap(),
            "is shorter than the index says",
        ),
        (
            |path| {
                let bytes = fs_err::read(&path).unwrap();
                fs_err::write(path, &bytes[..bytes.len() - 1]).unwrap();
            },
            "is shorter than the index says",
        ),
        (
            |path| {
                let length = fs_err::read(&path).unwrap().len();
                fs_err::write(path, vec![7; length]).unwrap();
            },
            "is not a matrix of this model",
        ),
        (
            |path| {
                let mut bytes = fs_err::read(&path).unwrap();
                let at = bytes.windows(4).position(|w| w == b"(8,)").unwrap();
                bytes[at + 1] = b'9';
                fs_err::write(path, bytes).unwrap();
            },
            "is not a matrix of this model",
        ),
    ];
    for (damage, told) in cases {
        let index = filled();
        let rows = open_matrix(&index).unwrap();
        assert!(rows > 0);
        damage(index.root().join(MATRIX));
        let error = open_matrix(&index).err().unwrap();
        assert!(matches!(error, StoreError::Corrupt { .. }) && error.needs_rebuild());
        assert!(error.to_string().contains(told), "{error}");
        assert_eq!(
            found(&index.reader(), "number7").len(),
            1,
            "words are still found"
        );
        let mut writer = index.writer();
        let lost = writer.reader().unwrap().models_with_lost_matrices();
        for model in lost.unwrap() {
            writer.delete_vectors(model).unwrap();
        }
        embed(&mut writer);
        writer.commit().unwrap();
        assert_eq!(open_matrix(&index).unwrap(), rows, "it is repaired");
        assert!(!index.root().join(MATRIX).exists());
    }
}

#[test]
fn a_matrix_that_is_lost_is_told_from_one_that_was_replaced() {
    let index = filled();
    let before = index.reader();
    let model = before.model("f00d").unwrap().unwrap();
    before.begin_snapshot().unwrap();
    before.sessions().unwrap();
    let mut writer = index.writer();
    assert_eq!(
        writer
            .reader()
            .unwrap()
            .models_with_lost_matrices()
            .unwrap(),
        []
    );
    writer.delete_vectors(model.id).unwrap();
    embed(&mut writer);
    writer.commit().unwrap();
    // Its files are gone, for who reads the index as it was.
    let error = before.has_lost_matrix(&model).unwrap_err();
    assert!(error.needs_rebuild(), "{error}");
    let reader = index.reader();
    let model = reader.model("f00d").unwrap().unwrap();
    assert!(!reader.has_lost_matrix(&model).unwrap());
    fs_err::remove_dir_all(index.root().join("vectors")).unwrap();
    assert_eq!(
        index.reader().models_with_lost_matrices().unwrap(),
        [model.id]
    );
}

/// As the one that is there is read while another process compacts it.
#[test]
fn an_index_is_verified_as_it_is_when_a_matrix_is_replaced() {
    let index = filled();
    assert!(Reader::open_verified(index.root()).is_ok());
    fs_err::remove_file(index.root().join(MATRIX)).unwrap();
    let error = Reader::open_verified(index.root()).err().unwrap();
    assert!(error.needs_rebuild(), "{error}");
}

#[test]
fn nothing_is_appended_to_a_damaged_matrix() {
    let index = filled();
    fs_err::write(index.root().join(MATRIX), "short").unwrap();
    let mut writer = index.writer();
    let model = crate::support::model(&mut writer);
    let pending = crate::support::session(&mut writer, 1);
    let document = Document {
        turn: Some(TurnId::new(1)),
        text: "a".into(),
    };
    let documents = [EmbeddedDocument {
        document,
        vector: Some(vec![1.0; 8]),
    }];
    let put = writer.store_documents(&model, pending, &documents, DocumentExtent::Complete);
    assert!(matches!(put, Err(StoreError::Corrupt { .. })));
}

fn products(index: &Index) -> RowProducts {
    let reader = index.reader();
    let model = reader.model("f00d").unwrap().unwrap();
    reader
        .matrix(&model, DocumentKind::Turn)
        .unwrap()
        .dot(&[0.5; 8])
}

#[test]
fn a_damaged_row_scores_nothing() {
    let index = filled();
    let path = index.root().join(MATRIX);
    let sound = products(&index).rounding_variance;
    let intact = fs_err::read(&path).unwrap();
    for scale in [f32::NAN, f32::INFINITY, 1e15] {
        let mut bytes = intact.clone();
        bytes[128..132].copy_from_slice(&scale.to_le_bytes());
        bytes[132..140].fill(0);
        fs_err::write(&path, bytes).unwrap();
        let RowProducts {
            products: scores,
            rounding_variance,
        } = products(&index);
        assert_eq!(scores[0], 0.0);
        assert!(scores[1..].iter().any(|s| *s != 0.0) && scores.iter().all(|s| s.is_finite()));
        assert!(
            sound > 0.0 && (rounding_variance / sound - 1.0).abs() < 0.5,
            "{scale}"
        );
    }
}

/// Indexes one more session and embeds it.
fn append(index: &Index, uid: &str) {
    let mut writer = index.writer();
    let asked = turn(0, &format!("Where is the port of {uid} configured?"), &[]);
    deliver(&mut writer, &meta(uid), &[asked]);
    embed(&mut writer);
    writer.commit().unwrap();
}

/// Returns how many models have damaged vectors where a bit of a byte of the matrix is flipped. The row stays a unit vector,
/// about.
fn damaged_by_flip(index: &Index, at: usize) -> usize {
    let path = index.root().join(MATRIX);
    let intact = fs_err::read(&path).unwrap();
    let mut flipped = intact.clone();
    flipped[at] ^= 1;
    fs_err::write(&path, flipped).unwrap();
    let reader = index.reader();
    let damaged = reader.models_with_damaged_vectors().unwrap().len();
    assert_eq!(reader.verify().is_err(), damaged > 0);
    fs_err::write(&path, intact).unwrap();
    assert!(index.reader().verify_thoroughly().is_ok());
    damaged
}

#[test]
fn a_flipped_bit_of_a_matrix_is_noticed() {
    let index = filled();
    append(&index, "late");
    let last = fs_err::metadata(index.root().join(MATRIX)).unwrap().len();
    for at in [132, usize::try_from(last).unwrap() - 1] {
        assert_eq!(damaged_by_flip(&index, at), 1, "{at}");
    }
}

/// A damaged list names rows of another session, which keeps them.
#[test]
fn a_session_takes_no_vector_of_another_with_it() {
    for damage in [
        "UPDATE vectors SET entries = (SELECT entries FROM vectors WHERE session = 2) WHERE session = 1",
        "UPDATE vectors SET entries = x'ffffffffffffffffff00' || zeroblob(8) WHERE session = 1",
        "UPDATE vectors SET entries = x'ff' WHERE session = 1",
    ] {
        let index = Index::new();
        let mut writer = index.writer();
        for id in ["a", "b"] {
            let turns = [turn(
                0,
                &format!("Where is the port of {id} configured?"),
                &[],
            )];
            deliver(&mut writer, &meta(id), &turns);
        }
        embed(&mut writer);
        writer.commit().unwrap();
        let db = Connection::open(index.root().join("index.db")).unwrap();
        db.execute_batch(damage).unwrap();
        drop(db);
        let vectors = |session| {
            let index = index.reader();
            let model = index.model("f00d").unwrap().unwrap();
            let matrix = index.matrix(&model, DocumentKind::Turn).unwrap();
            let owners = index.vector_owners(model.id, DocumentKind::Turn).unwrap();
            let rows = owners
                .rows()
                .filter(|row| row.session == SessionId::new(session));
            rows.map(|row| matrix.row(row.row)).collect::<Vec<_>>()
        };
        let before = vectors(2);
        assert_eq!(before.len(), 1);
        writer.delete_session(SessionId::new(1)).unwrap();
        writer.purge().unwrap();
        assert_eq!(vectors(2), before, "{damage}");
        assert_eq!(vectors(1).len(), 0, "{damage}");
        let index = index.reader();
        let model = index.model("f00d").unwrap().unwrap();
        assert_eq!(model.rows(DocumentKind::Turn), 1, "{damage}");
    }
}
