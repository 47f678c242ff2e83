//! Files and folders that their owner alone can read, written whole or not at
//! all, by one process at a time.

use crate::error::{MemoryError, Result};
use fs_err::File;
use std::fs::TryLockError;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Beginning of the names of files that are being written.
const BEING_WRITTEN: &str = ".new-";
const LOCK: &str = ".lock";
/// How long another process may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Makes a folder and what is missing above it. One that is there keeps its
/// rights.
pub(crate) fn folder(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.recursive(true).create(path);
    Ok(made.map_err(|e| {
        let text = format!("cannot create the folder `{}`: {e}", path.display());
        std::io::Error::new(e.kind(), text)
    })?)
}

/// Writes a file so that whoever reads it, now or after a crash, finds the old
/// or the new content and never a part.
pub(crate) fn write(path: &Path, content: &[u8]) -> Result<()> {
    let folder = put(path, content, true)?;
    sync(folder)
}

/// The same for what can be made again, or is no loss: nobody waits for the disk.
pub(crate) fn note(path: &Path, content: &[u8]) -> Result<()> {
    put(path, content, false).map(drop)
}

fn put<'a>(path: &'a Path, content: &[u8], lasts: bool) -> Result<&'a Path> {
    let folder = path.parent().unwrap_or(Path::new("."));
    self::folder(folder)?;
    // Not the name of the new file, which nobody knows.
    put_in(folder, path, content, lasts).map_err(|e| {
        let text = format!(
            "cannot write `{}`: {}\nhint: see that its folder can be written, and that the disk is not full",
            path.display(),
            std::io::Error::from(e.kind())
        );
        std::io::Error::new(e.kind(), text)
    })?;
    Ok(folder)
}

fn put_in(folder: &Path, path: &Path, content: &[u8], lasts: bool) -> std::io::Result<()> {
    let mut new = tempfile::Builder::new()
        .prefix(BEING_WRITTEN)
        .tempfile_in(folder)?;
    new.write_all(content)?;
    if let Ok(old) = fs_err::metadata(path) {
        new.as_file().set_permissions(old.permissions())?;
    }
    if lasts {
        new.as_file().sync_all()?;
    }
    new.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Moves a file to another folder.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().unwrap_or(Path::new("."));
    self::folder(folder)?;
    fs_err::rename(from, to)?;
    sync(folder)?;
    from.parent().map_or(Ok(()), sync)
}

/// Makes what happened to a folder's names last.
fn sync(folder: &Path) -> Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    let _ = folder; // elsewhere a folder cannot be opened
    Ok(())
}

/// A file's text; none where there is no file.
pub(crate) fn read(path: &Path) -> std::io::Result<Option<String>> {
    match fs_err::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// The files of a folder with an ending, sorted; none where there is no folder, or
/// where it cannot be read.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    listed(folder, ending).unwrap_or_default()
}

/// The same, where it matters that it cannot be read.
pub(crate) fn listed(folder: &Path, ending: &str) -> std::io::Result<Vec<PathBuf>> {
    let entries = match fs_err::read_dir(folder) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(ending) && !name.starts_with('.')
    });
    files.sort();
    Ok(files)
}

/// The right to write in a folder. Held until dropped; the system frees it if
/// the process dies.
pub(crate) struct Lock {
    _file: std::fs::File,
}

impl Lock {
    /// Waits for it, but not for ever, and clears away what a process that died
    /// was writing.
    pub(crate) fn take(root: &Path) -> Result<Self> {
        let lock = Self::within(root, PATIENCE)?;
        lock.ok_or_else(|| MemoryError::Locked(root.to_owned()))
    }

    /// Waits for it so long; none where somebody has it still.
    pub(crate) fn within(root: &Path, patience: Duration) -> Result<Option<Self>> {
        let began = Instant::now();
        loop {
            match Self::attempt(root)? {
                None if began.elapsed() <= patience => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                attempt => return Ok(attempt),
            }
        }
    }

    /// Takes it if nobody has it.
    pub(crate) fn attempt(root: &Path) -> Result<Option<Self>> {
        folder(root)?;
        let mut options = fs_err::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(root.join(LOCK))?.into_parts().0;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(e)) => return Err(e.into()),
        }
        clear(root);
        Ok(Some(Self { _file: file }))
    }
}

/// Removes what a process that died was writing: files are only made under the
/// lock, so that none of them is anybody's now.
fn clear(root: &Path) {
    let folders = fs_err::read_dir(root).into_iter().flatten().flatten();
    let folders = folders.map(|entry| entry.path()).filter(|p| p.is_dir());
    for folder in folders.chain([root.to_owned()]) {
        for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
            if entry
                .file_name()
                .to_string_lossy()
                .starts_with(BEING_WRITTEN)
            {
                let _ = fs_err::remove_file(entry.path());
            }
        }
    }
}
