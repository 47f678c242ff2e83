//! Damage that leaves the rows whole is found, and repaired from them.

use crate::support::{Index, deliver, embed, found, meta, replace_by_file, turn};
use rusqlite::Connection;
use session_store::{
    DamagedSession, DocumentKind, Reader, SessionId, TurnId, Writer, old_databases,
};

fn filled() -> Index {
    let index = Index::new();
    let mut writer = index.writer();
    for n in 0..40 {
        deliver_session(&mut writer, n);
    }
    embed(&mut writer);
    writer.commit().unwrap();
    writer.vacuum().unwrap();
    index.reader().verify_thoroughly().unwrap();
    index
}

fn deliver_session(writer: &mut Writer, n: usize) -> SessionId {
    let asked = turn(0, &format!("Question number{n} of them all."), &[]);
    deliver(writer, &meta(&format!("s{n}")), &[asked])
}

fn damage(index: &Index, statements: &str) {
    let db = Connection::open(index.root().join("index.db")).unwrap();
    db.execute_batch(statements).unwrap();
    db.close().unwrap();
}

/// Flips a bit in an entry of one of SQLite's indexes, in its first page.
fn flip_in_index(index: &Index, name: &str, entry: &[u8]) {
    let path = index.root().join("index.db");
    let db = Connection::open(&path).unwrap();
    let select = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
    let root: u32 = db.query_row(select, [name], |row| row.get(0)).unwrap();
    let page: u32 = db
        .query_row("PRAGMA page_size", [], |row| row.get(0))
        .unwrap();
    db.close().unwrap();
    let mut bytes = fs_err::read(&path).unwrap();
    let [root, page] = [root, page].map(|n| n as usize);
    let page = &mut bytes[(root - 1) * page..root * page];
    let at = page.windows(entry.len()).position(|bytes| bytes == entry);
    page[at.unwrap()] ^= 1;
    fs_err::write(path, bytes).unwrap();
}

#[track_caller]
fn assert_mended(index: &Index, told: &str) {
    let error = index.reader().verify_thoroughly().unwrap_err();
    assert!(error.to_string().contains(told), "{error}");
    assert!(error.needs_rebuild() && error.hint().is_some());
    let mut writer = index.writer();
    assert!(writer.repair_database().unwrap());
    writer.reset_cursors().unwrap();
    index.reader().verify_thoroughly().unwrap();
    assert_eq!(index.reader().sessions().unwrap().len(), 40);
    for n in 0..40 {
        let hits = found(&index.reader(), &format!("number{n}"));
        assert_eq!(hits.len(), 1, "number{n}");
    }
}

/// SQLite's `quick_check` does not look there, and a report would lack a session.
#[test]
fn a_flipped_bit_of_an_index_is_found_and_mended() {
    let index = filled();
    flip_in_index(&index, "sessions_uid", b"s17");
    assert!(index.reader().verify().is_ok());
    assert_mended(&index, "sessions_uid");
}

#[test]
fn a_turn_that_the_word_index_lacks_is_found_and_mended() {
    let index = filled();
    damage(&index, "DELETE FROM words_docsize WHERE id = 7");
    assert_mended(&index, "word index");
    damage(
        &index,
        "INSERT INTO words_docsize SELECT 99, sz, origin FROM words_docsize WHERE id = 8",
    );
    assert_mended(&index, "word index");
}

#[test]
fn a_damaged_word_index_is_made_anew() {
    let index = filled();
    damage(&index, "DELETE FROM words_data WHERE id > 10");
    assert_mended(&index, "the database check says");
}

#[test]
fn an_owner_of_a_vector_that_its_session_does_not_list_is_found() {
    let index = filled();
    let swap = "UPDATE owner_blocks
        SET owners = CAST(substr(owners, 9, 8) || substr(owners, 1, 8) || substr(owners, 17) AS BLOB)";
    damage(&index, swap);
    assert_mended(&index, "owner");
    damage(&index, "UPDATE owner_blocks SET owners = x''");
    assert_mended(&index, "owner");
    damage(&index, "DELETE FROM vectors WHERE rowid = 1");
    assert_mended(&index, "owner");
}

