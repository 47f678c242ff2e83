//! Paths that the command line names, for this user.

use crate::output::stop_signal::StopSignal;
use anyhow::{Context, Error, Result, anyhow, bail};
use session_config::Home;
use session_core::text::path_line;
use session_files::{Dir, ExistingFile, FileError, output_path};
use session_output::quote_word;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Creates a directory as [`output_path::create_directory`] does.
pub fn create_directory(path: &Path) -> Result<Dir> {
    output_path::create_directory(path, &home_directory()?)
        .map_err(|error| explain_file_error(error, path))
}

/// Refuses a path whose parent directory is missing: a mistyped path would make directories.
pub fn require_parent(path: &Path) -> Result<()> {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    match parent.filter(|parent| matches!(parent.try_exists(), Ok(false))) {
        Some(missing) => bail!(
            "there is no folder `{}`\nhint: `mkdir -p {}` creates it",
            path_line(missing),
            quote_word(&path_line(missing))
        ),
        None => Ok(()),
    }
}

/// Opens a directory, which has to be there, as [`output_path::open_directory`] does.
pub fn open_directory(path: &Path) -> Result<Dir> {
    let opened = output_path::open_directory(path, &home_directory()?);
    let opened = opened.map_err(|error| explain_file_error(error, path))?;
    opened.with_context(|| {
        format!(
            "there is no folder `{}`\nhint: name one that is there",
            path_line(path)
        )
    })
}

/// Writes a file as [`output_path::write`] does.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    output_path::write(path, &home_directory()?, content)
        .map_err(|error| explain_file_error(error, path))
}

/// Makes a file as [`output_path::create_with`] does; one that is there already is replaced only by force. A signal
/// that ends the process leaves no part of the file behind.
pub fn create_with(
    path: &Path,
    force: bool,
    fill: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let existing = if force {
        ExistingFile::Replace
    } else {
        ExistingFile::Keep
    };
    require_parent(path)?;
    let home = home_directory()?;
    let stop = StopSignal::catch();
    let created =
        output_path::create_with(path, &home, existing, |file| fill(&mut stop.wrap(file)));
    drop(stop);
    created.map_err(|error| match error.downcast() {
        Ok(error) => explain_file_error(error, path),
        Err(other) => other,
    })
}

/// Adds to an error of a path that the user named what to name instead. Nothing there is to be moved away for it. The
/// error of another path, such as that of a file in a directory that the user named, stays as it is.
pub fn explain_file_error(error: FileError, path: &Path) -> Error {
    let shown = path_line(path);
    let is_file = match &error {
        FileError::Exists(wrong) | FileError::NotRegular(wrong) => is_same_path(wrong, path),
        _ => false,
    };
    match error {
        _ if is_file && path.is_dir() => anyhow!("`{shown}` is a folder\nhint: name a file"),
        _ if is_file && (!path.is_file() || path.starts_with("/dev")) => {
            anyhow!("`{shown}` is not a regular file\nhint: name one, or `-` for stdin or stdout")
        }
        FileError::Exists(_) if is_file => {
            anyhow!("`{shown}` is there already\nhint: --force replaces it")
        }
        // `.`, which names no file.
        FileError::Outside(_) if path.is_dir() => {
            anyhow!("`{shown}` is a folder\nhint: name a file")
        }
        FileError::NotDirectory(file) => {
            let file = path_line(&file);
            anyhow!("`{file}` is not a folder\nhint: name another path")
        }
        other => other.into(),
    }
}

/// Returns true if two paths lead to the same file.
fn is_same_path(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs_err::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

/// Returns a path that was named for output, where it is not `-`, which is stdout.
pub fn file_path(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}

/// Refuses links as [`output_path::refuse_links`] does.
pub fn refuse_links(path: &Path, directory: &Dir) -> Result<()> {
    let refused = output_path::refuse_links(path, &home_directory()?, directory);
    refused.map_err(|error| explain_file_error(error, path))
}

fn home_directory() -> Result<PathBuf> {
    Ok(Home::unconfigured()?.env.home)
}
