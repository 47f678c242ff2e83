//! One file beneath a trusted root.

use crate::access::{Durability, ExistingFile};
use crate::dir::Dir;
use crate::error::{FileError, Result};
use crate::lock::Lock;
use crate::project::resolve_links;
use crate::temporary::{MAX_NAMES, remove_stale_temporaries, remove_temporary_files};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file by a root, whose own path may hold links, and by its path from there, which may not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfinedFile {
    root: PathBuf,
    relative: PathBuf,
}

impl ConfinedFile {
    /// Makes the address of a file beneath a root.
    pub fn new(root: &Path, relative: &Path) -> Self {
        Self {
            root: root.to_owned(),
            relative: relative.to_owned(),
        }
    }

    /// Makes the address of a file of the user's own: where its path is a link, of the file that this leads to.
    ///
    /// # Errors
    /// When the path has no file name.
    pub fn for_user(path: &Path) -> Result<Self> {
        let real = resolve_links(path);
        let Some(name) = real.file_name() else {
            return Err(FileError::Outside(real));
        };
        let parent = match real.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        Ok(Self::new(parent, name.as_ref()))
    }

    /// Returns the whole path, for messages.
    pub fn path(&self) -> PathBuf {
        self.root.join(&self.relative)
    }

    /// Reads its bytes, at most `limit`; `None` if there is nothing.
    ///
    /// # Errors
    /// When a link leads to it, or it cannot be read.
    pub(crate) fn read(&self, limit: u64) -> Result<Option<Vec<u8>>> {
        match self.open()? {
            Some(root) => root.read(&self.relative, limit),
            None => Ok(None),
        }
    }

    /// Reads the text of a file that is to be changed or kept, of at most `limit` bytes; `None` if there is nothing.
    ///
    /// # Errors
    /// As [`ConfinedFile::read_text`], and [`FileError::NotUtf8`].
    pub fn read_utf8(&self, limit: u64) -> Result<Option<String>> {
        let text = self.read(limit)?.map(String::from_utf8).transpose();
        text.map_err(|_| FileError::NotUtf8(self.path()))
    }

    /// Reads its text, of at most `limit` bytes; `None` if there is nothing. Bytes that are no UTF-8 become U+FFFD.
    ///
    /// # Errors
    /// When a link leads to it, or it cannot be read.
    pub fn read_text(&self, limit: u64) -> Result<Option<String>> {
        match self.open()? {
            Some(root) => root.read_text(&self.relative, limit),
            None => Ok(None),
        }
    }

    /// Writes it whole or not at all.
    ///
    /// # Errors
    /// When a link leads to it, or it cannot be written.
    pub fn write(&self, text: &str) -> Result<()> {
        self.write_bytes(text.as_bytes(), Durability::Durable)
    }

    /// Writes bytes as [`ConfinedFile::write`] does, and removes what killed writers left beside them.
    ///
    /// # Errors
    /// As [`ConfinedFile::write`].
    pub(crate) fn write_bytes(&self, content: &[u8], durability: Durability) -> Result<()> {
        let root = Dir::create(&self.root)?;
        root.write(&self.relative, content, durability)?;
        self.remove_leftovers(&root);
        Ok(())
    }

    /// Creates it as [`Dir::create_with`] does, and removes what killed writers left beside it.
    ///
    /// # Errors
    /// As [`Dir::create_with`].
    pub(crate) fn create_with<E: From<FileError>>(
        &self,
        existing: ExistingFile,
        fill: impl FnOnce(&mut File) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let root = Dir::create(&self.root)?;
        root.create_with(&self.relative, existing, fill)?;
        self.remove_leftovers(&root);
        Ok(())
    }

    /// Opens it to read and write it, and makes it where it is missing.
    ///
    /// # Errors
    /// As [`Dir::open_file`].
    pub(crate) fn open_to_write(&self) -> Result<File> {
        Dir::create(&self.root)?.open_file(&self.relative)
    }

    /// Opens it to append to it, and makes it where it is missing.
    ///
    /// # Errors
    /// As [`Dir::append`].
    pub(crate) fn append(&self) -> Result<File> {
        Dir::create(&self.root)?.append(&self.relative)
    }

    /// Writes it whole or not at all, where its text still is `old`.
    ///
    /// # Errors
    /// As [`ConfinedFile::write`], [`FileError::Changed`], and when it cannot be read.
    pub fn replace(&self, old: Option<&str>, text: &str, limit: u64) -> Result<()> {
        let root = Dir::create(&self.root)?;
        let old = old.map(str::as_bytes);
        let is_same = || Ok(root.read(&self.relative, limit)?.as_deref() == old);
        let bytes = text.as_bytes();
        let is_written = root.write_if(&self.relative, bytes, Durability::Durable, is_same)?;
        self.remove_leftovers(&root);
        if is_written {
            Ok(())
        } else {
            Err(FileError::Changed(self.path()))
        }
    }

