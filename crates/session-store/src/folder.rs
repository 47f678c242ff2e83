//! The index folder: private, one writer.

use crate::error::{Result, StoreError};
use std::fs::{DirBuilder, File, TryLockError};
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

/// Makes the folder and what is missing above it, readable by their owner
/// alone. A folder that is there keeps its rights: it may hold other things.
pub(crate) fn create_private(folder: &Path) -> Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.recursive(true).create(folder);
    Ok(made.map_err(|e| {
        let text = format!("cannot create the folder `{}`: {e}", folder.display());
        std::io::Error::new(e.kind(), text)
    })?)
}

/// Opens a file for writing, with rights for its owner alone, whether it was there or not.
pub(crate) fn create_private_file(path: &Path) -> Result<fs_err::File> {
    let mut options = fs_err::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use fs_err::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let others = file.metadata()?.permissions().mode() & 0o077;
        if others != 0 {
            file.set_permissions(PermissionsExt::from_mode(0o600))?;
        }
    }
    Ok(file)
}

/// Something that one process at a time may do. Held until dropped; the system
/// frees it if the process dies.
pub struct Lock {
    _file: File,
}

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
        create_private(root)?;
        Self::take(root, "embedding.lock")
    }

    fn take(root: &Path, name: &str) -> Result<Self> {
        let file = create_private_file(&root.join(name))?.into_parts().0;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked {
                root: root.to_owned(),
            }),
            Err(TryLockError::Error(e)) => Err(e.into()),
        }
    }
}
