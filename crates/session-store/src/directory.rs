//! Finds the directory of the index and its files.

use crate::directory_ownership::LOCKS;
use crate::error::{Result, StoreError};
use crate::old_databases::{old_databases, old_vectors};
use session_files::{UserDirectoryKind, user_directory, write_ahead_log};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Returns the index's directory: `SESSION_SEARCH_HOME`, else [`UserDirectoryKind::Cache`].
pub fn default_root(home: &Path, var: impl Fn(&str) -> Option<String>) -> PathBuf {
    match var("SESSION_SEARCH_HOME").filter(|path| !path.is_empty()) {
        Some(chosen) => chosen.into(),
        None => user_directory(UserDirectoryKind::Cache, home, var),
    }
}

/// Returns true when the directory holds an index database, and may be entered.
pub fn index_exists(root: &Path) -> bool {
    has_database(root).unwrap_or(false)
}

/// Returns true when the directory holds an index database.
///
/// # Errors
/// When the directory may not be entered; [`StoreError::Corrupt`] for a directory in the place of the database.
pub(crate) fn has_database(root: &Path) -> Result<bool> {
    let path = database_path(root);
    match fs_err::metadata(&path) {
        Ok(found) if found.is_dir() => Err(StoreError::corrupt(
            root,
            format!("`{}` is a folder", path.display()),
        )),
        Ok(found) => Ok(found.is_file()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

/// The name of an index's database.
pub(crate) const DATABASE: &str = "index.db";

/// Lists the names of the database and of the files that SQLite keeps beside it.
pub(crate) fn database_files() -> impl Iterator<Item = String> {
    let ends = ["", "-journal", "-wal", "-shm"].into_iter();
    ends.map(|end| format!("{DATABASE}{end}"))
}

/// The name of the directory of matrices.
pub(crate) const VECTORS: &str = "vectors";

/// The directories in that of an index: those of the index, and of memories and their injection beside it.
pub(crate) const DIRECTORIES: [&str; 4] = [VECTORS, "queries", "memories", "injection"];

/// Returns the path of an index's database.
pub(crate) fn database_path(root: &Path) -> PathBuf {
    root.join(DATABASE)
}

/// Lists the paths of the directories in that of an index, whether they exist or not.
pub fn index_directories(root: &Path) -> Vec<PathBuf> {
    DIRECTORIES.map(|name| root.join(name)).into()
}

/// Lists the paths in the directory of an index that are written, whether they exist or not: its database, its locks and
/// its directories.
pub fn written_paths(root: &Path) -> Vec<PathBuf> {
    let files = database_files().chain(LOCKS.map(str::to_owned));
    let mut paths: Vec<PathBuf> = files.map(|name| root.join(name)).collect();
    paths.extend(index_directories(root));
    paths
}

/// Lists the paths in the directory of an index that its user alone may read, whether they exist or not.
pub fn private_paths(root: &Path) -> Vec<PathBuf> {
    let mut paths = written_paths(root);
    paths.extend(old_databases(root));
    paths.extend(old_vectors(root));
    paths
}

/// Returns the time of the last commit by the times of the database and its log.
pub fn last_commit_time(root: &Path) -> Option<SystemTime> {
    let files = [database_path(root), log_path(root)];
    let times = files.map(|path| fs_err::metadata(path).and_then(|found| found.modified()));
    times.into_iter().flatten().max()
}

/// Returns the path of the database's write-ahead log.
pub(crate) fn log_path(root: &Path) -> PathBuf {
    write_ahead_log(&database_path(root))
}

pub(crate) fn vectors_path(root: &Path) -> PathBuf {
    root.join(VECTORS)
}

/// Returns the bytes of all files below a directory.
pub(crate) fn disk_bytes(directory: &Path) -> u64 {
    let entries = fs_err::read_dir(directory).into_iter().flatten().flatten();
    let bytes = |entry: fs_err::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => disk_bytes(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.map(bytes).sum()
}

/// Returns true when others can write to the index's directory.
pub(crate) fn is_open_to_others(root: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs_err::metadata(root).is_ok_and(|found| found.permissions().mode() & 0o022 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = root;
        false
    }
}

/// The bit of a directory in which users delete their own files alone.
#[cfg(unix)]
const STICKY: u32 = 0o1000;

/// Closes the index's directory to others where they could write to it; returns true when they could.
///
/// # Errors
/// [`StoreError::Shared`] for a directory that is made for several users.
#[cfg(unix)]
pub(crate) fn close_to_others(root: &Path) -> Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    if !is_open_to_others(root) {
        return Ok(false);
    }
    let mut permissions = fs_err::metadata(root)?.permissions();
    if permissions.mode() & STICKY != 0 {
        return Err(StoreError::Shared(root.to_owned()));
    }
    permissions.set_mode(permissions.mode() & 0o700);
    fs_err::set_permissions(root, permissions)?;
    Ok(true)
}

#[cfg(not(unix))]
pub(crate) fn close_to_others(_: &Path) -> Result<bool> {
    Ok(false)
}

/// Takes others' rights to the database away, by its path: to open and close it would release the locks that SQLite holds
/// on it in this process (`How To Corrupt An SQLite Database File`, 2.2).
///
/// # Errors
/// When the disk fails.
#[cfg(unix)]
pub(crate) fn close_database_to_others(root: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let path = database_path(root);
    if fs_err::metadata(&path)?.permissions().mode() & 0o077 != 0 {
        fs_err::set_permissions(&path, PermissionsExt::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn close_database_to_others(_: &Path) -> Result<()> {
    Ok(())
}
