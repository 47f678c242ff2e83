//! Migrates an index of an older format in place.
//!
//! Sessions whose histories are gone exist in the index alone: it is not rebuilt when the
//! format changes. A migration belongs to the first transaction of the writer, so that an index
//! has its old format or the new one, whenever the process is killed.

use crate::error::{Result, StoreError};
use crate::schema::{FORMAT_VERSION, open_readable, version};
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

/// All steps, oldest first. A new format adds one. An index that is older than the first step is built anew.
const MIGRATIONS: [Migration; 1] = [Migration {
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
    for step in steps() {
        (step.fill)(writer, progress)?;
    }
    let db = writer.db();
    Ok(db.pragma_update(None, "user_version", FORMAT_VERSION)?)
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