/// Sessions whose histories are gone stay.
#[test]
fn tables_that_are_lost_are_made_anew_beside_the_others() {
    for (table, told) in [
        ("titles", "titles"),
        ("pending_purge", "pending_purge"),
        ("changed_sessions", "changed_sessions"),
        ("error_signatures", "error_signatures"),
        ("file_blocks", "file_blocks"),
        ("session_blocks", "session_blocks"),
        ("turn_blocks", "turn_blocks"),
        ("owner_blocks", "owner_blocks"),
        ("embedded", "embedded"),
        ("models", "models"),
        ("words", "words"),
    ] {
        let index = filled();
        let drop = format!("PRAGMA foreign_keys = 0; DROP TABLE {table}");
        damage(&index, &drop);
        assert_mended(&index, told);
    }
    let index = filled();
    damage(&index, "DROP INDEX turns_session");
    assert_mended(&index, "turns_session");
}

#[test]
fn blocks_that_lack_rows_are_found_and_mended() {
    for (statement, told) in [
        ("UPDATE turn_blocks SET turns = x'00'", "damaged"),
        ("DELETE FROM turn_blocks", "missing in its blocks"),
        ("DELETE FROM session_blocks", "0 of 40 sessions"),
    ] {
        let index = filled();
        damage(&index, statement);
        assert_mended(&index, told);
    }
}

#[test]
fn a_block_of_sessions_in_the_place_of_another_is_found_and_replaced() {
    let index = filled();
    damage(&index, "UPDATE session_blocks SET block = 1 << 62");
    assert!(index.reader().sessions().unwrap_err().needs_rebuild());
    assert_mended(&index, "sessions of another one");
}

#[test]
fn a_turn_whose_row_is_lost_is_found() {
    for session in [1, 7, 40] {
        let index = filled();
        let delete = format!(
            "DELETE FROM turns WHERE session = {session}; DELETE FROM words_docsize WHERE id = {session}"
        );
        damage(&index, &delete);
        let error = index.reader().verify().unwrap_err();
        assert!(error.to_string().ends_with("39 of 40 turns"), "{error}");
        let mut writer = index.writer();
        assert!(writer.repair_database().unwrap());
        writer.reset_cursors().unwrap();
        index.reader().verify_thoroughly().unwrap();
    }
}

#[test]
fn a_model_with_another_number_of_components_begins_anew() {
    for dims in [0, 1, 255] {
        let index = filled();
        let rows = |index: &Index| {
            let model = index.reader().model("f00d").unwrap().unwrap();
            (model.dims, model.rows(DocumentKind::Turn))
        };
        let before = rows(&index);
        damage(&index, &format!("UPDATE models SET dims = {dims}"));
        let mut writer = index.writer();
        embed(&mut writer);
        writer.commit().unwrap();
        index.reader().verify_thoroughly().unwrap();
        assert_eq!(rows(&index), before, "{dims}");
    }
}

/// Rows of a model and its vectors are made anew by embedding again.
#[test]
fn a_model_whose_row_cannot_be_read_is_deleted_with_its_vectors() {
    for change in [
        "dims = -5",
        "turn_rows = -1",
        "session_generation = 1 << 50",
        "name = x'00'",
    ] {
        let index = filled();
        let rows = |index: &Index| {
            let model = index.reader().model("f00d").unwrap().unwrap();
            DocumentKind::ALL.map(|kind| model.rows(kind))
        };
        let before = rows(&index);
        damage(&index, &format!("UPDATE models SET {change}"));
        assert_mended(&index, "");
        assert_eq!(index.reader().models().unwrap(), []);
        assert!(!index.root().join("vectors/f00d").exists());
        let mut writer = index.writer();
        deliver_session(&mut writer, 0);
        embed(&mut writer);
        writer.commit().unwrap();
        index.reader().verify_thoroughly().unwrap();
        assert_eq!(rows(&index), before, "{change}");
    }
}

