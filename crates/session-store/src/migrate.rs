//! Migrates an index of an older format in place.
//!
//! Sessions whose histories are gone exist in the index alone: it is not rebuilt when the
//! format changes. A migration belongs to the first transaction of the writer, so that an index
//! has its old format or the new one, whenever the process is killed.

mod redact_contents;

use crate::error::{Result, StoreError};
use crate::id::SessionId;
use crate::schema::{FORMAT_VERSION, open_readable, version};
use crate::sql::Statements;
use crate::writer::{MigrationProgress, Writer};
use std::path::Path;

/// The step from one format to the next.
struct Migration {
    /// The format before it.
    from: u32,
    /// Statements that change the tables. They stay as they are when a later format changes the
    /// same tables again.
    tables: &'static str,
    /// Fills what the tables hold since. It finds the tables of [`FORMAT_VERSION`]: the statements
    /// of all steps run before it.
    fill: fn(&mut Writer, MigrationProgress<'_>) -> Result<()>,
}

/// A step that has the histories that are there read again; what is gone stays.
const READ_AGAIN: Migration = Migration {
    from: 0,
    tables: "
DELETE FROM cursors;
UPDATE files SET mtime_ns = 0, inode = 0 WHERE gone = 0;",
    fill: |writer, _| {
        writer.mark_all_files()?;
        writer.mark_all_sessions()
    },
};

/// All steps, oldest first. A new format adds one. An index that is older than the first step is built anew.
const MIGRATIONS: [Migration; 12] = [Migration {
    // More is read of histories since: they are read again, and sessions whose history is gone stay as they are.
    from: 4,
    tables: "
ALTER TABLE sessions ADD COLUMN rest TEXT;
ALTER TABLE sessions ADD COLUMN work TEXT;
CREATE TABLE openings(session INTEGER PRIMARY KEY, template INTEGER NOT NULL, turn INTEGER NOT NULL);
CREATE INDEX openings_template ON openings(template);
DROP TABLE IF EXISTS code;
DELETE FROM cursors;
UPDATE files SET size = 0, mtime_ns = 0 WHERE gone = 0;",
    fill: |writer, _| writer.find_openings(),
}, Migration {
    // Secrets are redacted, and words are also found by parts of identifiers and of Korean words.
    from: 5,
    tables: "
CREATE TABLE pending_purge(id INTEGER PRIMARY KEY);
CREATE TABLE settings(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
DROP TABLE words;
CREATE VIRTUAL TABLE words USING fts5(
  prompt, answer, title, commands, paths, errors, parts,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
INSERT INTO words(words, rank) VALUES('hashsize', 8000000);",
    fill: Writer::redact_all,
}, Migration {
    // What the rows of a matrix embed is read in blocks, and the sessions of turns are.
    from: 6,
    tables: "
CREATE TABLE owner_blocks(
  model INTEGER NOT NULL, level INTEGER NOT NULL, block INTEGER NOT NULL, owners BLOB NOT NULL,
  PRIMARY KEY(model, level, block));
CREATE TABLE turn_blocks(block INTEGER PRIMARY KEY, turns BLOB NOT NULL);",
    fill: |writer, _| writer.renew_turn_blocks(),
}, Migration {
    // Which command met an error is read of the histories that are there.
    from: 7,
    tables: "
CREATE TABLE error_signatures(
  signature INTEGER NOT NULL, turn INTEGER NOT NULL, PRIMARY KEY(signature, turn)) WITHOUT ROWID;
CREATE INDEX error_signatures_turn ON error_signatures(turn);
DELETE FROM cursors;
UPDATE files SET size = 0, mtime_ns = 0 WHERE gone = 0;",
    fill: |_, _| Ok(()),
}, Migration {
    // Vectors are 8 bits a component, and the words of answers, which are most, come first: a later step indexes them.
    from: 8,
    tables: "
DROP TABLE words;
CREATE VIRTUAL TABLE words USING fts5(
  answer, prompt, title, commands, paths, errors, parts,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
INSERT INTO words(words, rank) VALUES('hashsize', 8000000);",
    fill: |writer, _| writer.quantize_matrices(),
}, Migration {
    // A listing is compared with blocks of files, and models note whether they have embedded all sessions.
    from: 9,
    tables: "
CREATE TABLE file_blocks(block INTEGER PRIMARY KEY, files BLOB NOT NULL);
ALTER TABLE models ADD COLUMN complete INTEGER NOT NULL DEFAULT 0;",
    fill: |writer, _| writer.mark_all_files(),
}, Migration {
    // Sessions are read in blocks. Those that wait for vectors are noted, and rows of matrices that are dead; rare kinds
    // of sessions and files are found by indexes.
    from: 10,
    tables: "
CREATE INDEX files_gone ON files(id) WHERE gone;
CREATE INDEX sessions_prompts ON sessions(id) WHERE gone & 2;
CREATE TABLE changed_sessions(session INTEGER PRIMARY KEY);
CREATE TABLE session_blocks(block INTEGER PRIMARY KEY, sessions BLOB NOT NULL);
ALTER TABLE models ADD COLUMN session_dead INTEGER NOT NULL DEFAULT 0;
ALTER TABLE models ADD COLUMN turn_dead INTEGER NOT NULL DEFAULT 0;
UPDATE models SET
  session_dead = session_rows - (SELECT count(*) FROM vectors v WHERE v.model = models.id AND v.level = 0),
  turn_dead = turn_rows - (SELECT count(*) FROM vectors v WHERE v.model = models.id AND v.level = 1);",
    fill: |writer, _| writer.mark_all_sessions(),
}, Migration {
    // Error lines are chosen otherwise, and calls that did not run are told from those that failed: the histories that are
    // there are read again.
    from: 11,
    ..READ_AGAIN
}, Migration {
    // Calls whose end is not told are unfinished, and outputs say that they were cut: read again, likewise.
    from: 12,
    ..READ_AGAIN
}, Migration {
    // Turns are found by their hashes in buckets, and vectors by their texts within a session, of a slow model in all.
    from: 13,
    tables: "
CREATE TABLE turn_keys(bucket INTEGER PRIMARY KEY, keys BLOB NOT NULL);
DROP INDEX turns_origin;
DROP INDEX turns_moment;
DROP INDEX turns_leaf;
DROP INDEX vectors_hash;
DROP INDEX vectors_session;
CREATE INDEX vectors_session ON vectors(session, model, hash);
ALTER TABLE models ADD COLUMN finds_texts INTEGER NOT NULL DEFAULT 0;",
    fill: |_, _| Ok(()),
}, Migration {
    // The vectors of a session are listed in one blob.
    from: 14,
    tables: "
ALTER TABLE vectors RENAME TO vector_rows;
CREATE TABLE vectors(
  session INTEGER NOT NULL, model INTEGER NOT NULL, entries BLOB NOT NULL, PRIMARY KEY(session, model));
CREATE TABLE vector_texts(
  model INTEGER NOT NULL, hash INTEGER NOT NULL, level INTEGER NOT NULL, row INTEGER NOT NULL,
  PRIMARY KEY(model, hash, level, row)) WITHOUT ROWID;",
    fill: |_, _| Ok(()),
}, Migration {
    // Letters that are typed in several ways are one in the word index, which has no stems of Russian words.
    from: 15,
    tables: "
ALTER TABLE turns RENAME COLUMN moment TO prompt_time;
ALTER TABLE problems RENAME COLUMN place TO offset;
DROP TABLE words;
CREATE VIRTUAL TABLE words USING fts5(
  answer, prompt, title, commands, paths, errors, parts,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
INSERT INTO words(words, rank) VALUES('hashsize', 8000000);",
    fill: Writer::index_all_words,
}];

/// The format since which the keys of turns lie in buckets: all steps that fill find turns by them.
const FIRST_WITH_TURN_KEYS: u32 = 14;
/// The format since which the vectors of a session lie in blobs: all steps that fill find them there.
const FIRST_WITH_VECTOR_BLOBS: u32 = 15;

/// Returns true when an index of this format can be migrated.
pub(crate) fn is_migratable(format: u32) -> bool {
    MIGRATIONS.iter().any(|step| step.from == format)
}

/// Brings an index of an older format to [`FORMAT_VERSION`], seen by readers after
/// [`Writer::commit`].
///
/// # Errors
/// [`StoreError::Format`] for a format that is unknown, or older than all steps.
pub(crate) fn migrate(writer: &mut Writer, progress: MigrationProgress<'_>) -> Result<()> {
    let found = version(writer.db())?;
    if found == FORMAT_VERSION {
        return Ok(());
    }
    if !is_migratable(found) {
        return Err(StoreError::Format {
            root: writer.reader.root().to_owned(),
            found,
            expected: FORMAT_VERSION,
        });
    }
    writer.begin()?;
    writer.was_migrated = true;
    let steps = || MIGRATIONS.iter().filter(|step| step.from >= found);
    for step in steps() {
        writer.db().execute_batch(step.tables)?;
    }
    if found < FIRST_WITH_TURN_KEYS {
        writer.add_all_turn_keys()?;
    }
    if found < FIRST_WITH_VECTOR_BLOBS {
        writer.pack_vector_rows()?;
    }
    for step in steps() {
        (step.fill)(writer, progress)?;
    }
    let db = writer.db();
    Ok(db.pragma_update(None, "user_version", FORMAT_VERSION)?)
}

impl Writer {
    /// Returns the numbers of all sessions; a migration has no blocks of them yet.
    pub(crate) fn session_ids(&self) -> Result<Vec<SessionId>> {
        let select = "SELECT id FROM sessions ORDER BY id";
        self.db().rows(select, [], |row| row.get(0))
    }
}

/// Returns [`StoreError::Unmigrated`] for an error of a writer that leaves an index in its older format, else the error.
pub(crate) fn explain_unmigrated(error: StoreError, root: &Path) -> StoreError {
    if !error.needs_write_access() {
        return error;
    }
    match open_readable(root) {
        Err(StoreError::Format {
            root,
            found,
            expected,
        }) if is_migratable(found) => StoreError::Unmigrated {
            root,
            found,
            expected,
            why: error.to_string(),
        },
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_leads_to_the_next_and_the_last_to_this_format() {
        let after = MIGRATIONS.iter().skip(1).map(|step| step.from);
        let after: Vec<u32> = after.chain([FORMAT_VERSION]).collect();
        let next: Vec<u32> = MIGRATIONS.iter().map(|step| step.from + 1).collect();
        assert_eq!(next, after);
    }
}
