//! An open directory, and access beneath it.

use crate::access::{Durability, ExistingFile, MissingDirectories, OpenMode};
use crate::error::{FileError, Result, find_missing_target};
use crate::temporary::{TemporaryFile, create_temporary};
#[cfg(unix)]
use crate::unix as system;
#[cfg(windows)]
use crate::windows::{self as system, TryClone};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;
use system::Handle;

/// The kind of a directory entry, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Directory,
    Link,
    Other,
}

/// A directory that is open. Every path given to its methods is relative, made of plain names,
/// and is opened component by component: a link in any of them is an error, never followed.
#[derive(Debug)]
pub struct Dir {
    handle: Handle,
    path: PathBuf,
}

/// A name in an open directory: the end of a path.
struct PathEntry<'a> {
    parent: Dir,
    name: &'a OsStr,
    path: PathBuf,
}

impl Dir {
    /// Opens a directory that the user chose: links in its own path are followed.
    ///
    /// # Errors
    /// When it is not there, is no directory, or cannot be opened.
    pub fn open(path: &Path) -> Result<Self> {
        let handle = system::open_root(path).map_err(|e| FileError::io("open", path, &e))?;
        Ok(Self {
            handle,
            path: path.to_owned(),
        })
    }

    /// Opens a directory as [`Dir::open`] does; `None` if there is nothing.
    ///
    /// # Errors
    /// When it is no directory, or cannot be opened.
    pub fn open_existing(path: &Path) -> Result<Option<Self>> {
        match Self::open(path) {
            Err(FileError::Io(e)) if e.kind() == ErrorKind::NotFound => Ok(None),
            dir => dir.map(Some),
        }
    }

    /// Opens a directory as [`Dir::open`] does, and makes it with mode 0700 where it is missing.
    ///
    /// # Errors
    /// When it cannot be made or opened.
    pub fn create(path: &Path) -> Result<Self> {
        let made = system::create_directories(path);
        made.map_err(|e| match find_missing_target(path) {
            Some(_) => FileError::Link(path.to_owned()),
            None => FileError::io("create the directory", path, &e),
        })?;
        Self::open(path)
    }

    /// Returns its path as it was opened, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a directory beneath this one; `None` if there is nothing.
    ///
    /// # Errors
    /// When a component is a link or no directory, or cannot be opened.
    pub fn directory(&self, relative: &Path) -> Result<Option<Self>> {
        self.descend(relative, MissingDirectories::Report)
    }

    /// Opens a directory beneath this one, and makes with mode 0700 what is missing of its path.
    ///
    /// # Errors
    /// As [`Dir::directory`], and when a directory cannot be made.
    pub fn create_directory(&self, relative: &Path) -> Result<Self> {
        let made = self.descend(relative, MissingDirectories::Create)?;
        made.ok_or_else(|| {
            let path = self.path.join(relative);
            FileError::io("create the directory", &path, &ErrorKind::NotFound.into())
        })
    }

