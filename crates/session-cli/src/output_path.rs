//! Paths that the command line names, for this user.

use anyhow::{Context, Result};
use session_config::Home;
use session_files::{Dir, Existing, output_path};
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

/// As [`output_path::create_with`].
///
/// # Errors
/// As [`create_directory`], and those of `fill`.
pub fn create_with(
    path: &Path,
    existing: Existing,
    fill: impl FnOnce(&mut File) -> Result<()>,
) -> Result<()> {
    output_path::create_with(path, &home()?, existing, fill)
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
