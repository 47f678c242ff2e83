//! Finds and locks the directory of the index.

use crate::directory_ownership::{WRITER_LOCK, check_ownership};
use crate::error::{Result, StoreError};
use crate::old_databases::old_databases;
use session_files::{Dir, Lock, UserDirectoryKind, private, user_directory};
use std::cell::Cell;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

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
/// When the directory may not be entered; [`StoreError::Corrupt`] for a folder in the place of the database.
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

/// The names of the database and of its logs.
const DATABASE_FILES: [&str; 3] = ["index.db", "index.db-wal", "index.db-shm"];

/// The name of the directory of matrices.
pub(crate) const VECTORS: &str = "vectors";

/// The directories in that of an index: those of the index, and of memories and their injection beside it.
const DIRECTORIES: [&str; 4] = [VECTORS, "queries", "memories", "injection"];

/// Returns the path of an index's database.
pub fn database_path(root: &Path) -> PathBuf {
    root.join("index.db")
}

/// Lists the paths of the directories in that of an index, whether they exist or not.
pub fn index_directories(root: &Path) -> Vec<PathBuf> {
    DIRECTORIES.map(|name| root.join(name)).into()
}

/// Lists the paths in the directory of an index that its user alone may read, whether they exist or not.
pub fn private_paths(root: &Path) -> Vec<PathBuf> {
    let files = DATABASE_FILES.into_iter().chain([WRITER_LOCK]);
    let mut paths: Vec<PathBuf> = files.map(|name| root.join(name)).collect();
    paths.extend(index_directories(root));
    paths.extend(old_databases(root));
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
    root.join("index.db-wal")
}

pub(crate) fn vectors_path(root: &Path) -> PathBuf {
    root.join(VECTORS)
}

/// Returns the bytes of all files below a directory.
pub(crate) fn disk_bytes(folder: &Path) -> u64 {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
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

/// The bit of a folder in which users delete their own files alone.
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

/// A lock that one process at a time holds, released when dropped or when the
/// process dies.
pub struct IndexLock(#[expect(dead_code, reason = "held")] Lock);

impl IndexLock {
    /// Acquires the writer's lock.
    pub(crate) fn acquire_writer(root: &Path) -> Result<Self> {
        let lock = Lock::try_lock(&Dir::open(root)?, WRITER_LOCK)?;
        lock.map(Self).ok_or_else(|| StoreError::Locked {
            root: root.to_owned(),
        })
    }

    /// Acquires the lock of the process that embeds with a slow model, so that no
    /// two do the same work. Writers and readers do not wait for it.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process holds it.
    pub fn acquire_embedding(root: &Path) -> Result<Self> {
        Self::acquire_embedding_within(root, Duration::ZERO)?.ok_or_else(|| StoreError::Locked {
            root: root.to_owned(),
        })
    }

    /// As [`IndexLock::acquire_embedding`], but waits for the lock at most so long: who looks whether such
    /// a process runs holds it for a moment. `None` where another process still holds it.
    ///
    /// # Errors
    /// [`StoreError::ForeignDirectory`], and when the lock file cannot be opened.
    pub fn acquire_embedding_within(root: &Path, timeout: Duration) -> Result<Option<Self>> {
        check_ownership(root)?;
        private::create_directory(root)?;
        let lock = Lock::lock_timeout(&Dir::open(root)?, "embedding.lock", timeout)?;
        Ok(lock.map(Self))
    }
}

const PAUSE_LOCK: &str = "pause.lock";
/// Longest time for which a process that embeds waits at once, and for which it then goes on: who asked may
/// have been stopped, or ask without end.
const MAX_PAUSE: Duration = Duration::from_secs(10);
/// Interval at which it looks whether it may go on.
const PAUSE_INTERVAL: Duration = Duration::from_millis(100);

/// A request, until it is dropped, that the process that embeds beside others waits: a person does.
pub struct EmbeddingPause(#[expect(dead_code, reason = "held")] Lock);

impl EmbeddingPause {
    /// Requests a pause. Any number of processes can; `None` where no process has embedded beside others yet.
    pub fn request(root: &Path) -> Option<Self> {
        let dir = Dir::open(root).ok()?;
        let lock = Lock::try_lock_shared(&dir, PAUSE_LOCK).ok().flatten();
        lock.map(Self)
    }

    fn is_requested(root: &Path) -> bool {
        let Ok(dir) = Dir::open(root) else {
            return false;
        };
        matches!(Lock::try_lock(&dir, PAUSE_LOCK), Ok(None))
    }
}

/// Pauses of the process that embeds: after a longest one it goes on for as long, whoever asks.
pub struct EmbeddingPauses {
    root: PathBuf,
    max_pause: Duration,
    no_pause_until: Cell<Option<Instant>>,
}

impl EmbeddingPauses {
    /// Makes the pauses of the process that embeds the index in this folder.
    pub fn new(root: PathBuf) -> Self {
        Self {
            root,
            max_pause: MAX_PAUSE,
            no_pause_until: Cell::new(None),
        }
    }

    /// Waits while a pause is requested, ten seconds at most, unless it has just waited for so long.
    pub fn wait(&self) {
        let began = Instant::now();
        let mut now = began;
        while self.no_pause_until.get().is_none_or(|end| end <= now) {
            if !EmbeddingPause::is_requested(&self.root) {
                return;
            }
            if now - began >= self.max_pause {
                self.no_pause_until.set(now.checked_add(self.max_pause));
                return;
            }
            std::thread::sleep(PAUSE_INTERVAL.min(self.max_pause));
            now = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_lasts_until_all_who_requested_it_are_answered() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        assert!(EmbeddingPause::request(root).is_none());
        assert_eq!(fs_err::read_dir(root).unwrap().count(), 0, "it is made");
        assert!(!EmbeddingPause::is_requested(root));
        let [first, second] = [(); 2].map(|()| EmbeddingPause::request(root).unwrap());
        drop(first);
        assert!(EmbeddingPause::is_requested(root));
        drop(second);
        assert!(!EmbeddingPause::is_requested(root));
    }

    #[test]
    fn after_a_longest_pause_it_goes_on_whoever_asks() {
        let root = tempfile::tempdir().unwrap();
        fs_err::write(root.path().join(PAUSE_LOCK), "").unwrap();
        let mut pauses = EmbeddingPauses::new(root.path().to_owned());
        pauses.wait();
        assert_eq!(pauses.no_pause_until.get(), None);
        let _request = EmbeddingPause::request(root.path()).unwrap();
        pauses.max_pause = Duration::ZERO;
        pauses.wait();
        assert!(pauses.no_pause_until.get().is_some());
        // It would not return before an hour.
        pauses.max_pause = Duration::from_secs(3600);
        let end = Instant::now() + pauses.max_pause;
        pauses.no_pause_until.set(Some(end));
        pauses.wait();
        assert_eq!(pauses.no_pause_until.get(), Some(end));
    }
}
