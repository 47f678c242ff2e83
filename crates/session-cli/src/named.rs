//! Paths that a command line names: in a repository they are opened beneath its root, where no link is
//! followed. Which repository that is, the path says, not the folder that the process is in.

use anyhow::{Context, Result};
use session_config::Home;
use session_files::{Dir, Durability, FileError, normal, outermost_root, private};
use std::path::{Path, PathBuf};

/// Opens a folder, and makes it where it is missing.
///
/// # Errors
/// When it cannot be made, or a link in a repository leads to it.
pub fn folder(path: &Path) -> Result<Dir> {
    Ok(match beneath(path)? {
        Some((root, relative)) => Dir::open(&root)?.create_directory(&relative)?,
        None => Dir::create(&normal(path)?)?,
    })
}

/// Opens a folder to read from.
///
/// # Errors
/// When it is not there, or a link in a repository leads to it.
pub fn existing_folder(path: &Path) -> Result<Dir> {
    Ok(match beneath(path)? {
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
    match beneath(path)? {
        Some((root, relative)) => {
            Dir::open(&root)?.write(&relative, content, Durability::Durable)?;
        }
        None => private::write(&normal(path)?, content)?,
    }
    Ok(())
}

/// Refuses a folder below which a link lies, where it is in a repository: what is opened by its path
/// would follow it.
///
/// # Errors
/// When there is a link.
pub fn refuse_links(path: &Path, folder: &Dir) -> Result<()> {
    match beneath(path)? {
        Some(_) => without_links(folder),
        None => Ok(()),
    }
}

fn without_links(folder: &Dir) -> Result<()> {
    for name in folder.names(Path::new(""), usize::MAX)? {
        match folder.directory(Path::new(&name)) {
            Ok(Some(inner)) => without_links(&inner)?,
            Err(link @ FileError::Link(_)) => return Err(link.into()),
            _ => {}
        }
    }
    Ok(())
}

/// The outermost root around a path, and the path from there.
fn beneath(path: &Path) -> Result<Option<(PathBuf, PathBuf)>> {
    Ok(outermost_root(path, &Home::unconfigured()?.env.home))
}
