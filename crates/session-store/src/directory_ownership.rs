//! Tells the directory of an index from any other one, and deletes in it only what this program made.
//!
//! A project can set variables: `SESSION_SEARCH_HOME` and `XDG_CACHE_HOME` may name a directory of the user with
//! files of theirs.

use crate::directory::{DIRECTORIES, database_files, database_path};
use crate::error::{Result, StoreError};
use crate::old_databases::OLD_DATABASE;
use crate::writer::unless_missing;
use rusqlite::{Connection, OpenFlags};
use session_files::immutable_sqlite_uri;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

/// The lock of writers, which each index has had since its first one.
pub(crate) const WRITER_LOCK: &str = "lock";
/// The lock of the process that embeds beside others.
pub(crate) const EMBEDDING_LOCK: &str = "embedding.lock";
/// The lock by which others request that it pauses.
pub(crate) const PAUSE_LOCK: &str = "pause.lock";
/// The lock by which a command requests that it ends.
pub(crate) const HANDOVER_LOCK: &str = "handover.lock";
/// The file in which the process that embeds beside others tells when it expects to be done.
pub const EMBEDDING_ETA_FILE: &str = "embedding.eta";

/// The locks in the directory of an index.
pub(crate) const LOCKS: [&str; 4] = [WRITER_LOCK, EMBEDDING_LOCK, PAUSE_LOCK, HANDOVER_LOCK];
/// The other files that this program makes in the directory of an index beside those of its database.
const OTHER_FILES: [&str; 2] = [EMBEDDING_ETA_FILE, "made-by-eval"];
/// The names that this program makes in its directories of configuration and data. A user may keep both in the directory of
/// the index.
const CONFIGURATION_AND_DATA: [&str; 4] = ["config.toml", ".env", "forgotten.json", "models"];
/// The name of a file that macOS's Finder makes in each directory.
const FINDER_FILE: &str = ".DS_Store";
/// The end of the names of memories that came from an editor and were refused.
const REFUSED_MEMORY: &[u8] = b".rejected.md";

/// The beginning of the names of directories of `tempfile`: of a memory in an editor, or of a copied database.
const TEMPORARY_DIRECTORY: &[u8] = b".tmp";

/// Returns true for a directory that may hold an index: it is missing or empty, or this program made what it holds.
pub fn is_index_directory(root: &Path) -> bool {
    check_ownership(root).is_ok()
}

/// Refuses a directory with files that this program did not make.
///
/// # Errors
/// [`StoreError::ForeignDirectory`]; when the directory cannot be read.
pub fn check_ownership(root: &Path) -> Result<()> {
    let is_file = |name: &str| root.join(name).is_file();
    let is_database = database_path(root).is_file() || is_file(OLD_DATABASE);
    if (is_database && is_file(WRITER_LOCK)) || has_own_tables(root) {
        return Ok(());
    }
    let entries = match fs_err::read_dir(root) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        if !is_own_name(&entry?.file_name()) {
            return Err(StoreError::ForeignDirectory(root.to_owned()));
        }
    }
    // Another process, which has the lock, may have made it since.
    let is_foreign = |bytes: u64| bytes > 0 && !is_file(WRITER_LOCK);
    match fs_err::metadata(database_path(root)) {
        Ok(found) if is_foreign(found.len()) => Err(StoreError::ForeignDirectory(root.to_owned())),
        _ => Ok(()),
    }
}

fn is_own_name(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    // Also before there is a database: a hook keeps its state here.
    let names = LOCKS.iter().chain(&DIRECTORIES).chain(&OTHER_FILES);
    let mut names = names.chain(&CONFIGURATION_AND_DATA);
    bytes.starts_with(TEMPORARY_DIRECTORY)
        || bytes.ends_with(REFUSED_MEMORY)
        || session_files::is_temporary(name)
        || name == FINDER_FILE
        || names.any(|own| name == *own)
        || database_files().any(|own| name == OsStr::new(&own))
}

/// Returns true for a database with tables that every format has. An index may have been copied without its lock. The
/// database is opened as one that does not change: nothing is written beside another program's.
fn has_own_tables(root: &Path) -> bool {
    const COUNT: &str = "SELECT count(*) FROM sqlite_schema WHERE name IN ('files', 'cursors', 'sessions', 'turns')";
    let path = database_path(root);
    let count = || -> rusqlite::Result<i64> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let db = Connection::open_with_flags(immutable_sqlite_uri(&path), flags)?;
        db.query_row(COUNT, [], |row| row.get(0))
    };
    path.is_file() && count().is_ok_and(|count| count == 4)
}

