//! Files that others wrote: opening them, and knowing them again.

use crate::warning::warning_of_kind;
use crate::{Warning, WarningKind};
use fs_err::{DirEntry, File};
use session_core::FileStamp;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Why something that is no file is not read.
pub(crate) const NOT_REGULAR: &str = "is not a regular file";

/// The warning about a folder whose name is not UTF-8. The index stores paths as text, and the text of this one names no
/// folder.
const NOT_UTF_8_FOLDER: &str =
    "has a name that is not UTF-8: the sessions in it are found, and shown as they were indexed";

/// Returns the warning about a folder whose name is not UTF-8.
pub(crate) fn non_utf8_warning(folder: &Path) -> Warning {
    warning_of_kind(WarningKind::NonUtf8Name, folder, NOT_UTF_8_FOLDER)
}

/// Opens a regular file. Anything else is an error: opening a named pipe
/// would wait for its writer, and a device may have no end.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if fs_err::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, NOT_REGULAR))
    }
}

/// Returns the words of an error without its path, which stands beside them; with it where the kind of error has no name.
pub(crate) fn error_text(error: &io::Error) -> String {
    match error.kind().to_string() {
        kind if kind == "uncategorized error" => error.to_string(),
        kind => kind,
    }
}

/// Returns true for the error of a path at which there is nothing.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Lists a folder; one that is not there is empty.
pub(crate) fn entries_if_there(folder: &Path) -> io::Result<Vec<DirEntry>> {
    match fs_err::read_dir(folder) {
        Err(error) if is_absence(&error) => Ok(Vec::new()),
        entries => entries?.collect(),
    }
}

/// Returns true if there is a folder.
///
/// # Errors
/// When it cannot be looked at: other than `Path::is_dir` this does not take that for an absence.
pub(crate) fn is_folder(path: &Path) -> io::Result<bool> {
    match fs_err::metadata(path) {
        Err(error) if is_absence(&error) => Ok(false),
        metadata => Ok(metadata?.is_dir()),
    }
}

/// Returns the bytes of a regular file, at most `limit` of them.
pub(crate) fn read_limited(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns a path, or the name of a file, as text. Other than `to_string_lossy` it does not look at a path of
/// UTF-8, as nearly all are, byte by byte.
pub fn path_text<P: AsRef<OsStr> + ?Sized>(path: &P) -> Cow<'_, str> {
    let path = path.as_ref();
    path.to_str()
        .map_or_else(|| path.to_string_lossy(), Cow::Borrowed)
}

/// Returns size, last change and inode of a file.
pub(crate) fn stamp(metadata: &Metadata) -> FileStamp {
    FileStamp {
        size: metadata.len(),
        mtime_ns: mtime_ns(metadata),
        inode: inode(metadata),
    }
}

/// Returns the last change of a file, in milliseconds since 1970.
pub(crate) fn mtime_ms(stamp: &FileStamp) -> i64 {
    stamp.mtime_ns / 1_000_000
}

/// Returns the last change of a file, in nanoseconds since 1970.
pub(crate) fn mtime_ns(file: &Metadata) -> i64 {
    let modified = file.modified().ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since
        .and_then(|since| i64::try_from(since.as_nanos()).ok())
        .unwrap_or_default()
}

/// The key that two paths to one file share.
#[cfg(unix)]
pub(crate) type FileKey = (u64, u64);

#[cfg(unix)]
pub(crate) fn file_key(_: &Path, metadata: &Metadata) -> FileKey {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Returns true if both paths lead to one file.
pub fn leads_to_same_file(one: &Path, other: &Path) -> bool {
    let key = |path: &Path| Some(file_key(path, &fs_err::metadata(path).ok()?));
    key(one).is_some_and(|found| key(other) == Some(found))
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

/// The key that two paths to one file share.
#[cfg(not(unix))]
pub(crate) type FileKey = std::path::PathBuf;

#[cfg(not(unix))]
pub(crate) fn file_key(path: &Path, _: &Metadata) -> FileKey {
    fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}
