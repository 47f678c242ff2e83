//! Paths that the command line names, for this user.

use anyhow::{Context, Result, bail};
use session_config::Home;
use session_files::{Dir, Existing, FileError, output_path};
use std::fs::File;
use std::path::{Path, PathBuf};

/// As [`output_path::create_directory`].
///
/// # Errors
/// As it, and when there is no home directory.
pub fn create_directory(path: &Path) -> Result<Dir> {
    Ok(output_path::create_directory(path, &home()?)?)
}

/// As [`output_path::open_directory`], of a directory that has to be there.
///
/// # Errors
/// As [`create_directory`], and when it is missing.
pub fn open_directory(path: &Path) -> Result<Dir> {
    output_path::open_directory(path, &home()?)?.with_context(|| {
        format!(
            "there is no folder `{}`\nhint: name one that is there",
            path.display()
        )
    })
}

/// As [`output_path::write`].
///
/// # Errors
/// As [`create_directory`].
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    Ok(output_path::write(path, &home()?, content)?)
}

/// Makes a file as [`output_path::create_with`] does; one that is there already is replaced only by force.
///
/// # Errors
/// As [`create_directory`], those of `fill`, and when the file is there.
pub fn create_with(
    path: &Path,
    force: bool,
    fill: impl FnOnce(&mut File) -> Result<()>,
) -> Result<()> {
    let existing = match force {
        true => Existing::Replace,
        false => Existing::Keep,
    };
    match output_path::create_with(path, &home()?, existing, fill) {
        Err(error) if is_there(&error) => bail!(
            "`{}` is there already\nhint: --force replaces it",
            path.display()
        ),
        created => created,
    }
}

fn is_there(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(FileError::Exists(_)))
}

/// As [`output_path::refuse_links`].
///
/// # Errors
/// As [`create_directory`].
pub fn refuse_links(path: &Path, directory: &Dir) -> Result<()> {
    Ok(output_path::refuse_links(path, &home()?, directory)?)
}

fn home() -> Result<PathBuf> {
    Ok(Home::unconfigured()?.env.home)
}
