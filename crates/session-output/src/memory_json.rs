//! Memories as JSON.

use serde::Serialize;
use session_hooks::SavedMemory;
use session_memory::{
    Importance, Memory, MemoryKind, MemoryMatch, MemoryScope, MemorySource, MemoryState,
    MovedMemories, NearDuplicate, Triggers, Trust,
};

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
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
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
pub struct JsonMemoryCandidate<'a> {
    rank: usize,
    #[serde(flatten)]
    found: &'a MemoryMatch,
    #[serde(flatten)]
    memory: JsonMemory<'a>,
}

impl<'a> JsonMemoryCandidate<'a> {
    /// Returns matches as they are printed, best first; each is a match of one of `all`.
    pub fn from_matches(found: &'a [MemoryMatch], all: &'a [Memory]) -> Vec<Self> {
        let candidate = |(i, found): (usize, &'a MemoryMatch)| Self {
            rank: i + 1,
            found,
            memory: JsonMemory::new(&all[found.memory]),
        };
        found.iter().enumerate().map(candidate).collect()
    }
}

/// The answer of a search for memories, as `docs/cli.md` describes it.
#[derive(Serialize)]
pub struct JsonMemorySearch<'a> {
    query: &'a str,
    results: usize,
    candidates: Vec<JsonMemoryCandidate<'a>>,
}

impl<'a> JsonMemorySearch<'a> {
    /// Returns candidates as they are printed; the first `results` of them are the answer.
    pub fn new(
        query: &'a str,
        results: usize,
        candidates: &'a [MemoryMatch],
        all: &'a [Memory],
    ) -> Self {
        Self {
            query,
            results,
            candidates: JsonMemoryCandidate::from_matches(candidates, all),
        }
    }
}

/// Memories, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonMemoryList<'a> {
    memories: Vec<JsonMemory<'a>>,
}

impl<'a> JsonMemoryList<'a> {
    /// Returns memories as they are printed.
    pub fn new(memories: &'a [Memory]) -> Self {
        Self {
            memories: memories.iter().map(JsonMemory::new).collect(),
        }
    }
}

/// Memories that a command changed, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonMemoryChange<'a> {
    done: &'static str,
    #[serde(flatten)]
    list: JsonMemoryList<'a>,
}

impl<'a> JsonMemoryChange<'a> {
    /// Returns memories with what was done to them.
    pub fn new(done: &'static str, memories: &'a [Memory]) -> Self {
        Self {
            done,
            list: JsonMemoryList::new(memories),
        }
    }
}

/// A memory with the conversation that is kept beside it, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonShownMemory<'a> {
    #[serde(flatten)]
    memory: JsonMemory<'a>,
    raw: Option<&'a str>,
}

impl<'a> JsonShownMemory<'a> {
    /// Returns a memory and its conversation as they are printed.
    pub fn new(memory: &'a Memory, raw: Option<&'a str>) -> Self {
        Self {
            memory: JsonMemory::new(memory),
            raw,
        }
    }
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
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

impl<'a> JsonSavedMemory<'a> {
    /// Returns a saved memory with what followed from it, and what was noted about its content.
    pub fn new(saved: &'a SavedMemory, notes: &'a [String]) -> Self {
        Self {
            notes,
            memory: JsonMemory::new(&saved.memory),
            repeats: &saved.repeats,
            moved: &saved.moved,
            proposed: &saved.proposed,
            add_triggers: saved.trigger_command(),
        }
    }
}

/// Memories that were imported, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonImportedMemories<'a> {
    imported: Vec<JsonMemory<'a>>,
    known: usize,
}

impl<'a> JsonImportedMemories<'a> {
    /// Returns imported memories, and the count of those that were there already.
    pub fn new(imported: &'a [Memory], known: usize) -> Self {
        Self {
            imported: imported.iter().map(JsonMemory::new).collect(),
            known,
        }
    }
}

/// A context sheet that is printed instead of written.
#[derive(Serialize)]
pub struct JsonPrintedContextSheet<'a> {
    /// Its text.
    pub text: &'a str,
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
