//! An opened directory of memories, and the lookup of ids in several of them.

use crate::content::memory::{Frontmatter, Memory, MemoryScope, MemoryState};
use crate::content::memory_id::{is_generated_id, is_valid_id};
use crate::error::{DamagedFile, MemoryError, Result};
use crate::storage::directory_records::{ContentOrigin, DirectoryRecord};
use crate::storage::memory_directory::MemoryDirectory;
use crate::storage::memory_file::{
    FILE_LIMIT, IdListing, MAX_FILES, MAX_NAMES, memory_path, partition_names,
};
use crate::storage::memory_store::MemoryListing;
use crate::text::line_ends::fold_line_ends;
use crate::text::yaml_file as yaml;
use crate::trust::Trust;
use session_files::Dir;
use std::path::Path;

/// The most bytes of untrusted memories that are read in a directory.
const UNTRUSTED_LIMIT: u64 = 4 << 20;

/// A directory that exists, opened, with its record.
pub(crate) struct OpenDirectory<'a> {
    pub(crate) directory: &'a MemoryDirectory,
    pub(crate) dir: Dir,
    pub(crate) record: DirectoryRecord,
}

impl OpenDirectory<'_> {
    /// Returns true if the memory's file exists.
    pub(crate) fn has(&self, state: MemoryState, id: &str) -> bool {
        self.dir.exists(&memory_path(state, id))
    }

    /// Lists the ids of a state. Where there are too many, recorded ones are kept.
    pub(crate) fn ids(&self, state: MemoryState) -> IdListing {
        let path = self.dir.path().join(state.directory_name());
        let names = self.dir.names(Path::new(state.directory_name()), MAX_NAMES);
        let names = match names {
            Ok(names) => names,
            Err(error) => {
                return IdListing {
                    damaged: vec![DamagedFile::unopened(&path, &error.into())],
                    ..IdListing::default()
                };
            }
        };
        let IdListing {
            mut ids,
            mut damaged,
        } = partition_names(&path, &names);
        if names.len() == MAX_NAMES {
            let recorded = self.record.ids().filter(|id| self.has(state, id));
            ids.extend(recorded.map(str::to_owned));
        }
        ids.sort();
        ids.dedup();
        if ids.len() > MAX_FILES || names.len() == MAX_NAMES {
            let reason = format!("it holds more than {MAX_FILES} files; the others are left out");
            damaged.push(DamagedFile::unreadable(&path, &reason));
            ids.sort_by_key(|id| !self.record.has_memory(id));
            ids.truncate(MAX_FILES);
            ids.sort();
        }
        IdListing { ids, damaged }
    }

    /// Reads the memories in some states.
    pub(crate) fn read_states(&self, states: &[MemoryState], listing: &mut MemoryListing) {
        for &state in states {
            let IdListing { ids, damaged } = self.ids(state);
            listing.damaged.extend(damaged);
            self.read_all(state, &ids, listing);
        }
    }

    /// Reads the active memories that nobody trusts, damaged files among them. Of the others no more is read than tells
    /// that.
    pub(crate) fn read_untrusted(&self, listing: &mut MemoryListing) {
        let mut ids = self.ids(MemoryState::Active).ids;
        ids.retain(|id| !self.is_trusted(id));
        self.read_all(MemoryState::Active, &ids, listing);
    }

    fn is_trusted(&self, id: &str) -> bool {
        self.read_trusted_text(id, &|_| true).is_some()
    }

    /// Reads memories; of untrusted ones at most [`UNTRUSTED_LIMIT`] bytes in all, since a repository
    /// chooses their number and size.
    fn read_all(&self, state: MemoryState, ids: &[String], listing: &mut MemoryListing) {
        let (mut budget, mut left_out) = (UNTRUSTED_LIMIT, 0);
        for id in ids {
            let bytes = self.dir.length(&memory_path(state, id)).unwrap_or(0);
            let is_known =
                self.directory.scope == MemoryScope::Global || self.record.has_length(id, bytes);
            match budget.checked_sub(bytes) {
                _ if is_known => {}
                Some(rest) => budget = rest,
                None => {
                    left_out += 1;
                    continue;
                }
            }
            match self.read(state, id) {
                Ok(memory) => listing.memories.extend(memory),
                Err(damage) => listing.damaged.push(damage),
            }
        }
        if left_out > 0 {
            let path = self.directory.path.join(state.directory_name());
            let reason =
                format!("memories that nobody trusts are too large together: {left_out} left out");
            listing
                .damaged
                .push(DamagedFile::unreadable(&path, &reason));
        }
    }

    /// Reads a memory's file; `None` if there is none. The file's name is the id, whatever the
    /// frontmatter says.
    pub(crate) fn read(
        &self,
        state: MemoryState,
        id: &str,
    ) -> std::result::Result<Option<Memory>, DamagedFile> {
        let relative = memory_path(state, id);
        let path = self.directory.path.join(&relative);
        let text = self.dir.read_text(&relative, FILE_LIMIT);
        let text = text.map_err(|error| DamagedFile::unreadable(&path, &error))?;
        let Some(text) = text else {
            return Ok(None);
        };
        match self.parse(state, id, &text) {
            Ok(memory) if memory.trust.is_trusted() => Ok(Some(memory)),
            Ok(memory) => match find_conflict(&text).filter(|_| has_whole_conflict(&text)) {
                Some(line) => Err(DamagedFile::in_conflict(&memory.path, line)),
                None => Ok(Some(memory)),
            },
            Err(damage) => Err(match find_conflict(&text) {
                Some(line) => DamagedFile::in_conflict(&damage.path, line),
                None => damage,
            }),
        }
    }

    /// Reads an active memory if its content is trusted and its text is wanted. Other content is not parsed.
    pub(crate) fn read_trusted(
        &self,
        id: &str,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Option<Memory> {
        let text = self.read_trusted_text(id, is_wanted)?;
        self.parse(MemoryState::Active, id, &text).ok()
    }

    /// Reads the text of an active memory if it is trusted and wanted. It is not read where its length is not recorded.
    fn read_trusted_text(&self, id: &str, is_wanted: &dyn Fn(&str) -> bool) -> Option<String> {
        let relative = memory_path(MemoryState::Active, id);
        let is_own = self.directory.scope == MemoryScope::Global;
        if !is_own && !self.record.has_length(id, self.dir.length(&relative)?) {
            return None;
        }
        let text = self.dir.read_text(&relative, FILE_LIMIT).ok()??;
        let is_trusted = || self.trust_of(MemoryState::Active, id, &text).is_trusted();
        (is_wanted(&text) && is_trusted()).then_some(text)
    }

    fn parse(
        &self,
        state: MemoryState,
        id: &str,
        text: &str,
    ) -> std::result::Result<Memory, DamagedFile> {
        let path = self.directory.path.join(memory_path(state, id));
        let trust = self.trust_of(state, id, text);
        // What is trusted is the text with LF, so that is parsed and shown.
        let text = fold_line_ends(text).into_owned();
        let parts = yaml::split_file(&text, &path)?;
        let mut front = Frontmatter::parse(parts.yaml, &path)?;
        id.clone_into(&mut front.id);
        Ok(Memory {
            trust,
            front,
            body: parts.body.to_owned(),
            path,
            state,
            scope: self.directory.scope,
            raw_text: text,
            redacted_text: None,
        })
    }

    /// Returns the trust in a content of a memory.
    fn trust_of(&self, state: MemoryState, id: &str, text: &str) -> Trust {
        if self.directory.scope == MemoryScope::Global {
            return Trust::Own;
        }
        let origin = match state {
            MemoryState::Trash => self.record.find_origin_even_deleted(id, text),
            MemoryState::Active | MemoryState::Archive => self.record.find_origin(id, text),
        };
        match origin {
            Some(ContentOrigin::User) => Trust::Own,
            Some(ContentOrigin::Trust) => Trust::Trusted,
            None if self.record.has_memory(id) => Trust::Changed,
            None => Trust::Waiting,
        }
    }
}

