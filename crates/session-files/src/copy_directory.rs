//! Temporary directories with copies of databases: a killed process leaves its own, which a later one removes.

use crate::private;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// The beginning of the names of the directories.
const PREFIX: &str = "session-search-copy-";
/// The file in each that its process has locked. The system frees it when the process dies.
const LOCK: &str = "lock";
/// The age from which on a directory without a lock is one that a killed process left: a new one has none yet.
const MIN_AGE: Duration = Duration::from_secs(60);
/// The most names that are read for such directories.
const MAX_NAMES: usize = 4096;

/// A directory that only this user can enter. Deleted when it is dropped.
#[derive(Debug)]
pub(crate) struct CopyDirectory {
    /// Before the directory: an open file cannot be deleted everywhere.
    _lock: File,
    directory: TempDir,
}

impl CopyDirectory {
    /// Makes one in a folder, and removes those that killed processes left there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn create(folder: &Path) -> io::Result<Self> {
        remove_stale(folder, MIN_AGE);
        let directory = private::temporary_directory_in(folder, PREFIX)?;
        let (lock, _) = private::open(&directory.path().join(LOCK))?.into_parts();
        // A file system without locks keeps what is left.
        let _ = lock.try_lock();
        Ok(Self {
            _lock: lock,
            directory,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// Removes the directories in a folder whose processes are gone. Errors are ignored: the next copy tries again.
fn remove_stale(folder: &Path, min_age: Duration) {
    let entries = fs_err::read_dir(folder).into_iter().flatten();
    for entry in entries.take(MAX_NAMES).flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(PREFIX) && is_stale(&entry.path(), min_age) {
            let _ = fs_err::remove_dir_all(entry.path());
        }
    }
}

fn is_stale(directory: &Path, min_age: Duration) -> bool {
    let Ok(metadata) = fs_err::symlink_metadata(directory) else {
        return false;
    };
    let age = metadata
        .modified()
        .ok()
        .and_then(|time| time.elapsed().ok());
    let is_old = age.is_some_and(|age| age >= min_age);
    metadata.is_dir() && is_own(&metadata) && is_old && is_unlocked(&directory.join(LOCK))
}

/// Returns true for a lock that no process holds. Without one the directory is none of ours, or still empty.
fn is_unlocked(lock: &Path) -> bool {
    let is_file = fs_err::symlink_metadata(lock).is_ok_and(|lock| lock.is_file());
    is_file && fs_err::File::open(lock).is_ok_and(|lock| lock.file().try_lock().is_ok())
}

#[cfg(unix)]
fn is_own(directory: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    directory.uid() == nix::unistd::geteuid().as_raw()
}

/// Returns true: the folder of temporary files is the user's own there.
#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let left = at("session-search-copy-left");
        let held = at("session-search-copy-held");
        let empty = at("session-search-copy-empty");
        let other = at("another-copy-left");
        for directory in [&left, &held, &empty, &other] {
            fs_err::create_dir(directory).unwrap();
            fs_err::write(directory.join("copy.db"), "text").unwrap();
        }
        for directory in [&left, &held, &other] {
            fs_err::write(directory.join(LOCK), "").unwrap();
        }
        let lock = fs_err::File::open(held.join(LOCK)).unwrap();
        lock.file().try_lock().unwrap();
        let found = || [&left, &held, &empty, &other].map(|directory| directory.exists());
        remove_stale(folder.path(), MIN_AGE);
        assert_eq!(found(), [true; 4], "they are new");
        remove_stale(folder.path(), Duration::ZERO);
        assert_eq!(found(), [false, true, true, true]);
        drop(lock);
        remove_stale(folder.path(), Duration::ZERO);
        assert_eq!(found(), [false, false, true, true]);
    }

    #[test]
    fn the_directory_of_a_running_process_is_locked() {
        let copy = CopyDirectory::create(&std::env::temp_dir()).unwrap();
        assert!(!is_stale(copy.path(), Duration::ZERO));
        let path = copy.path().to_owned();
        drop(copy);
        assert!(!path.exists());
    }
}
