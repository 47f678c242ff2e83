//! The same where there are no directory-relative calls: each component is looked
//! at before it is used, and reparse points are refused. A process that swaps a
//! directory in between is not held off.

use crate::dir::EntryKind;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// A directory's path.
pub(crate) type Handle = PathBuf;

pub(crate) fn open_root(path: &Path) -> io::Result<Handle> {
    match std::fs::metadata(path)?.is_dir() {
        true => Ok(path.to_owned()),
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}

pub(crate) fn open_directory(at: &Handle, name: &OsStr) -> io::Result<Handle> {
    match kind(at, name)? {
        Some(EntryKind::Directory) => Ok(at.join(name)),
        Some(_) => Err(io::ErrorKind::NotADirectory.into()),
        None => Err(io::ErrorKind::NotFound.into()),
    }
}

pub(crate) fn make_directory(at: &Handle, name: &OsStr) -> io::Result<()> {
    match std::fs::create_dir(at.join(name)) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// An error where a name is a reparse point or something else than a file.
fn refuse_others(at: &Handle, name: &OsStr) -> io::Result<()> {
    match kind(at, name)? {
        None | Some(EntryKind::File) => Ok(()),
        Some(_) => Err(io::ErrorKind::InvalidInput.into()),
    }
}

pub(crate) fn open_file(at: &Handle, name: &OsStr) -> io::Result<File> {
    refuse_others(at, name)?;
    OpenOptions::new().read(true).open(at.join(name))
}

pub(crate) fn create_file(at: &Handle, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).open(at.join(name))
}

pub(crate) fn open_to_write(at: &Handle, name: &OsStr, appends: bool) -> io::Result<File> {
    refuse_others(at, name)?;
    let mut options = OpenOptions::new();
    options.read(!appends).write(!appends).append(appends);
    options.create(true).truncate(false).open(at.join(name))
}

pub(crate) fn kind(at: &Handle, name: &OsStr) -> io::Result<Option<EntryKind>> {
    let meta = match std::fs::symlink_metadata(at.join(name)) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        meta => meta?,
    };
    Ok(Some(match meta.file_type() {
        _ if is_reparse_point(&meta) => EntryKind::Link,
        kind if kind.is_file() => EntryKind::File,
        kind if kind.is_dir() => EntryKind::Directory,
        _ => EntryKind::Other,
    }))
}

#[cfg(windows)]
fn is_reparse_point(meta: &std::fs::Metadata) -> bool {
    const FILE_ATTRIBUTE_REPARSE_POINT: u32 = 0x400;
    let attributes = std::os::windows::fs::MetadataExt::file_attributes(meta);
    attributes & FILE_ATTRIBUTE_REPARSE_POINT != 0
}

#[cfg(not(windows))]
fn is_reparse_point(meta: &std::fs::Metadata) -> bool {
    meta.is_symlink()
}

pub(crate) fn rename(from: &Handle, name: &OsStr, to: &Handle, new_name: &OsStr) -> io::Result<()> {
    std::fs::rename(from.join(name), to.join(new_name))
}

pub(crate) fn rename_new(_: &Handle, _: &OsStr, _: &Handle, _: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn remove_file(at: &Handle, name: &OsStr) -> io::Result<()> {
    std::fs::remove_file(at.join(name))
}

pub(crate) fn remove_directory(at: &Handle, name: &OsStr) -> io::Result<()> {
    std::fs::remove_dir(at.join(name))
}

pub(crate) fn length(at: &Handle, name: &OsStr) -> Option<u64> {
    let meta = std::fs::symlink_metadata(at.join(name)).ok()?;
    (meta.is_file() && !is_reparse_point(&meta)).then_some(meta.len())
}

#[expect(clippy::disallowed_methods, reason = "the caller names the directory")]
pub(crate) fn names(at: &Handle, most: usize) -> io::Result<Vec<OsString>> {
    let entries = std::fs::read_dir(at)?.take(most);
    entries.map(|entry| Ok(entry?.file_name())).collect()
}

pub(crate) fn sync(_: &Handle) -> io::Result<()> {
    Ok(()) // a directory cannot be opened there
}

pub(crate) fn copy_mode(at: &Handle, name: &OsStr, new: &File) -> io::Result<()> {
    if let Ok(meta) = std::fs::symlink_metadata(at.join(name)) {
        new.set_permissions(meta.permissions())?;
    }
    Ok(())
}