/// Returns the line at which git's mark of a conflict begins, counted from 1.
fn find_conflict(text: &str) -> Option<usize> {
    let mut lines = text.lines();
    let line = lines.position(|line| line.starts_with("<<<<<<< "))?;
    Some(line + 1)
}

/// Returns true if a text has all marks of a conflict, in order.
fn has_whole_conflict(text: &str) -> bool {
    let mut lines = text.lines();
    let mut has = |mark: &str| lines.any(|line| line.starts_with(mark));
    has("<<<<<<< ") && has("=======") && has(">>>>>>> ")
}

/// A file whose id matches a lookup.
struct MatchingFile<'a> {
    directory: &'a OpenDirectory<'a>,
    state: MemoryState,
    id: String,
}

impl MatchingFile<'_> {
    /// Returns true for a file of the same directory and id, in whatever state.
    fn is_same_memory(&self, other: &Self) -> bool {
        std::ptr::eq(self.directory, other.directory) && self.id == other.id
    }

    fn is_trusted(&self) -> bool {
        let memory = self.directory.read(self.state, &self.id).ok().flatten();
        memory.is_some_and(|memory| memory.trust.is_trusted())
    }
}

/// The files of some directories, among which ids are looked up.
pub(crate) struct MemoryFiles<'a>(Vec<MatchingFile<'a>>);

