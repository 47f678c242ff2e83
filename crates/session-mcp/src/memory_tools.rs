//! `recall` and `remember`: saved memories.

use crate::answer::{FencedText, ItemList, ToolAnswer, format_call};
use crate::arguments::{RecallArguments, RememberArguments};
use crate::call_error::CallError;
use jiff::{Timestamp, Zoned};
use session_config::current_directory;
use session_core::text::clip;
use session_display::sanitize_line;
use session_hooks::{Memories, MemoriesError, SavedMemory};
use session_memory::{
    Memory, MemoryDraft, MemoryListing, MemoryMatch, MemoryState, describe_cuts, record_use,
};

/// Most bytes of a memory's text in an answer.
const TEXT_BYTES: usize = 2_000;
/// Most memories that are named as repeated.
const MAX_REPEATS: usize = 3;

/// Opens the memories of the server's directory.
///
/// # Errors
/// When the configuration has a mistake, or switches memories off.
fn open_memories() -> Result<Memories, CallError> {
    let memories = Memories::for_folder(&current_directory().map_err(MemoriesError::from)?)?;
    memories.require_enabled()?;
    Ok(memories)
}

/// Finds the memories that answer a query.
///
/// # Errors
/// When the model fails, or memories are switched off.
pub(crate) fn recall(arguments: &RecallArguments) -> Result<ToolAnswer, CallError> {
    let memories = open_memories()?;
    let MemoryListing {
        memories: all,
        damaged,
    } = memories.list(&[MemoryState::Active], None);
    let mut found = memories.search(&arguments.query, &all)?;
    found.truncate(memories.home.config.retrieval.max_results);
    let mut listing = ItemList::default();
    let shown: Vec<&Memory> = found
        .iter()
        .take_while(|one| listing.push(&format_item(one, &all[one.memory])))
        .map(|one| &all[one.memory])
        .collect();
    record_use(&memories.store, &shown, Timestamp::now());
    let mut notes = memories.notes.clone();
    if shown.is_empty() {
        notes.push(format!("nothing found, memories searched: {}", all.len()));
    }
    if !damaged.is_empty() {
        notes.push(format!("{} damaged files are left out", damaged.len()));
    }
    let query = match arguments.query.trim() {
        "" => "project:.",
        query => query,
    };
    Ok(ToolAnswer {
        notes,
        data: listing.data,
        next: format_call("search", &[("query", query.into())]),
    })
}

/// Formats a memory that was found.
fn format_item(found: &MemoryMatch, memory: &Memory) -> String {
    let trust = match memory.trust.is_trusted() {
        true => "",
        false => "  came with the repository, not trusted",
    };
    let superseded = memory.front.superseded_by.as_deref();
    let superseded = superseded.map(|by| format!("  superseded by {}", sanitize_line(by)));
    format!(
        "{}  {}  {}  {}  {}{trust}{}\n{}\n",
        sanitize_line(memory.id()),
        found.band().name(),
        memory.day(),
        memory.front.kind.label(),
        sanitize_line(&memory.front.topic),
        superseded.unwrap_or_default(),
        clip(memory.body.trim(), TEXT_BYTES),
    )
}

/// A memory that was saved, with the memories that it now stands among.
pub(crate) struct RememberAnswer {
    pub(crate) answer: ToolAnswer,
    pub(crate) memories: Memories,
}

/// Saves a memory, as `memory save` does.
///
/// # Errors
/// When it is not valid, a file cannot be written, or memories are switched off.
pub(crate) fn remember(arguments: &RememberArguments) -> Result<RememberAnswer, CallError> {
    let memories = open_memories()?;
    let draft = MemoryDraft {
        topic: arguments.topic.clone(),
        key_info: arguments.info.clone(),
        kind: arguments.kind,
        importance: arguments.importance,
        tags: arguments.tags.clone(),
        cues: arguments.cues.clone(),
        when: arguments.when.clone(),
        ..MemoryDraft::default()
    };
    let saved = memories.save(&draft, arguments.global, &Zoned::now())?;
    let mut notes = memories.notes.clone();
    notes.push(format!("saved as {}", saved.memory.id()));
    notes.extend(describe_cuts(&draft.topic, &draft.cues));
    notes.extend(format_moved_note(&saved));
    let command = saved.trigger_command();
    notes.extend(command.map(|command| format!("nothing says when it matters; `{command}` does")));
    let answer = ToolAnswer {
        notes,
        data: list_repeats(&saved),
        next: format_call("recall", &[("query", arguments.topic.as_str().into())]),
    };
    Ok(RememberAnswer { answer, memories })
}

/// Lists the memories that a new one repeats: its user may want to have one of them alone.
fn list_repeats(saved: &SavedMemory) -> FencedText {
    let mut listing = ItemList::default();
    let new = saved.memory.id();
    for old in saved.repeats.iter().take(MAX_REPEATS) {
        let (id, topic) = (sanitize_line(&old.id), sanitize_line(&old.topic));
        let command = format!("`session-search memory supersede {id} --by {new}` replaces it");
        listing.push(&format!("it repeats {id}: {topic}; {command}"));
    }
    listing.data
}

fn format_moved_note(saved: &SavedMemory) -> Option<String> {
    let moved = saved.moved.archived.len() + saved.moved.trashed.len();
    (moved > 0).then(|| format!("{moved} old memories were archived or put into the trash"))
}
