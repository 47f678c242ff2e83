//! Paths that a user names: in a repository they are opened beneath its root, where no link is
//! followed. The path decides which repository that is, not the directory that the process is in.

use crate::{
    ConfinedFile, Dir, Durability, ExistingFile, FileError, Result, RootedPath,
    normalize_lexically, split_at_outermost_root,
};
use std::fs::File;
use std::path::Path;

/// Opens a directory, and makes it where it is missing.
///
/// # Errors
/// When it cannot be made, or a link in a repository leads to it.
pub fn create_directory(path: &Path, home: &Path) -> Result<Dir> {
    match split_at_outermost_root(path, home) {
        Some(RootedPath { root, relative }) => Dir::open(&root)?.create_directory(&relative),
        None => Dir::create(&normalize_lexically(path)?),
    }
}

/// Opens a directory to read from; `None` if there is none.
///
/// # Errors
/// When a link in a repository leads to it, or it cannot be opened.
pub fn open_directory(path: &Path, home: &Path) -> Result<Option<Dir>> {
    match split_at_outermost_root(path, home) {
        Some(RootedPath { root, relative }) => Dir::open(&root)?.directory(&relative),
        None => Dir::open_existing(&normalize_lexically(path)?),
    }
}

/// Writes a file whole.
///
/// # Errors
/// When it cannot be written, or a link in a repository leads to it.
pub fn write(path: &Path, home: &Path, content: &[u8]) -> Result<()> {
    resolve_file(path, home)?.write_bytes(content, Durability::Durable)
}

/// Creates a file of mode 0600 that `fill` writes, whole or not at all.
///
/// # Errors
/// As [`write()`]; [`FileError::Exists`] where a file is to be kept.
pub fn create_with<E: From<FileError>>(
    path: &Path,
    home: &Path,
    existing: ExistingFile,
    fill: impl FnOnce(&mut File) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    resolve_file(path, home)?.create_with(existing, fill)
}

/// Returns the address of a file: in a repository below its root, elsewhere as one of the user's own.
fn resolve_file(path: &Path, home: &Path) -> Result<ConfinedFile> {
    match split_at_outermost_root(path, home) {
        Some(RootedPath { root, relative }) => Ok(ConfinedFile::new(&root, &relative)),
        None => ConfinedFile::for_user(&normalize_lexically(path)?),
    }
}

/// Refuses a directory below which a link lies, where it is in a repository: what is opened by its path
/// would follow it.
///
/// # Errors
/// When there is a link.
pub fn refuse_links(path: &Path, home: &Path, directory: &Dir) -> Result<()> {
    match split_at_outermost_root(path, home) {
        Some(_) => refuse_links_below(directory),
        None => Ok(()),
    }
}

fn refuse_links_below(directory: &Dir) -> Result<()> {
    for name in directory.names(Path::new(""), usize::MAX)? {
        match directory.directory(Path::new(&name)) {
            Ok(Some(inner)) => refuse_links_below(&inner)?,
            Err(link @ FileError::Link(_)) => return Err(link),
            _ => {}
        }
    }
    Ok(())
}