    /// Reads a regular file of at most `limit` bytes; `None` if there is nothing.
    ///
    /// # Errors
    /// When it is a link, no regular file or too large, or cannot be read.
    pub fn read(&self, relative: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
        let Some(entry) = self.entry(relative, MissingDirectories::Report)? else {
            return Ok(None);
        };
        let file = match system::open_file(&entry.parent.handle, entry.name) {
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|e| entry.explain("read", &e))?,
        };
        let too_large = || FileError::TooLarge {
            path: entry.path.clone(),
            limit,
        };
        if entry.length(&file)? > limit {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        let read = file.take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|e| FileError::io("read", &entry.path, &e))?;
        if bytes.len() as u64 > limit {
            Err(too_large())
        } else {
            Ok(Some(bytes))
        }
    }

    /// Reads a regular file as text, of at most `limit` bytes; bytes that are no UTF-8 become U+FFFD. `None` if there is
    /// nothing.
    ///
    /// # Errors
    /// As [`Dir::read`].
    pub fn read_text(&self, relative: &Path, limit: u64) -> Result<Option<String>> {
        let bytes = self.read(relative, limit)?;
        Ok(bytes.map(|bytes| match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
        }))
    }

    /// Returns the sorted names in a directory beneath this one, at most `limit`; none where there is
    /// no such directory.
    ///
    /// # Errors
    /// When a component is a link or no directory, or cannot be read.
    pub fn names(&self, relative: &Path, limit: usize) -> Result<Vec<OsString>> {
        let Some(directory) = self.directory(relative)? else {
            return Ok(Vec::new());
        };
        let names = system::names(&directory.handle, limit);
        let mut names = names.map_err(|e| FileError::io("list", &directory.path, &e))?;
        names.sort();
        Ok(names)
    }

    /// Returns true when something has this name, a dangling link included.
    pub fn exists(&self, relative: &Path) -> bool {
        let entry = self.reachable_entry(relative);
        entry.is_some_and(|e| e.kind().ok().flatten().is_some())
    }

    /// Returns the length of a regular file, in bytes; `None` if there is none.
    pub fn length(&self, relative: &Path) -> Option<u64> {
        let entry = self.reachable_entry(relative)?;
        system::length(&entry.parent.handle, entry.name)
    }

    /// Returns the time of the last change of a regular file; `None` if there is none.
    pub(crate) fn modified(&self, relative: &Path) -> Option<SystemTime> {
        let entry = self.reachable_entry(relative)?;
        let file = system::open_file(&entry.parent.handle, entry.name).ok()?;
        let meta = file.metadata().ok().filter(|meta| meta.is_file())?;
        meta.modified().ok()
    }

    /// Writes a file so that whoever reads it, now or after a crash, finds the old or the new
    /// content and never a part. Missing directories are made. A file that is there keeps its
    /// mode; a new one has 0600.
    ///
    /// # Errors
    /// When a link or no regular file has the name, or something cannot be written.
    pub fn write(&self, relative: &Path, content: &[u8], durability: Durability) -> Result<()> {
        let written = self.write_if(relative, content, durability, || Ok(true));
        written.map(drop)
    }

    /// Writes a file as [`Dir::write`] does, where `is_wanted` is true just before the file gets its name; returns that answer.
    ///
    /// # Errors
    /// As [`Dir::write`], and those of `is_wanted`.
    pub(crate) fn write_if(
        &self,
        relative: &Path,
        content: &[u8],
        durability: Durability,
        is_wanted: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        let entry = self.entry_to_write(relative)?;
        entry.refuse_irregular()?;
        entry.replace(content, durability, is_wanted)
    }

    /// Creates a file of mode 0600 that `fill` writes. It has its name once it is whole and on the disk,
    /// or never.
    ///
    /// # Errors
    /// As [`Dir::write`], [`FileError::Exists`], and those of `fill`.
    pub fn create_with<E: From<FileError>>(
        &self,
        relative: &Path,
        existing: ExistingFile,
        fill: impl FnOnce(&mut File) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let entry = self.entry_to_write(relative)?;
        match existing {
            ExistingFile::Keep if entry.kind()?.is_some() => {
                return Err(FileError::Exists(entry.path).into());
            }
            _ => entry.refuse_irregular()?,
        }
        let at = &entry.parent.handle;
        let failed = |e: io::Error| match e.kind() {
            ErrorKind::AlreadyExists => FileError::Exists(entry.path.clone()),
            _ => FileError::io("write", &entry.path, &e),
        };
        let TemporaryFile { mut file, name } = create_temporary(at).map_err(failed)?;
        let filled = fill(&mut file).and_then(|()| {
            let named = file.sync_all().and_then(|()| match existing {
                ExistingFile::Keep => rename_new(at, &name, at, entry.name),
                ExistingFile::Replace => system::rename(at, &name, at, entry.name),
            });
            Ok(named.map_err(failed)?)
        });
        if filled.is_err() {
            let _ = system::remove_file(at, &name);
        }
        filled.and_then(|()| Ok(system::sync(at).map_err(failed)?))
    }

    /// Moves a file to a name that nothing has, beneath this directory.
    ///
    /// # Errors
    /// [`FileError::Exists`] when the new name is taken; when a component is a link, or the
    /// file cannot be moved.
    pub fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let source = self
            .entry(from, MissingDirectories::Report)?
            .ok_or_else(|| self.missing_error(from))?;
        if source.kind()? != Some(EntryKind::File) {
            return Err(source.explain("move", &ErrorKind::NotFound.into()));
        }
        let target = self.entry_to_write(to)?;
        let (old, new) = (&source.parent.handle, &target.parent.handle);
        match rename_new(old, source.name, new, target.name) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(FileError::Exists(target.path)),
            Err(e) => Err(FileError::io("move", &source.path, &e)),
            Ok(()) => {
                let synced = system::sync(new).and_then(|()| system::sync(old));
                synced.map_err(|e| FileError::io("move", &source.path, &e))
            }
        }
    }

    /// Removes a file; false where there is nothing. A link is removed itself, not what it leads to.
    ///
    /// # Errors
    /// When it is a directory, or cannot be removed.
    pub fn remove(&self, relative: &Path) -> Result<bool> {
        self.remove_by(relative, system::remove_file)
    }

    /// Removes a directory that is empty; false where it is not, or where there is nothing.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove_if_empty(&self, relative: &Path) -> Result<bool> {
        match self.remove_by(relative, system::remove_directory) {
            Err(FileError::Io(e)) if e.kind() == ErrorKind::DirectoryNotEmpty => Ok(false),
            removed => removed,
        }
    }

    /// Opens a regular file to append to it, and makes it with mode 0600 where it is missing.
    ///
    /// # Errors
    /// When it is a link or no regular file, or cannot be opened.
    pub fn append(&self, relative: &Path) -> Result<File> {
        self.open_to_write(relative, OpenMode::Append)
    }

    /// Opens a regular file to read and write it, and makes it with mode 0600 where it is missing.
    ///
    /// # Errors
    /// As [`Dir::append`].
    pub fn open_file(&self, relative: &Path) -> Result<File> {
        self.open_to_write(relative, OpenMode::ReadWrite)
    }

    fn open_to_write(&self, relative: &Path, mode: OpenMode) -> Result<File> {
        let entry = self.entry_to_write(relative)?;
        let file = system::open_to_write(&entry.parent.handle, entry.name, mode);
        let file = file.map_err(|e| entry.explain("open", &e))?;
        entry.length(&file)?;
        Ok(file)
    }

    fn remove_by(
        &self,
        relative: &Path,
        remove: fn(&Handle, &OsStr) -> io::Result<()>,
    ) -> Result<bool> {
        let Some(entry) = self.entry(relative, MissingDirectories::Report)? else {
            return Ok(false);
        };
        match remove(&entry.parent.handle, entry.name) {
            Ok(()) => Ok(true),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
            Err(e) => Err(FileError::io("remove", &entry.path, &e)),
        }
    }

    fn missing_error(&self, relative: &Path) -> FileError {
        let path = self.path.join(relative);
        FileError::io("open", &path, &ErrorKind::NotFound.into())
    }

    fn entry_to_write<'a>(&self, relative: &'a Path) -> Result<PathEntry<'a>> {
        let entry = self.entry(relative, MissingDirectories::Create)?;
        entry.ok_or_else(|| self.missing_error(relative))
    }

    /// Opens the directory that holds a path's last name; `None` if that is missing or cannot be opened.
    fn reachable_entry<'a>(&self, relative: &'a Path) -> Option<PathEntry<'a>> {
        self.entry(relative, MissingDirectories::Report).ok()?
    }

    /// Opens the directory that holds a path's last name; `None` if it is missing.
    fn entry<'a>(
        &self,
        relative: &'a Path,
        missing: MissingDirectories,
    ) -> Result<Option<PathEntry<'a>>> {
        let path = self.path.join(relative);
        let is_plain = |part| matches!(part, Component::Normal(_));
        let Some(name) = relative.file_name() else {
            return Err(FileError::Outside(path));
        };
        if !relative.components().all(is_plain) {
            return Err(FileError::Outside(path));
        }
        let parent = relative.parent().unwrap_or(Path::new(""));
        let parent = self.descend(parent, missing)?;
        Ok(parent.map(|parent| PathEntry { parent, name, path }))
    }

    /// Opens each component in turn.
    fn descend(&self, relative: &Path, missing: MissingDirectories) -> Result<Option<Self>> {
        let mut at = self.try_clone()?;
        for component in relative.components() {
            let Component::Normal(name) = component else {
                return Err(FileError::Outside(self.path.join(relative)));
            };
            match at.child(name, missing)? {
                Some(child) => at = child,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    fn child(&self, name: &OsStr, missing: MissingDirectories) -> Result<Option<Self>> {
        let path = self.path.join(name);
        let mut opened = system::open_directory(&self.handle, name);
        let is_missing = matches!(&opened, Err(e) if e.kind() == ErrorKind::NotFound);
        if is_missing && missing == MissingDirectories::Create {
            let made = system::make_directory(&self.handle, name);
            made.map_err(|e| FileError::io("create the directory", &path, &e))?;
            opened = system::open_directory(&self.handle, name);
        }
        match opened {
            Ok(handle) => Ok(Some(Self { handle, path })),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(match system::kind(&self.handle, name) {
                Ok(Some(EntryKind::Link)) => FileError::Link(path),
                Ok(Some(EntryKind::File | EntryKind::Other)) => FileError::NotDirectory(path),
                _ => FileError::io("open", &path, &e),
            }),
        }
    }

    /// Returns the directory as a file, which can be locked.
    #[cfg(unix)]
    pub(crate) fn as_file(&self) -> Result<File> {
        Ok(File::from(self.try_clone()?.handle))
    }

    /// Returns the same directory with a handle of its own.
    pub(crate) fn try_clone(&self) -> Result<Self> {
        let handle = self.handle.try_clone();
        Ok(Self {
            handle: handle.map_err(|e| FileError::io("open", &self.path, &e))?,
            path: self.path.clone(),
        })
    }
}

impl PathEntry<'_> {
    fn kind(&self) -> Result<Option<EntryKind>> {
        let kind = system::kind(&self.parent.handle, self.name);
        kind.map_err(|e| FileError::io("look at", &self.path, &e))
    }

    /// Returns the error for a name that could not be opened.
    fn explain(&self, what: &str, error: &io::Error) -> FileError {
        match system::kind(&self.parent.handle, self.name) {
            Ok(Some(EntryKind::Link)) => FileError::Link(self.path.clone()),
            Ok(Some(EntryKind::Directory | EntryKind::Other)) => {
                FileError::NotRegular(self.path.clone())
            }
            _ => FileError::io(what, &self.path, error),
        }
    }

    /// Returns the length of an open file, which has to be a regular one.
    fn length(&self, file: &File) -> Result<u64> {
        let meta = file.metadata();
        let meta = meta.map_err(|e| FileError::io("look at", &self.path, &e))?;
        if meta.is_file() {
            Ok(meta.len())
        } else {
            Err(FileError::NotRegular(self.path.clone()))
        }
    }

    /// Returns an error where something else than a regular file has the name.
    fn refuse_irregular(&self) -> Result<()> {
        match self.kind()? {
            None | Some(EntryKind::File) => Ok(()),
            Some(EntryKind::Link) => Err(FileError::Link(self.path.clone())),
            Some(_) => Err(FileError::NotRegular(self.path.clone())),
        }
    }

    fn replace(
        &self,
        content: &[u8],
        durability: Durability,
        is_wanted: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        let at = &self.parent.handle;
        let failed = |e: io::Error| FileError::io("write", &self.path, &e);
        let TemporaryFile { mut file, name } = create_temporary(at).map_err(failed)?;
        let filled = self.fill(&mut file, content, durability).map_err(failed);
        let replaced = filled.and_then(|()| is_wanted()).and_then(|is_wanted| {
            if is_wanted {
                system::rename(at, &name, at, self.name).map_err(failed)?;
            }
            Ok(is_wanted)
        });
        match replaced {
            Ok(true) if durability == Durability::Durable => system::sync(at).map_err(failed)?,
            Ok(true) => {}
            _ => drop(system::remove_file(at, &name)),
        }
        replaced
    }

    fn fill(&self, new: &mut File, content: &[u8], durability: Durability) -> io::Result<()> {
        new.write_all(content)?;
        system::copy_mode(&self.parent.handle, self.name, new)?;
        match durability {
            Durability::Durable => new.sync_all(),
            Durability::Cached => Ok(()),
        }
    }
}

/// Renames a file to a name that nothing has. Where the system cannot do both at once, the name is looked up first.
fn rename_new(old: &Handle, name: &OsStr, new: &Handle, new_name: &OsStr) -> io::Result<()> {
    match system::rename_new(old, name, new, new_name) {
        Err(e) if e.kind() == ErrorKind::Unsupported => match system::kind(new, new_name)? {
            Some(_) => Err(ErrorKind::AlreadyExists.into()),
            None => system::rename(old, name, new, new_name),
        },
        renamed => renamed,
    }
}
