//! The user's own files: settings, state, index. Links in their paths are followed, since managers of settings
//! make such links. Nobody else can read what is written.

use crate::access::Durability;
use crate::confined_file::ConfinedFile;
use crate::dir::Dir;
use crate::error::Result;
use std::fs::File;
use std::path::Path;
use tempfile::TempDir;

/// Makes a directory with mode 0700, and the missing directories above it. An existing
/// directory keeps its mode.
///
/// # Errors
/// When it cannot be made.
pub fn create_directory(path: &Path) -> Result<()> {
    Dir::create(path).map(drop)
}

/// Creates a temporary directory that others cannot enter, whatever the mask of modes is. It is deleted when it is dropped.
///
/// # Errors
/// When it cannot be made.
pub fn temporary_directory(prefix: &str) -> std::io::Result<TempDir> {
    temporary_directory_in(&std::env::temp_dir(), prefix)
}

/// Creates what [`temporary_directory`] does in another folder.
pub(crate) fn temporary_directory_in(folder: &Path, prefix: &str) -> std::io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(PermissionsExt::from_mode(0o700));
    }
    builder.tempdir_in(folder)
}

/// Replaces a file's content whole or not at all, and removes what killed writers left beside it. Where a link
/// stands, the file that it points to is replaced.
///
/// # Errors
/// When its directory cannot be written.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    ConfinedFile::for_user(path)?.write_bytes(content, Durability::Durable)
}

/// Replaces a file as [`write()`] does, without waiting for the disk: for what can be made again.
///
/// # Errors
/// As [`write()`].
pub fn write_cached(path: &Path, content: &[u8]) -> Result<()> {
    ConfinedFile::for_user(path)?.write_bytes(content, Durability::Cached)
}

/// Reads a regular file of at most `limit` bytes; `None` if there is nothing.
///
/// # Errors
/// When it is no regular file, is too large, or cannot be read.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
    ConfinedFile::for_user(path)?.read(limit)
}

/// Reads a regular file as text, of at most `limit` bytes; bytes that are no UTF-8 become U+FFFD. `None` if there is
/// nothing.
///
/// # Errors
/// As [`read`].
pub fn read_text(path: &Path, limit: u64) -> Result<Option<String>> {
    ConfinedFile::for_user(path)?.read_text(limit)
}

/// Reads the text of a file that is to be changed, of at most `limit` bytes; `None` if there is nothing.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_utf8(path: &Path, limit: u64) -> Result<Option<String>> {
    ConfinedFile::for_user(path)?.read_utf8(limit)
}

/// Opens a file to read and write it, and makes it with mode 0600 where it is missing. Others' rights
/// to one that is there are taken away.
///
/// # Errors
/// When it is no regular file, or cannot be opened.
pub fn open(path: &Path) -> Result<fs_err::File> {
    let file = ConfinedFile::for_user(path)?.open_to_write()?;
    let file = fs_err::File::from_parts(file, path);
    restrict(&file)?;
    Ok(file)
}

#[cfg(unix)]
fn restrict(file: &fs_err::File) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if file.metadata()?.permissions().mode() & 0o077 != 0 {
        file.set_permissions(PermissionsExt::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn restrict(_: &fs_err::File) -> Result<()> {
    Ok(()) // a new file is made with a list of its own, an old one keeps what its owner gave it
}

/// Opens a file to append to it, and makes it and its directory where they are missing.
///
/// # Errors
/// When it is no regular file, or cannot be opened.
pub fn append(path: &Path) -> Result<File> {
    ConfinedFile::for_user(path)?.append()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_enters_a_temporary_directory() {
        use std::os::unix::fs::PermissionsExt;
        let directory = temporary_directory("private-").unwrap();
        let mode = fs_err::metadata(directory.path()).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o700);
    }
}
