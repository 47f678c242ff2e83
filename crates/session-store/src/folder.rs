//! The index folder: private, one writer.

use crate::error::{Result, StoreError};
use session_files::{Dir, private};
use std::path::{Path, PathBuf};

/// The index's folder: `SESSION_SEARCH_HOME`, else `session-search` in the
/// user's cache folder (`XDG_CACHE_HOME`, else `~/.cache`).
pub fn default_root(home: &Path, var: impl Fn(&str) -> Option<String>) -> PathBuf {
    let set = |name| var(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set("SESSION_SEARCH_HOME").unwrap_or_else(|| {
        let cache = set("XDG_CACHE_HOME").filter(|p| p.is_absolute());
        cache
            .unwrap_or_else(|| home.join(".cache"))
            .join("session-search")
    })
}

/// True when there is an index in the folder.
pub fn exists(root: &Path) -> bool {
    database(root).is_file()
}

pub(crate) fn database(root: &Path) -> PathBuf {
    root.join("index.db")
}

pub(crate) fn vectors(root: &Path) -> PathBuf {
    root.join("vectors")
}

/// Bytes of all files below a folder.
pub(crate) fn size(folder: &Path) -> u64 {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let bytes = |entry: fs_err::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => size(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.map(bytes).sum()
}

/// Something that one process at a time may do. Held until dropped; the system
/// frees it if the process dies.
pub struct Lock(#[expect(dead_code, reason = "held")] session_files::Lock);

impl Lock {
    /// The writer's.
    pub(crate) fn of_writer(root: &Path) -> Result<Self> {
        Self::take(root, "lock")
    }

    /// That of whoever makes the vectors of a slow model. It keeps two from
    /// doing the same work; writers and readers do not wait for it.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process holds it.
    pub fn of_embedding(root: &Path) -> Result<Self> {
        private::create_directory(root)?;
        Self::take(root, "embedding.lock")
    }

    fn take(root: &Path, name: &str) -> Result<Self> {
        let lock = session_files::Lock::attempt(&Dir::open(root)?, name)?;
        lock.map(Self).ok_or_else(|| StoreError::Locked {
            root: root.to_owned(),
        })
    }
}