impl<'a> MemoryFiles<'a> {
    /// Lists the files of all states.
    pub(crate) fn list(directories: &'a [OpenDirectory<'a>]) -> Self {
        let mut files = Vec::new();
        for directory in directories {
            for state in MemoryState::ALL {
                let ids = directory.ids(state).ids.into_iter();
                files.extend(ids.map(|id| MatchingFile {
                    directory,
                    state,
                    id,
                }));
            }
        }
        Self(files)
    }

    /// Finds the memory of an id, or of a unique prefix of one; `mem-` may be left out.
    ///
    /// # Errors
    /// When no id or several ids match, or the file is damaged.
    pub(crate) fn find(&self, id: &str) -> Result<Memory> {
        let is_whole = |file: &&MatchingFile<'_>| is_same_id(&file.id, id);
        let mut found = self.find_prefix(id);
        let (whole, longer): (Vec<_>, Vec<_>) = found.iter().copied().partition(is_whole);
        // A file of a repository whose id is a prefix of the user's ids does not hide these.
        let has_trusted = |files: &[&MatchingFile<'_>]| files.iter().any(|file| file.is_trusted());
        let is_hijacked = || !has_trusted(&whole) && has_trusted(&longer);
        if is_generated_id(id) || (!whole.is_empty() && !is_hijacked()) {
            found.retain(is_whole);
            keep_preferred(&mut found);
        } else {
            remove_trashed_twins(&mut found);
        }
        let unknown = || MemoryError::Unknown(id.to_owned());
        match found.as_slice() {
            [] => Err(unknown()),
            [file] => (file.directory.read(file.state, &file.id)?).ok_or_else(unknown),
            several => Err(MemoryError::Ambiguous {
                id: id.to_owned(),
                found: several.iter().map(|file| file.id.clone()).collect(),
            }),
        }
    }

    fn find_prefix(&self, prefix: &str) -> Vec<&MatchingFile<'a>> {
        let with_mem = format!("mem-{prefix}");
        let begins = |id: &str| id.starts_with(prefix) || id.starts_with(&with_mem);
        let files = self.0.iter();
        let files = files.filter(|file| !prefix.is_empty() && begins(&file.id));
        files.collect()
    }
}

fn is_same_id(id: &str, typed: &str) -> bool {
    id == typed || id.strip_prefix("mem-") == Some(typed)
}

/// Keeps one of several files with one id. Of those that [`remove_trashed_twins`] leaves a trusted one is kept, so that a
/// repository cannot hide the user's, or else the first, by directory and state.
fn keep_preferred(found: &mut Vec<&MatchingFile<'_>>) {
    remove_trashed_twins(found);
    if found.len() > 1 {
        let best = found.iter().position(|file| file.is_trusted()).unwrap_or(0);
        found.swap(0, best);
        found.truncate(1);
    }
}

/// Removes files in the trash of whose id the same directory has one that is not: git brought it back after it was deleted,
/// and it is the one in use.
fn remove_trashed_twins(found: &mut Vec<&MatchingFile<'_>>) {
    let mut in_use = found.clone();
    in_use.retain(|file| file.state != MemoryState::Trash);
    found.retain(|file| {
        let mut others = in_use.iter();
        file.state != MemoryState::Trash || !others.any(|other| other.is_same_memory(file))
    });
}

/// The most memories in the trash that a replacement is followed over.
const MAX_TRASHED_STEPS: usize = 16;

/// Sets `superseded_by` to what replaces a replacement that is in the trash, and clears it where none is active or
/// archived.
pub(crate) fn clear_lost_replacements(memories: &mut [Memory], directories: &[OpenDirectory<'_>]) {
    for memory in memories {
        if let Some(by) = memory.front.superseded_by.take() {
            let kept = find_kept_replacement(by, directories);
            memory.front.superseded_by = kept.filter(|by| *by != memory.front.id);
        }
    }
}

/// Returns a replacement that is active or archived: the one of this id, or what replaced it before it was deleted.
fn find_kept_replacement(id: String, directories: &[OpenDirectory<'_>]) -> Option<String> {
    let is_kept = |id: &str| {
        let states = [MemoryState::Active, MemoryState::Archive];
        let has = |open: &OpenDirectory<'_>| states.iter().any(|state| open.has(*state, id));
        is_valid_id(id) && directories.iter().any(has)
    };
    let replacement_of_trashed = |id: &String| {
        let mut opened = directories.iter().filter(|_| is_valid_id(id));
        let trashed = opened.find_map(|open| open.read(MemoryState::Trash, id).ok().flatten());
        trashed?.front.superseded_by
    };
    let mut steps = std::iter::successors(Some(id), replacement_of_trashed);
    steps
        .by_ref()
        .take(MAX_TRASHED_STEPS)
        .find(|id| is_kept(id))
}
