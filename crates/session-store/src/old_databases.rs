//! Files and directories of an index that were renamed to `….old`: databases by a rebuild, files at the path of a directory,
//! and directories that cannot be used.

use crate::directory::{DATABASE, VECTORS, database_path, log_path, vectors_path};
use crate::directory_ownership::check_ownership;
use crate::embeddings::matrix::delete_matrices_recursively;
use crate::error::Result;
use crate::writer::unless_missing;
use session_files::{path_beside_database, write_ahead_log};
use std::path::{Path, PathBuf};

/// The name of a database that was renamed; with a number where there are several.
pub(crate) const OLD_DATABASE: &str = "index.db.old";

/// Returns the new names for what has `name`, in the order in which they are taken.
fn old_names(name: &str) -> impl Iterator<Item = String> {
    let numbered = (2..).map(move |number| format!("{name}.old.{number}"));
    std::iter::once(format!("{name}.old")).chain(numbered)
}

/// Returns the new name for what has `name`: one that no file has, nor a log of it.
fn free_old_name(root: &Path, name: &str) -> String {
    let is_free = |name: &String| {
        let mut ends = ["", "-wal", "-shm"].into_iter();
        ends.all(|end| !root.join(format!("{name}{end}")).exists())
    };
    old_names(name).find(is_free).unwrap_or_default()
}

/// Deletes the matrices in directories that were renamed, as far as this user may: they hold vectors of what is deleted.
pub(crate) fn delete_old_matrices(root: &Path) {
    let below = |directory: &Path| fs_err::read_dir(directory).into_iter().flatten().flatten();
    let all = below(root).map(|entry| (entry, VECTORS));
    let of_models = below(&vectors_path(root)).map(|entry| (entry, ""));
    for (entry, begin) in all.chain(of_models) {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(begin) && name.contains(".old") {
            delete_matrices_recursively(&entry.path());
        }
    }
}

/// Renames the database with its logs, and returns its new path. The database goes first: without it nothing opens the
/// log, which a kill in between leaves to [`finish_renaming_to_old`].
///
/// # Errors
/// When the disk fails.
pub(crate) fn rename_database_to_old(root: &Path) -> Result<PathBuf> {
    let old = root.join(free_old_name(root, DATABASE));
    unless_missing(fs_err::rename(database_path(root), &old))?;
    rename_logs_to_old(root, &old)?;
    Ok(old)
}

/// Renames the logs of a database that was renamed.
fn rename_logs_to_old(root: &Path, old: &Path) -> Result<()> {
    for end in ["-wal", "-shm"] {
        let log = path_beside_database(&database_path(root), end);
        unless_missing(fs_err::rename(log, path_beside_database(old, end)))?;
    }
    Ok(())
}

/// Ends what a killed [`rename_database_to_old`] began: a log without its database goes to the one that was renamed last. To be
/// called before a database is made, with the writer's lock: SQLite deletes a log beside an empty database.
///
/// # Errors
/// When the disk fails.
pub(crate) fn finish_renaming_to_old(root: &Path) -> Result<()> {
    if database_path(root).exists() || !log_path(root).exists() {
        return Ok(());
    }
    let old = old_names(DATABASE).map(|name| root.join(name));
    match old.take_while(|old| old.exists()).last() {
        Some(old) if !write_ahead_log(&old).exists() => rename_logs_to_old(root, &old),
        _ => Ok(()),
    }
}

/// Renames what lies at the path of a directory and is none.
///
/// # Errors
/// When the disk fails.
pub(crate) fn rename_file_to_old(parent: &Path, name: &str) -> Result<()> {
    // A link to a directory is one.
    if parent.join(name).is_dir() {
        return Ok(());
    }
    rename_to_old(parent, name)
}

/// Renames what has this name, if anything does.
///
/// # Errors
/// When the disk fails.
pub(crate) fn rename_to_old(parent: &Path, name: &str) -> Result<()> {
    let old = parent.join(free_old_name(parent, name));
    unless_missing(fs_err::rename(parent.join(name), old))
}

/// Returns true for `index.db.old`, `index.db.old.2` and so on, and for their logs.
fn is_old_name(name: &str) -> bool {
    let Some(end) = name.strip_prefix(OLD_DATABASE) else {
        return false;
    };
    let end = end.strip_suffix("-wal").unwrap_or(end);
    let end = end.strip_suffix("-shm").unwrap_or(end);
    let number = end.strip_prefix('.');
    end.is_empty() || number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Lists the files of the databases that [`Writer::rebuild`](crate::Writer::rebuild) renamed, their logs, too.
pub fn old_databases(root: &Path) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(root).into_iter().flatten().flatten();
    let is_old = |entry: &fs_err::DirEntry| {
        // What lay at the path of a database may be a directory.
        let is_file = entry.file_type().is_ok_and(|kind| !kind.is_dir());
        is_file && is_old_name(&entry.file_name().to_string_lossy())
    };
    let mut paths: Vec<PathBuf> = entries.filter(is_old).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Lists the directories of all vectors that were renamed in the directory of an index.
pub(crate) fn old_vectors(root: &Path) -> impl Iterator<Item = PathBuf> {
    let paths = old_names(VECTORS).map(move |name| root.join(name));
    paths.take_while(|path| path.exists())
}

/// Deletes the databases that [`Writer::rebuild`](crate::Writer::rebuild) renamed in the directory of an index.
///
/// # Errors
/// When the disk fails.
pub fn delete_old_databases(root: &Path) -> Result<()> {
    check_ownership(root)?;
    let mut old = old_databases(root).into_iter();
    old.try_for_each(|path| unless_missing(fs_err::remove_file(path)))
}
