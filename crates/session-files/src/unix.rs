//! Directory-relative system calls. Each takes one component of a path, so that
//! `O_NOFOLLOW` holds for every component and not for the last alone.

use crate::access::OpenMode;
use crate::dir::EntryKind;
use rustix::fs::{self, AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

/// An open directory.
pub(crate) type Handle = OwnedFd;

const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);
const PRIVATE_DIRECTORY: Mode = Mode::RWXU;

/// Opens a directory by its whole path; links in it are followed.
pub(crate) fn open_root(path: &Path) -> io::Result<Handle> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(fs::open(path, flags, Mode::empty())?)
}

/// Opens a directory in another one.
pub(crate) fn open_directory(at: &Handle, name: &OsStr) -> io::Result<Handle> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(fs::openat(at, name, flags, Mode::empty())?)
}

/// Makes a directory with mode 0700, and what is missing above it.
pub(crate) fn create_directories(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.mode(0o700).recursive(true).create(path)
}

/// Makes a directory that its owner alone can read; one that is there stays.
pub(crate) fn make_directory(at: &Handle, name: &OsStr) -> io::Result<()> {
    match fs::mkdirat(at, name, PRIVATE_DIRECTORY) {
        Err(Errno::EXIST) => Ok(()),
        made => Ok(made?),
    }
}

/// Opens a file for reading. `O_NONBLOCK` keeps a FIFO from waiting for a writer.
pub(crate) fn open_file(at: &Handle, name: &OsStr) -> io::Result<File> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(fs::openat(at, name, flags, Mode::empty())?))
}

/// Makes a file that was not there.
pub(crate) fn create_file(at: &Handle, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(fs::openat(at, name, flags, PRIVATE_FILE)?))
}

/// Opens a file to read and write it, or to append to it, and makes it if need be.
pub(crate) fn open_to_write(at: &Handle, name: &OsStr, mode: OpenMode) -> io::Result<File> {
    let how = match mode {
        OpenMode::Append => OFlags::WRONLY | OFlags::APPEND,
        OpenMode::ReadWrite => OFlags::RDWR,
    };
    let flags = how
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY
        | OFlags::CLOEXEC;
    Ok(File::from(fs::openat(at, name, flags, PRIVATE_FILE)?))
}

/// Returns the kind of a directory entry; `None` if there is none.
pub(crate) fn kind(at: &Handle, name: &OsStr) -> io::Result<Option<EntryKind>> {
    match fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
        Ok(stat) => Ok(Some(match fs::FileType::from_raw_mode(stat.st_mode) {
            fs::FileType::RegularFile => EntryKind::File,
            fs::FileType::Directory => EntryKind::Directory,
            fs::FileType::Symlink => EntryKind::Link,
            _ => EntryKind::Other,
        })),
    }
}

/// Renames a file, and replaces what has the new name.
pub(crate) fn rename(from: &Handle, name: &OsStr, to: &Handle, new_name: &OsStr) -> io::Result<()> {
    Ok(fs::renameat(from, name, to, new_name)?)
}

/// Renames a file; an error where something has the new name. `Unsupported` where the system has no such call,
/// or the file system knows no such flag.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(crate) fn rename_new(
    from: &Handle,
    name: &OsStr,
    to: &Handle,
    new_name: &OsStr,
) -> io::Result<()> {
    match fs::renameat_with(from, name, to, new_name, fs::RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Err(io::ErrorKind::Unsupported.into()),
        renamed => Ok(renamed?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(crate) fn rename_new(_: &Handle, _: &OsStr, _: &Handle, _: &OsStr) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Removes a name: of a link the link, never what it points to.
pub(crate) fn remove_file(at: &Handle, name: &OsStr) -> io::Result<()> {
    Ok(fs::unlinkat(at, name, AtFlags::empty())?)
}

/// Removes an empty directory.
pub(crate) fn remove_directory(at: &Handle, name: &OsStr) -> io::Result<()> {
    Ok(fs::unlinkat(at, name, AtFlags::REMOVEDIR)?)
}

/// Returns the length of a regular file; `None` if there is none.
pub(crate) fn length(at: &Handle, name: &OsStr) -> Option<u64> {
    let stat = fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let is_file = fs::FileType::from_raw_mode(stat.st_mode) == fs::FileType::RegularFile;
    u64::try_from(stat.st_size).ok().filter(|_| is_file)
}

/// Returns the names in a directory, at most so many, in no order.
pub(crate) fn names(at: &Handle, most: usize) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::Dir::read_from(at)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        if names.len() == most {
            break;
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// Waits until names in a directory have reached the disk.
pub(crate) fn sync(at: &Handle) -> io::Result<()> {
    Ok(fs::fsync(at)?)
}

/// Gives a file the rights of the one that it replaces.
pub(crate) fn copy_mode(at: &Handle, name: &OsStr, new: &File) -> io::Result<()> {
    if let Ok(stat) = fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
        let mode = Mode::from_raw_mode(stat.st_mode) & (Mode::RWXU | Mode::RWXG | Mode::RWXO);
        fs::fchmod(new, mode)?;
    }
    Ok(())
}