    /// Waits at most so long for the lock of its directory, which is made where it is missing.
    ///
    /// # Errors
    /// [`FileError::Locked`]; when a link leads to the directory, or it cannot be opened.
    pub fn lock(&self, timeout: Duration) -> Result<Lock> {
        let directory = Dir::create(&self.root)?.create_directory(self.parent())?;
        let lock = Lock::lock_directory(&directory, timeout)?;
        lock.ok_or_else(|| FileError::Locked(directory.path().to_owned()))
    }

    /// Removes it; false where there is nothing.
    ///
    /// # Errors
    /// When a link leads to it, or it cannot be removed.
    pub fn remove(&self) -> Result<bool> {
        match self.open()? {
            Some(root) => root.remove(&self.relative),
            None => Ok(false),
        }
    }

    /// Removes it where it is an empty directory; false where it is not.
    ///
    /// # Errors
    /// When a link leads to it, or it cannot be removed.
    pub fn remove_if_empty(&self) -> Result<bool> {
        match self.open()? {
            Some(root) => root.remove_if_empty(&self.relative),
            None => Ok(false),
        }
    }

    /// Removes the directory that holds it where that is empty; false where it is not.
    ///
    /// # Errors
    /// As [`ConfinedFile::remove_if_empty`].
    pub fn remove_empty_directory(&self) -> Result<bool> {
        let directory = match self.parent() {
            parent if parent.as_os_str().is_empty() => Self::for_user(&self.root)?,
            parent => Self::new(&self.root, parent),
        };
        directory.remove_if_empty()
    }

    /// Removes the temporary files that a killed process left beside it. To be called under the lock that every writer there
    /// takes.
    pub fn remove_temporary_files(&self) {
        if let Ok(Some(root)) = self.open() {
            remove_temporary_files(&root, self.parent(), MAX_NAMES);
        }
    }

    /// Keeps a text beside it, under a name that nothing has; returns that path. A text that is kept there already is
    /// not kept again. No other backup is removed: it may be the user's own.
    ///
    /// # Errors
    /// When a link leads there, or it cannot be written.
    pub fn back_up(&self, text: &str) -> Result<PathBuf> {
        let root = Dir::create(&self.root)?;
        let numbers = self.backup_numbers(&root)?;
        let is_same = |n: &&usize| {
            let kept = root.read(&self.backup_name(**n), text.len() as u64);
            kept.is_ok_and(|kept| kept.as_deref() == Some(text.as_bytes()))
        };
        if let Some(n) = numbers.iter().rev().find(is_same) {
            return Ok(self.root.join(self.backup_name(*n)));
        }
        let highest = numbers.last().copied().unwrap_or_default();
        let mut names = (highest + 1..).map(|n| self.backup_name(n));
        let free = names.find(|name| !root.exists(name));
        let name = free.unwrap_or_else(|| self.backup_name(1));
        root.write(&name, text.as_bytes(), Durability::Durable)?;
        Ok(self.root.join(name))
    }

    /// Returns the numbers of the backups, sorted.
    fn backup_numbers(&self, root: &Dir) -> Result<Vec<usize>> {
        let first = self.backup_name(1);
        let first = first.file_name().unwrap_or_default().to_string_lossy();
        let number = |name: OsString| {
            let name = name.to_string_lossy().into_owned();
            match name.strip_prefix(&*first)? {
                "" => Some(1),
                rest => rest.strip_prefix('.')?.parse().ok().filter(|n| *n > 1),
            }
        };
        let names = root.names(self.parent(), usize::MAX)?;
        let numbers = names.into_iter().filter_map(number);
        let is_file = |n: &usize| root.length(&self.backup_name(*n)).is_some();
        let mut numbers: Vec<usize> = numbers.filter(is_file).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers)
    }

    /// Reads the texts that were kept beside it, of at most `limit` bytes each, the newest first. What is no UTF-8
    /// is left out.
    ///
    /// # Errors
    /// When a link leads to one, or it cannot be read.
    pub fn read_backups(&self, limit: u64) -> Result<Vec<String>> {
        let Some(root) = self.open()? else {
            return Ok(Vec::new());
        };
        let mut texts = Vec::new();
        for n in self.backup_numbers(&root)?.into_iter().rev() {
            let kept = root.read(&self.backup_name(n), limit)?;
            texts.extend(kept.and_then(|kept| String::from_utf8(kept).ok()));
        }
        Ok(texts)
    }

    fn backup_name(&self, n: usize) -> PathBuf {
        let mut name = self.relative.clone().into_os_string();
        name.push(".backup");
        if n > 1 {
            name.push(format!(".{n}"));
        }
        name.into()
    }

    fn parent(&self) -> &Path {
        self.relative.parent().unwrap_or(Path::new(""))
    }

    fn remove_leftovers(&self, root: &Dir) {
        if let Ok(Some(directory)) = root.directory(self.parent()) {
            remove_stale_temporaries(&directory);
        }
    }

    fn open(&self) -> Result<Option<Dir>> {
        Dir::open_existing(&self.root)
    }
}
