//! The memories that were saved from some sessions, or name what a pattern finds, in whichever directory they lie.

use crate::error::ProjectMemoriesError;
use crate::project_memories::ProjectMemories;
use jiff::Zoned;
use session_core::text::path_line;
use session_display::Note;
use session_files::Project;
use session_memory::{
    ConversationOrigin, DirectoryRecord, Memory, MemoryDirectory, MemorySource, MemoryStore,
};
use std::collections::{BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// The sessions and turns whose memories are wanted.
pub struct SourceQuery<'a> {
    /// The directories of their projects.
    pub directories: BTreeSet<PathBuf>,
    /// Accepts turns of a session by its id; `None` stands for all of them.
    pub includes: &'a dyn Fn(&str, Option<RangeInclusive<u32>>) -> bool,
    /// Accepts the text of a memory, or of the conversation that is kept with it, that is wanted wherever it was saved;
    /// `None` where none is looked for.
    pub matches: Option<&'a dyn Fn(&str) -> bool>,
}

impl SourceQuery<'_> {
    /// Returns true if the text of a memory matches, or the conversation that is kept with it. Another conversation in the
    /// place of that one, which came with a repository, tells nothing of a memory that the user trusts.
    fn is_named(&self, memory: &Memory, store: &MemoryStore) -> bool {
        let Some(matches) = self.matches else {
            return false;
        };
        let is_in_conversation = || {
            let kept = store.read_conversation(memory).ok().flatten();
            let is_own = |origin| origin != ConversationOrigin::Repository;
            let kept = kept.filter(|kept| !memory.trust.is_trusted() || is_own(kept.origin));
            kept.is_some_and(|kept| matches(&kept.text))
        };
        matches(&memory.raw_text) || is_in_conversation()
    }

    fn includes(&self, memory: &Memory) -> bool {
        let source = memory.front.source.as_ref();
        let session = source.and_then(|source| source.session.as_deref());
        let turns = source.and_then(MemorySource::turn_range);
        session.is_some_and(|session| (self.includes)(session, turns))
    }
}

/// The memories of a directory, and those of them that are wanted.
pub struct SourceMemories {
    memories: ProjectMemories,
    /// Those that were saved from the wanted turns, or whose text is wanted.
    pub saved: Vec<Memory>,
}

/// The memories that were found, and notes on the directories that were not read.
#[derive(Default)]
pub struct FoundSourceMemories {
    /// The memories by directory. Each is found once.
    pub by_directory: Vec<SourceMemories>,
    /// Notes on directories whose memories were not read, and on memories that match and are not the user's.
    pub notes: Vec<String>,
}

impl FoundSourceMemories {
    /// Finds the memories that were saved from the wanted turns, or whose text is wanted: the user's, those of the project of the directory `here`,
    /// those of the projects of the sessions, and those of every project in which this machine saved some.
    ///
    /// # Errors
    /// When the memories of `here` cannot be opened.
    pub fn find(here: &Path, query: &SourceQuery<'_>) -> Result<Self, ProjectMemoriesError> {
        let mut seen = HashSet::new();
        let mut waiting_notes = Vec::new();
        let mut find_in = |memories: ProjectMemories, directory: &Path| {
            let mut waiting = Vec::new();
            let is_new = |directory: &MemoryDirectory| seen.insert(directory.path.clone());
            let is_meant = |memory: &Memory| {
                let is_named = || query.is_named(memory, &memories.store);
                let is_wanted = query.includes(memory);
                if is_wanted || !is_named() {
                    return is_wanted;
                }
                // What came with a repository and waits for trust is not the user's to be forgotten.
                let is_trusted = memory.trust.is_trusted();
                if !is_trusted {
                    waiting.push(memory.id().to_owned());
                }
                is_trusted
            };
            let saved = memories.store.list_where(is_meant, is_new);
            waiting_notes.extend(note_waiting(&waiting, directory));
            SourceMemories { memories, saved }
        };
        let memories = ProjectMemories::in_all_locations(here)?;
        let recorded = memories.store.records().all();
        let user_home = memories.home.env.home.clone();
        let mut found = Self::default();
        found.by_directory.push(find_in(memories, here));
        let directories = query.directories.iter().map(PathBuf::as_path);
        let of_sessions = directories.map(|directory| (open_memories(directory), directory));
        let recorded = recorded.iter().filter_map(DirectoryRecord::root);
        let recorded = recorded.map(|root| (open_owned_memories(root, &user_home), root));
        for (opened, directory) in of_sessions.chain(recorded) {
            match opened {
                Ok(memories) => found.by_directory.push(find_in(memories, directory)),
                Err(error) => found.notes.push(format!(
                    "memories of {} are not looked at: {error}",
                    path_line(directory)
                )),
            }
        }
        found.notes.extend(waiting_notes);
        Ok(found)
    }

    /// Returns all memories that were found.
    pub fn list(&self) -> Vec<Memory> {
        let found = self.by_directory.iter();
        let memories = found.flat_map(|directory| &directory.saved);
        memories.cloned().collect()
    }
}

impl SourceMemories {
    /// Deletes the wanted memories for good, also from what follows them. Returns notes on
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

/// Most ids that a note names.
const MAX_NAMED: usize = 10;

/// Returns a note on the memories that wait for trust and match, with the directory where a command finds them.
fn note_waiting(ids: &[String], directory: &Path) -> Option<String> {
    let named = &ids[..ids.len().min(MAX_NAMED)];
    let list = named.join(", ");
    let stay = match (ids.len(), ids.len() - named.len()) {
        (0, _) => return None,
        (1, _) => format!("{list} matches, waits for trust and stays"),
        (_, 0) => format!("{list} match, wait for trust and stay"),
        (_, more) => format!("{list} and {more} more memories match, wait for trust and stay"),
    };
    let (named, directory) = (named.join(" "), path_line(directory));
    Some(format!(
        "{stay}: see `session-search memory delete {named} --purge` in {directory}"
    ))
}

/// Opens the memories of a directory, and its user's alone where its project is not this user's.
fn open_memories(directory: &Path) -> Result<ProjectMemories, String> {
    ProjectMemories::in_all_locations(directory).map_err(|error| error.to_string())
}

/// Opens the memories of a project's root.
///
/// # Errors
/// When others can write there: then what was saved there is not looked at.
fn open_owned_memories(root: &Path, user_home: &Path) -> Result<ProjectMemories, String> {
    Project::find(root, user_home).map_err(|unowned| unowned.message())?;
    open_memories(root)
}
