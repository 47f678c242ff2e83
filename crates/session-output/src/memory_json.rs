//! Memories as JSON.

use serde::{Serialize, Serializer};
use session_memory::{
    Importance, InheritedFields, Memory, MemoryKind, MemoryMatch, MemoryScope, MemorySource,
    MemoryState, MovedMemories, NearDuplicate, Triggers, Trust,
};
use session_project_memories::SavedMemory;

/// A memory, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonMemory<'a> {
    id: &'a str,
    topic: &'a str,
    key_info: Vec<String>,
    kind: MemoryKind,
    importance: Importance,
    tags: &'a [String],
    keywords: &'a [String],
    cues: &'a [String],
    prompts: &'a [String],
    when: &'a Triggers,
    created: String,
    updated: String,
    state: MemoryState,
    scope: MemoryScope,
    /// `own`, `trusted`, `waiting` or `changed`.
    trust: Trust,
    superseded_by: Option<&'a str>,
    source: Option<&'a MemorySource>,
    path: String,
    content: &'a str,
}

impl<'a> JsonMemory<'a> {
    /// Returns the memory as it is printed.
    pub fn new(memory: &'a Memory) -> Self {
        let front = &memory.front;
        Self {
            id: &front.id,
            topic: &front.topic,
            key_info: memory.key_info(),
            kind: front.kind,
            importance: front.importance,
            tags: &front.tags,
            keywords: &front.keywords,
            cues: &front.cues,
            prompts: &front.prompts,
            when: &front.when,
            created: front.created.to_string(),
            updated: memory.updated().to_string(),
            state: memory.state,
            scope: memory.scope,
            trust: memory.trust,
            superseded_by: front.superseded_by.as_deref(),
            source: front.source.as_ref(),
            path: memory.path.display().to_string(),
            content: &memory.body,
        }
    }
}

/// A memory that was found.
#[derive(Serialize)]
pub struct JsonMemoryMatch<'a> {
    rank: usize,
    #[serde(flatten)]
    found: &'a MemoryMatch,
    #[serde(flatten)]
    memory: JsonMemory<'a>,
}

impl<'a> JsonMemoryMatch<'a> {
    /// Returns matches as they are printed, best first; each is a match of one of `all`.
    pub fn from_matches(found: &'a [MemoryMatch], all: &'a [Memory]) -> Vec<Self> {
        let make_json = |(i, found): (usize, &'a MemoryMatch)| Self {
            rank: i + 1,
            found,
            memory: JsonMemory::new(&all[found.index]),
        };
        found.iter().enumerate().map(make_json).collect()
    }
}

/// The answer of a search for memories, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonMemorySearch<'a> {
    /// The query.
    pub query: &'a str,
    /// The number of memories that match, also of those that are not printed.
    pub total: usize,
    /// The best of them, the best first.
    pub memories: Vec<JsonMemoryMatch<'a>>,
}

/// Memories as an array of [`JsonMemory`].
pub struct JsonMemories<'a>(pub &'a [Memory]);

impl Serialize for JsonMemories<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(JsonMemory::new))
    }
}

/// Memories that a command changed, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonMemoryChange<'a> {
    /// The outcome for them.
    pub done: &'static str,
    /// The memories.
    pub memories: JsonMemories<'a>,
    /// The notes on the change.
    pub notes: &'a [String],
}

/// A memory that was superseded, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonSupersededMemory<'a> {
    /// The memory, and what failed.
    #[serde(flatten)]
    pub change: JsonMemoryChange<'a>,
    /// The fields that its replacement inherited, left out where there are none.
    #[serde(skip_serializing_if = "InheritedFields::is_empty")]
    pub inherited: &'a InheritedFields,
}

/// A memory with the conversation that is kept beside it, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonShownMemory<'a> {
    /// The memory.
    #[serde(flatten)]
    pub memory: JsonMemory<'a>,
    /// The conversation.
    pub raw: Option<&'a str>,
}

/// A memory that was saved, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonSavedMemory<'a> {
    memory: JsonMemory<'a>,
    repeats: &'a [NearDuplicate],
    #[serde(flatten)]
    moved: &'a MovedMemories,
    #[serde(skip_serializing_if = "Triggers::is_empty")]
    proposed: &'a Triggers,
    #[serde(skip_serializing_if = "Option::is_none")]
    add_triggers: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    add_cues: Option<String>,
    notes: &'a [String],
}

impl<'a> JsonSavedMemory<'a> {
    /// Returns a saved memory with what followed from it, and the notes that no other field stands for.
    pub fn new(saved: &'a SavedMemory, notes: &'a [String]) -> Self {
        Self {
            notes,
            memory: JsonMemory::new(&saved.memory),
            repeats: &saved.repeats,
            moved: &saved.moved,
            proposed: &saved.proposed,
            // Without a proposal it is a form, not to be run as it is.
            add_triggers: saved
                .trigger_command()
                .filter(|_| !saved.proposed.is_empty()),
            add_cues: saved.cue_command(),
        }
    }
}

/// Memories that were imported, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonImportedMemories<'a> {
    /// The memories that are new.
    pub imported: JsonMemories<'a>,
    /// The memories that took the place of versions that were changed earlier.
    pub replaced: JsonMemories<'a>,
    /// The ids of those that are in the trash here, where they stay.
    pub in_trash: &'a [String],
    /// The ids of trusted memories whose later version in the import would wait for trust.
    pub kept_trusted: &'a [String],
    /// The ids of those that waited for trust here, and have that of the import now.
    pub trusted: &'a [String],
    /// The number of those that were there already.
    pub known: usize,
    /// The number of memories of a project that are left out, since there is none here.
    pub without_project: usize,
}

/// The context sheet of a project, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonContextSheet {
    /// The file.
    pub path: String,
    /// True where it was written.
    pub changed: bool,
    /// Its length in characters.
    pub chars: usize,
}
