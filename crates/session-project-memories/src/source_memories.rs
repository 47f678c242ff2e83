//! The memories that were saved from some sessions, in whichever folder they lie.

use crate::error::ProjectMemoriesError;
use crate::project_memories::ProjectMemories;
use jiff::Zoned;
use session_core::text::path_line;
use session_display::Note;
use session_files::Project;
use session_memory::{DirectoryRecord, Memory, MemoryDirectory, MemorySource};
use std::collections::{BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// The sessions and turns whose memories are wanted.
pub struct SourceQuery<'a> {
    /// The agents' ids of the sessions.
    pub sessions: BTreeSet<&'a str>,
    /// The folders of their projects.
    pub folders: BTreeSet<PathBuf>,
    /// Accepts turns of a session by its id; `None` stands for all of them.
    pub includes: &'a dyn Fn(&str, Option<RangeInclusive<u32>>) -> bool,
}

impl SourceQuery<'_> {
    fn includes(&self, memory: &Memory) -> bool {
        let source = memory.front.source.as_ref();
        let session = source.and_then(|source| source.session.as_deref());
        let turns = source.and_then(MemorySource::turn_range);
        session.is_some_and(|session| (self.includes)(session, turns))
    }
}

/// The memories of a folder, and those of them that were saved from the wanted turns.
pub struct SourceMemories {
    memories: ProjectMemories,
    /// Those that were saved from the wanted turns.
    pub saved: Vec<Memory>,
}

/// The memories that were found, and notes on the folders that were not read.
#[derive(Default)]
pub struct FoundSourceMemories {
    /// The memories by folder. Each is found once.
    pub by_folder: Vec<SourceMemories>,
    /// Notes on folders whose memories were not read.
    pub notes: Vec<String>,
}

impl FoundSourceMemories {
    /// Finds the memories that were saved from the wanted turns: the user's, those of the project of the folder `here`,
    /// those of the projects of the sessions, and those of every project in which this machine saved some.
    ///
    /// # Errors
    /// When the memories of `here` cannot be opened.
    pub fn find(here: &Path, query: &SourceQuery<'_>) -> Result<Self, ProjectMemoriesError> {
        let mut seen = HashSet::new();
        let mut find_in = |memories: ProjectMemories| {
            let is_new = |directory: &MemoryDirectory| seen.insert(directory.path.clone());
            let mut saved = memories.store.list_saved_in(&query.sessions, is_new);
            saved.retain(|memory| query.includes(memory));
            SourceMemories { memories, saved }
        };
        let here = ProjectMemories::in_all_locations(here)?;
        let recorded = here.store.records().all();
        let user_home = here.home.env.home.clone();
        let mut found = Self::default();
        found.by_folder.push(find_in(here));
        let folders = query.folders.iter().map(PathBuf::as_path);
        let of_sessions = folders.map(|folder| (open_memories(folder), folder));
        let recorded = recorded.iter().filter_map(DirectoryRecord::root);
        let recorded = recorded.map(|root| (open_owned_memories(root, &user_home), root));
        for (opened, folder) in of_sessions.chain(recorded) {
            match opened {
                Ok(memories) => found.by_folder.push(find_in(memories)),
                Err(error) => found.notes.push(format!(
                    "memories of {} are not looked at: {error}",
                    path_line(folder)
                )),
            }
        }
        Ok(found)
    }

    /// Returns all memories that were found.
    pub fn list(&self) -> Vec<Memory> {
        let memories = self.by_folder.iter().flat_map(|folder| &folder.saved);
        memories.cloned().collect()
    }
}

impl SourceMemories {
    /// Deletes the memories that were saved from the wanted turns for good, also from what follows them. Returns notes on
    /// what cannot be changed.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn purge(&self, now: &Zoned) -> Result<Vec<Note>, ProjectMemoriesError> {
        if self.saved.is_empty() {
            return Ok(Vec::new());
        }
        let mut notes = self.memories.purge(&self.saved, now)?;
        notes.extend(self.memories.finish_change());
        Ok(notes)
    }
}

/// Opens the memories of a folder, and its user's alone where its project is not this user's.
fn open_memories(folder: &Path) -> Result<ProjectMemories, String> {
    ProjectMemories::in_all_locations(folder).map_err(|error| error.to_string())
}

/// Opens the memories of a project's root.
///
/// # Errors
/// When others can write there: then what was saved there is not looked at.
fn open_owned_memories(root: &Path, user_home: &Path) -> Result<ProjectMemories, String> {
    Project::find(root, user_home).map_err(|unowned| unowned.message())?;
    open_memories(root)
}
