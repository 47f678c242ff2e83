//! A memory's file: its path and its id.

use crate::error::DamagedFile;
use crate::memory::MemoryState;
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
/// The longest id, in bytes.
const MAX_ID_BYTES: usize = 100;

/// Returns the path of a memory's file below its [`MemoryDirectory`].
pub(crate) fn memory_path(state: MemoryState, id: &str) -> PathBuf {
    Path::new(state.directory_name()).join(format!("{id}{EXTENSION}"))
}

/// Returns true where a directory has a memory's file, in whatever state.
pub(crate) fn has_memory(dir: &Dir, id: &str) -> bool {
    let mut states = MemoryState::ALL.into_iter();
    states.any(|state| dir.exists(&memory_path(state, id)))
}

/// Returns true for `mem-` followed by ASCII letters, digits, `-`, `_` and `.`.
pub(crate) fn is_valid_id(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let rest = text.strip_prefix("mem-");
    rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_plain))
        && text.len() <= MAX_ID_BYTES
}

/// Returns true for a complete generated id, with or without `mem-`, which is no prefix of a longer
/// one.
pub(crate) fn is_generated_id(text: &str) -> bool {
    let digits = |part: &str, most: usize| {
        (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    let mut parts = text.strip_prefix("mem-").unwrap_or(text).split('-');
    let day = parts.next().is_some_and(|p| p.len() == 8 && digits(p, 8));
    let time = parts.next().is_some_and(|p| p.len() == 6 && digits(p, 6));
    day && time && parts.next().is_none_or(|p| digits(p, 9)) && parts.next().is_none()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_mem_and_plain_ascii() {
        for id in ["mem-20260110-091500", "mem-20260110-091500-2", "mem-a_b.c"] {
            assert!(is_valid_id(id), "{id}");
        }
        let long = format!("mem-{}", "a".repeat(97));
        for id in [
            "mem-",
            "note",
            "mem-a b",
            "mem-a\nb",
            "mem-\u{1b}[31m",
            "mem-é",
            "mem-a/b",
            "mem-\u{202e}x",
            &long,
        ] {
            assert!(!is_valid_id(id), "{id}");
        }
    }
}
