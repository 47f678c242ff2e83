//! Paths that a command line names: in a repository they are opened beneath its root, where no link is
//! followed. Which repository that is, the path says, not the folder that the process is in.

use anyhow::{Context, Result};
use session_config::Home;
use session_files::{Dir, Durability, Existing, FileError, normal, outermost_root, private};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Opens a folder, and makes it where it is missing.
///
/// # Errors
/// When it cannot be made, or a link in a repository leads to it.
pub fn create_directory(path: &Path) -> Result<Dir> {
    Ok(match path_in_repository(path)? {
        Some((root, relative)) => Dir::open(&root)?.create_directory(&relative)?,
        None => Dir::create(&normal(path)?)?,
    })
}

/// Opens a folder to read from.
///
/// # Errors
/// When it is not there, or a link in a repository leads to it.
pub fn open_directory(path: &Path) -> Result<Dir> {
    Ok(match path_in_repository(path)? {
        Some((root, relative)) => Dir::open(&root)?
            .directory(&relative)?
            .with_context(|| format!("there is no folder `{}`", path.display()))?,
        None => Dir::open(&normal(path)?)?,
    })
}

/// Writes a file whole.
///
/// # Errors
/// When it cannot be written, or a link in a repository leads to it.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    match path_in_repository(path)? {
        Some((root, relative)) => {
            Dir::open(&root)?.write(&relative, content, Durability::Durable)?;
        }
        None => private::write(&normal(path)?, content)?,
    }
    Ok(())
}

/// Creates a file of mode 0600 that `fill` writes, whole or not at all.
///
/// # Errors
/// As [`write()`]; [`FileError::Exists`] where a file is to be kept.
pub fn create_with(
    path: &Path,
    existing: Existing,
    fill: impl FnOnce(&mut File) -> Result<()>,
) -> Result<()> {
    match path_in_repository(path)? {
        Some((root, relative)) => Dir::open(&root)?.create_with(&relative, existing, fill),
        None => private::create_with(&normal(path)?, existing, fill),
    }
}

/// Refuses a folder below which a link lies, where it is in a repository: what is opened by its path
/// would follow it.
///
/// # Errors
/// When there is a link.
pub fn refuse_links(path: &Path, folder: &Dir) -> Result<()> {
    match path_in_repository(path)? {
        Some(_) => refuse_links_below(folder),
        None => Ok(()),
    }
}

fn refuse_links_below(folder: &Dir) -> Result<()> {
    for name in folder.names(Path::new(""), usize::MAX)? {
        match folder.directory(Path::new(&name)) {
            Ok(Some(inner)) => refuse_links_below(&inner)?,
            Err(link @ FileError::Link(_)) => return Err(link.into()),
            _ => {}
        }
    }
    Ok(())
}

/// The outermost root around a path, and the path from there.
fn path_in_repository(path: &Path) -> Result<Option<(PathBuf, PathBuf)>> {
    Ok(outermost_root(path, &Home::unconfigured()?.env.home))
}
