//! A memory's file: its path, its id, its trust, and reading it.

use crate::directory_records::{ContentOrigin, DirectoryRecord};
use crate::error::DamagedFile;
use crate::frontmatter as yaml;
use crate::memory::{Memory, MemoryScope, MemoryState};
use crate::memory_directory::MemoryDirectory;
use crate::trust::Trust;
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
const MAX_NAMES: usize = 50_000;
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

/// Lists the ids of the memories in a state. Where there are too many, recorded ones are kept.
pub(crate) fn list_ids(dir: &Dir, record: &DirectoryRecord, state: MemoryState) -> IdListing {
    let path = dir.path().join(state.directory_name());
    let names = match dir.names(Path::new(state.directory_name()), MAX_NAMES) {
        Ok(names) => names,
        Err(error) => {
            return IdListing {
                damaged: vec![DamagedFile::unreadable(&path, &error)],
                ..IdListing::default()
            };
        }
    };
    let IdListing {
        mut ids,
        mut damaged,
    } = partition_names(&path, &names);
    if names.len() == MAX_NAMES {
        let recorded = record.ids();
        let recorded = recorded.filter(|id| dir.exists(&memory_path(state, id)));
        ids.extend(recorded.map(str::to_owned));
    }
    ids.sort();
    ids.dedup();
    if ids.len() > MAX_FILES || names.len() == MAX_NAMES {
        let reason = format!("it holds more than {MAX_FILES} files; the others are left out");
        damaged.push(DamagedFile::unreadable(&path, &reason));
        ids.sort_by_key(|id| !record.has_memory(id));
        ids.truncate(MAX_FILES);
        ids.sort();
    }
    IdListing { ids, damaged }
}

/// Separates names that are ids from other names of Markdown files.
fn partition_names(directory: &Path, names: &[OsString]) -> IdListing {
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

/// Reads a memory's file; `None` where there is none. The file's name is the id, whatever the
/// frontmatter says.
pub(crate) fn read_memory(
    directory: &MemoryDirectory,
    dir: &Dir,
    record: &DirectoryRecord,
    state: MemoryState,
    id: &str,
) -> std::result::Result<Option<Memory>, DamagedFile> {
    let relative = memory_path(state, id);
    let path = directory.path.join(&relative);
    let text = dir.read_text(&relative, FILE_LIMIT);
    let Some(text) = text.map_err(|error| DamagedFile::unreadable(&path, &error))? else {
        return Ok(None);
    };
    parse_memory(directory, record, state, id, text).map(Some)
}

/// Reads an active memory if its content is trusted and its text is wanted. Other content is not parsed.
pub(crate) fn read_trusted_memory(
    directory: &MemoryDirectory,
    dir: &Dir,
    record: &DirectoryRecord,
    id: &str,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<Memory> {
    let text = read_trusted_text(directory, dir, record, id, is_wanted)?;
    parse_memory(directory, record, MemoryState::Active, id, text).ok()
}

/// Reads the text of an active memory if it is trusted and wanted. It is not read where its length is not recorded.
pub(crate) fn read_trusted_text(
    directory: &MemoryDirectory,
    dir: &Dir,
    record: &DirectoryRecord,
    id: &str,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let relative = memory_path(MemoryState::Active, id);
    let is_own = directory.scope == MemoryScope::Global;
    if !is_own && !record.has_length(id, dir.length(&relative)?) {
        return None;
    }
    let text = dir.read_text(&relative, FILE_LIMIT).ok()??;
    let is_trusted = || find_trust(directory, record, MemoryState::Active, id, &text).is_trusted();
    (is_wanted(&text) && is_trusted()).then_some(text)
}

fn parse_memory(
    directory: &MemoryDirectory,
    record: &DirectoryRecord,
    state: MemoryState,
    id: &str,
    text: String,
) -> std::result::Result<Memory, DamagedFile> {
    let path = directory.path.join(memory_path(state, id));
    let parts = yaml::split_file(&text, &path)?;
    let mut front = yaml::parse(parts.yaml, &path)?;
    id.clone_into(&mut front.id);
    Ok(Memory {
        trust: find_trust(directory, record, state, id, &text),
        front,
        body: parts.body.to_owned(),
        path,
        state,
        scope: directory.scope,
        raw_text: text,
        redacted_text: None,
    })
}

fn find_trust(
    directory: &MemoryDirectory,
    record: &DirectoryRecord,
    state: MemoryState,
    id: &str,
    text: &str,
) -> Trust {
    if directory.scope == MemoryScope::Global {
        return Trust::Own;
    }
    let origin = match state {
        MemoryState::Trash => record.find_origin_even_deleted(id, text),
        MemoryState::Active | MemoryState::Archive => record.find_origin(id, text),
    };
    match origin {
        Some(ContentOrigin::User) => Trust::Own,
        Some(ContentOrigin::Trust) => Trust::Trusted,
        None if record.has_memory(id) => Trust::Changed,
        None => Trust::Waiting,
    }
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
