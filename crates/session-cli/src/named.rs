//! Paths that a command line names to be written: in the project at hand they are opened beneath its
//! root, where no link is followed.

use crate::home::Home;
use anyhow::Result;
use session_files::{Dir, Durability, Project, private};
use std::path::{Path, PathBuf};

/// Opens a folder, and makes it where it is missing.
///
/// # Errors
/// When it cannot be made, or a link in the project leads to it.
pub fn folder(path: &Path) -> Result<Dir> {
    Ok(match beneath(path)? {
        Some((project, relative)) => project.open()?.create_directory(&relative)?,
        None => Dir::create(path)?,
    })
}

/// Writes a file whole.
///
/// # Errors
/// When it cannot be written, or a link in the project leads to it.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    match beneath(path)? {
        Some((project, relative)) => {
            let root = project.open()?;
            root.write(&relative, content, Durability::Durable)?;
        }
        None => private::write(path, content)?,
    }
    Ok(())
}

/// The project at hand and the path below its root, where it lies there by its name.
fn beneath(path: &Path) -> Result<Option<(Project, PathBuf)>> {
    let home = Home::unconfigured()?.env.home;
    let project = Project::find(&std::env::current_dir()?, &home)
        .ok()
        .flatten();
    Ok(project.and_then(|project| {
        let relative = project.relative(path)?;
        Some((project, relative))
    }))
}
