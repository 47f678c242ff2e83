//! Access to files on Windows, without directory-relative calls: each component is inspected before it is used,
//! and reparse points are refused. A process that swaps a directory in between is not held off.

use crate::access::OpenMode;
use crate::acl;
use crate::dir::EntryKind;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::MetadataExt;
use std::path::{Path, PathBuf};
use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE};
use windows_sys::Win32::Storage::FileSystem::{
    CREATE_NEW, FILE_APPEND_DATA, FILE_ATTRIBUTE_REPARSE_POINT, OPEN_ALWAYS, SYNCHRONIZE, WRITE_DAC,
};

/// A directory's path.
pub(crate) type Handle = PathBuf;

/// The copy of a handle, which fails elsewhere.
pub(crate) trait TryClone: Sized {
    fn try_clone(&self) -> io::Result<Self>;
}

impl TryClone for Handle {
    fn try_clone(&self) -> io::Result<Self> {
        Ok(self.clone())
    }
}

pub(crate) fn open_root(path: &Path) -> io::Result<Handle> {
    if std::fs::metadata(path)?.is_dir() {
        Ok(path.to_owned())
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

pub(crate) fn open_directory(at: &Handle, name: &OsStr) -> io::Result<Handle> {
    match kind(at, name)? {
        Some(EntryKind::Directory) => Ok(at.join(name)),
        Some(_) => Err(io::ErrorKind::NotADirectory.into()),
        None => Err(io::ErrorKind::NotFound.into()),
    }
}

/// Makes a directory that is its user's alone, and what is missing above it.
pub(crate) fn create_directories(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        create_directories(parent)?;
    }
    match acl::create_directory(path) {
        Err(_) if path.is_dir() => Ok(()), // made by another process meanwhile
        made => made,
    }
}

pub(crate) fn make_directory(at: &Handle, name: &OsStr) -> io::Result<()> {
    match acl::create_directory(&at.join(name)) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Returns an error where a name is a reparse point or something else than a file.
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
    acl::create_file(&at.join(name), GENERIC_WRITE | WRITE_DAC, CREATE_NEW)
}

pub(crate) fn open_to_write(at: &Handle, name: &OsStr, mode: OpenMode) -> io::Result<File> {
    refuse_others(at, name)?;
    let access = match mode {
        OpenMode::Append => GENERIC_READ | FILE_APPEND_DATA | SYNCHRONIZE,
        OpenMode::ReadWrite => GENERIC_READ | GENERIC_WRITE,
    };
    acl::create_file(&at.join(name), access, OPEN_ALWAYS)
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

fn is_reparse_point(meta: &Metadata) -> bool {
    meta.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT != 0
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
    let old = at.join(name);
    if let Ok(meta) = std::fs::symlink_metadata(&old) {
        acl::copy_list(&old, new)?;
        new.set_permissions(meta.permissions())?;
    }
    Ok(())
}