/// Returns true for the fingerprint of a model, which names its directories.
pub(crate) fn is_fingerprint(name: &OsStr) -> bool {
    let hex = name.as_encoded_bytes();
    !hex.is_empty() && hex.iter().all(u8::is_ascii_hexdigit)
}

/// Deletes the files of all models below a directory whose names are this program's, and the directories that are
/// empty then. Links are not followed.
///
/// # Errors
/// When the disk fails.
pub(crate) fn delete_model_files(directory: &Path, is_own: impl Fn(&OsStr) -> bool) -> Result<()> {
    if is_directory(directory) {
        for model in fs_err::read_dir(directory)?.flatten() {
            if is_fingerprint(&model.file_name()) && is_directory(&model.path()) {
                delete_files(&model.path(), &is_own)?;
            }
        }
        let _ = std::fs::remove_dir(directory);
    }
    Ok(())
}

/// Deletes the files of a directory whose names are this program's, and the directory where it is empty then.
///
/// # Errors
/// When the disk fails.
pub(crate) fn delete_files(directory: &Path, is_own: impl Fn(&OsStr) -> bool) -> Result<()> {
    for file in fs_err::read_dir(directory)?.flatten() {
        if is_own(&file.file_name()) && !is_directory(&file.path()) {
            unless_missing(fs_err::remove_file(file.path()))?;
        }
    }
    let _ = std::fs::remove_dir(directory);
    Ok(())
}

fn is_directory(path: &Path) -> bool {
    fs_err::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;

    /// A directory with empty files, those that end with `/` as directories.
    fn directory(names: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for name in names {
            let path = root.path().join(name);
            if name.ends_with('/') {
                fs_err::create_dir_all(path).unwrap()
            } else {
                fs_err::write(path, "").unwrap()
            }
        }
        root
    }

    #[test]
    fn a_directory_of_the_user_is_no_index_directory() {
        let is_ours = |names: &[&str]| is_index_directory(directory(names).path());
        assert!(is_ours(&[]), "made by `mkdir`");
        assert!(is_index_directory(Path::new("/nowhere/at/all")));
        assert!(is_ours(&["lock"]) && is_ours(&["injection/", "memories/"]));
        assert!(is_ours(&["index.db"]), "of a writer that was killed");
        assert!(
            is_ours(&["lock", "index.db", "index.db-journal"]) && is_ours(&["index.db-journal"]),
            "another process makes it now"
        );
        assert!(
            is_ours(&["index.db", "lock", "notes.txt"]),
            "something beside an index"
        );
        assert!(
            is_ours(&["index.db.old", "lock", "vectors/"]),
            "a rebuild was killed"
        );
        assert!(!is_ours(&["lock", "pkgcache.bin"]) && !is_ours(&["queries/", "report.md"]));
        assert!(!is_ours(&["index.db.old"]) && !is_ours(&[".bashrc"]));
        assert!(is_ours(&[".new-1f-2e-3d", ".tmpAbCd/"]));
        assert!(is_ours(&[
            "mem-1-x.rejected.md",
            ".DS_Store",
            "embedding.eta"
        ]));
    }

    #[test]
    fn a_database_is_known_by_its_tables() {
        let root = directory(&["notes.txt"]);
        let db = Connection::open(database_path(root.path())).unwrap();
        db.execute_batch("PRAGMA user_version = 7; CREATE TABLE files(id);")
            .unwrap();
        assert!(!is_index_directory(root.path()));
        fs_err::remove_file(root.path().join("notes.txt")).unwrap();
        assert!(!is_index_directory(root.path()));
        let index = directory(&[]);
        Writer::open(index.path()).unwrap().vacuum().unwrap();
        fs_err::remove_file(index.path().join(WRITER_LOCK)).unwrap();
        fs_err::write(index.path().join("notes.txt"), "").unwrap();
        assert!(is_index_directory(index.path()));
    }

    #[test]
    fn only_own_files_are_deleted() {
        let root = directory(&["f00d/", "mine/"]);
        for file in ["f00d/a1", "f00d/notes.md", "mine/a1", "top"] {
            fs_err::write(root.path().join(file), "").unwrap();
        }
        delete_model_files(root.path(), |name| name == "a1").unwrap();
        assert!(!root.path().join("f00d/a1").exists());
        for file in ["f00d/notes.md", "mine/a1", "top"] {
            assert!(root.path().join(file).exists(), "{file}");
        }
        fs_err::remove_file(root.path().join("f00d/notes.md")).unwrap();
        delete_model_files(root.path(), |_| true).unwrap();
        assert!(!root.path().join("f00d").exists());
    }
}
