//! A memory's file: its path, and the names in a directory.

use crate::content::memory::MemoryState;
use crate::content::memory_id::is_valid_id;
use crate::error::DamagedFile;
use session_files::Dir;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The extension of memory files, with the dot.
pub(crate) const EXTENSION: &str = ".md";
/// The most bytes of a memory's file.
pub(crate) const FILE_LIMIT: u64 = 256 << 10;
/// The most memories of a state that are listed.
pub(crate) const MAX_FILES: usize = 5000;
/// The most names of a directory that are read.
pub(crate) const MAX_NAMES: usize = 50_000;

/// Returns the path of a memory's file below its [`MemoryDirectory`].
pub(crate) fn memory_path(state: MemoryState, id: &str) -> PathBuf {
    Path::new(state.directory_name()).join(format!("{id}{EXTENSION}"))
}

/// Returns true if a directory has a memory's file, in whatever state.
pub(crate) fn has_memory(dir: &Dir, id: &str) -> bool {
    let mut states = MemoryState::ALL.into_iter();
    states.any(|state| dir.exists(&memory_path(state, id)))
}

/// The ids of a state's directory, and the names there that are no ids.
#[derive(Debug, Default)]
pub(crate) struct IdListing {
    /// Ids, sorted.
    pub(crate) ids: Vec<String>,
    /// Files with a bad name, and the directory where it cannot be read whole.
    pub(crate) damaged: Vec<DamagedFile>,
}

/// Separates names that are ids from other names of Markdown files.
pub(crate) fn partition_names(directory: &Path, names: &[OsString]) -> IdListing {
    let mut listing = IdListing::default();
    for name in names {
        let text = name.to_string_lossy();
        match text
            .strip_suffix(EXTENSION)
            .filter(|_| !text.starts_with('.'))
        {
            None => {}
            Some(id) if is_valid_id(id) => listing.ids.push(id.to_owned()),
            Some(_) => {
                let reason = "its name is not an id such as mem-20260110-091500";
                let path = directory.join(name);
                listing
                    .damaged
                    .push(DamagedFile::unreadable(&path, &reason));
            }
        }
    }
    listing
}