/// The number of a lost row is given to the next model, which has none of these vectors.
#[test]
fn vectors_whose_model_has_no_row_are_damage_and_embedded_again() {
    let index = filled();
    let rows = |index: &Index| {
        let model = index.reader().model("f00d").unwrap().unwrap();
        DocumentKind::ALL.map(|kind| model.rows(kind))
    };
    let before = rows(&index);
    damage(&index, "DELETE FROM models");
    let error = index.reader().verify_thoroughly().unwrap_err();
    assert!(error.needs_rebuild(), "{error}");
    let mut writer = index.writer();
    embed(&mut writer);
    writer.commit().unwrap();
    index.reader().verify_thoroughly().unwrap();
    assert_eq!(rows(&index), before);
}

#[test]
fn a_lost_version_is_told_by_the_tables() {
    for version in [0, -1] {
        let index = filled();
        damage(&index, &format!("PRAGMA user_version = {version}"));
        let error = Reader::open(index.root()).err().unwrap();
        assert!(error.needs_rebuild(), "{error}");
        index.writer().commit().unwrap();
        index.reader().verify_thoroughly().unwrap();
        damage(
            &index,
            &format!("DROP TABLE titles; PRAGMA user_version = {version}"),
        );
        let error = Writer::open(index.root()).err().unwrap();
        assert!(error.needs_rebuild(), "it may have another format: {error}");
    }
}

/// It may be the user's.
#[test]
fn a_file_in_the_place_of_the_vectors_is_put_aside() {
    let index = filled();
    let vectors = index.root().join("vectors");
    for old in ["vectors.old", "vectors.old.2"] {
        replace_by_file(&vectors);
        let mut writer = index.writer();
        let model = writer.reader().unwrap().models().unwrap().remove(0);
        writer.delete_vectors(model.id).unwrap();
        embed(&mut writer);
        writer.commit().unwrap();
        let kept = fs_err::read_to_string(index.root().join(old)).unwrap();
        assert_eq!(kept, "not ours");
        index.reader().verify_thoroughly().unwrap();
    }
    assert_eq!(old_databases(index.root()), [] as [std::path::PathBuf; 0]);
}

#[test]
fn rows_that_are_damaged_are_not_mended() {
    let index = filled();
    damage(&index, "PRAGMA foreign_keys = 0; DROP TABLE turns");
    for error in [
        index.reader().verify().unwrap_err(),
        index.writer().repair_database().unwrap_err(),
    ] {
        assert!(error.to_string().contains("turns"), "{error}");
        assert!(error.needs_rebuild());
    }
}

#[test]
fn a_damaged_content_is_told_and_comes_back_with_its_history() {
    let flip = "UPDATE contents
        SET frame = CAST(substr(frame, 1, 40) || x'00' || substr(frame, 42) AS BLOB)";
    for statement in [flip, "DELETE FROM contents"] {
        check_contents_come_back(statement);
    }
}

fn check_contents_come_back(statement: &str) {
    let index = filled();
    let damaged = || index.reader().damaged_contents().unwrap();
    assert_eq!(damaged(), []);
    damage(&index, statement);
    assert_eq!(damaged().len(), 40);
    assert_eq!(index.reader().content(TurnId::new(1)).unwrap().prompt, "");
    let mut writer = index.writer();
    writer.reset_cursors().unwrap();
    for n in 0..39 {
        deliver_session(&mut writer, n);
    }
    writer.commit().unwrap();
    let left = DamagedSession {
        session: SessionId::new(40),
        turns: 1,
    };
    assert_eq!(damaged(), [left], "its history is gone");
    writer.exclude_turn(TurnId::new(40)).unwrap();
    writer.commit().unwrap();
    assert_eq!(damaged(), []);
    index.reader().verify_thoroughly().unwrap();
}

#[test]
fn a_content_that_is_no_blob_is_an_empty_one() {
    let index = filled();
    damage(&index, "UPDATE contents SET frame = 0");
    assert_eq!(index.reader().damaged_contents().unwrap().len(), 40);
    assert_eq!(index.reader().content(TurnId::new(1)).unwrap().prompt, "");
}
