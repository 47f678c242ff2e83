//! `recall` and `remember`: saved memories.

use crate::answer::{FencedText, ItemList, ToolAnswer, format_call};
use crate::arguments::{RecallArguments, RememberArguments};
use crate::call_error::CallError;
use crate::memory_item::{format_found_memory, format_whole_memory};
use jiff::{Timestamp, Zoned};
use session_config::current_directory;
use session_display::{pluralize, sanitize_line};
use session_hooks::{BroadTrigger, Memories, MemoriesError, SavedMemory};
use session_memory::{Memory, MemoryDraft, MemoryListing, MemoryScope, MemoryState, record_recall};

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

/// Returns the notes on the project. They are outside of the fence: the words of a repository's configuration are left out.
fn list_project_notes(memories: &Memories) -> Vec<String> {
    let mistake = "the project's configuration has a mistake and is left out; `session-search config` tells which";
    let has_mistake = !memories.left_out_files.is_empty();
    let mistake = has_mistake.then(|| mistake.to_owned());
    memories.notes.iter().cloned().chain(mistake).collect()
}

/// Finds the memories that answer a query, or the one whose id it is, of which all is shown.
///
/// # Errors
/// When the model fails, or memories are switched off.
pub(crate) fn recall(arguments: &RecallArguments) -> Result<ToolAnswer, CallError> {
    let memories = open_memories()?;
    let MemoryListing {
        memories: all,
        damaged,
    } = memories.list_in_scope(&[MemoryState::Active]);
    let mut notes = list_project_notes(&memories);
    let mut listing = ItemList::default();
    let named = all.iter().find(|one| one.id() == arguments.query.trim());
    let shown = match named {
        Some(memory) => {
            listing.push(&format_whole_memory(memory));
            vec![memory]
        }
        None => {
            let found = find_items(&memories, &arguments.query, &all, &mut listing)?;
            notes.extend(found.note);
            found.shown
        }
    };
    record_recall(&memories.store, &shown, Timestamp::now());
    if !damaged.is_empty() {
        notes.push(format!(
            "{} left out",
            pluralize(damaged.len(), "damaged file")
        ));
    }
    // Of a memory that is named the id: its topic may be a repository's, and the next call is outside of the fence.
    let query = match arguments.query.trim() {
        "" => "project:.",
        query => query,
    };
    Ok(ToolAnswer {
        notes,
        data: listing.data,
        next: Some(format_call("search", &[("query", query.into())])),
        ..ToolAnswer::default()
    })
}

/// Memories that were listed, and a note on those that were not.
struct ListedMemories<'m> {
    shown: Vec<&'m Memory>,
    note: Option<String>,
}

/// Finds the memories that answer a query, and lists as many as there is room for.
fn find_items<'m>(
    memories: &Memories,
    query: &str,
    all: &'m [Memory],
    listing: &mut ItemList,
) -> Result<ListedMemories<'m>, CallError> {
    let mut found = memories.search(query, all)?;
    found.truncate(memories.home.config.retrieval.max_results);
    let listed = found.iter().map(|one| (one, &all[one.memory]));
    let shown: Vec<&Memory> = listed
        .take_while(|(one, memory)| listing.push(&format_found_memory(memory, one.band().name())))
        .map(|(_, memory)| memory)
        .collect();
    let note = match (shown.len(), found.len()) {
        (0, _) => Some(format!("nothing found, memories searched: {}", all.len())),
        (shown, found) if shown < found => Some(format!("the best {shown} of {found}")),
        _ => None,
    };
    Ok(ListedMemories { shown, note })
}

/// Saves a memory, as `memory save` does.
///
/// # Errors
/// When it is not valid, a file cannot be written, or memories are switched off.
pub(crate) fn remember(arguments: &RememberArguments) -> Result<ToolAnswer, CallError> {
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
    let scope = arguments.global.then_some(MemoryScope::Global);
    let saved = memories.save(&draft, scope, &Zoned::now())?;
    let mut notes = list_project_notes(&memories);
    notes.push(format!("saved as {}", saved.memory.id()));
    notes.extend(saved.cuts.iter().cloned());
    notes.extend(saved.replaced_secrets.note());
    let broad = saved.broad.iter();
    notes.extend(broad.map(|it| format_broad_note(it, &saved.memory)));
    notes.extend(format_moved_note(&saved));
    notes.extend(saved.notes.iter().cloned());
    let advice = saved.trigger_command();
    let advice = advice.map(|command| format!("it has no triggers; `{command}` adds some"));
    // Triggers are proposed from the names of files, which a repository chose.
    let (advice, proposal) = if saved.proposed.is_empty() {
        (advice, None)
    } else {
        (None, advice)
    };
    notes.extend(advice);
    notes.extend(memories.finish_change());
    Ok(ToolAnswer {
        notes,
        data: list_proposals(&saved, proposal),
        next: Some(format_call(
            "recall",
            &[("query", saved.memory.front.topic.as_str().into())],
        )),
        ..ToolAnswer::default()
    })
}

/// Lists the triggers that are proposed for a new memory, and the memories that it repeats: its user may want to have one of
/// them alone.
fn list_proposals(saved: &SavedMemory, triggers: Option<String>) -> FencedText {
    let mut listing = ItemList::default();
    if let Some(triggers) = triggers {
        listing.push(&triggers);
    }
    let new = saved.memory.id();
    for old in saved.repeats.iter().take(MAX_REPEATS) {
        let (id, topic) = (sanitize_line(&old.id), sanitize_line(&old.topic));
        let command = format!("`session-search memory supersede {id} --by {new}` replaces it");
        listing.push(&format!("it repeats {id}: {topic}; {command}"));
    }
    listing.data
}

fn format_broad_note(trigger: &BroadTrigger, memory: &Memory) -> String {
    let command = trigger.edit_command(memory.id());
    format!("{}; `{command}` gives narrower ones", trigger.describe())
}

fn format_moved_note(saved: &SavedMemory) -> Option<String> {
    let moved = saved.moved.archived.len() + saved.moved.trashed.len();
    (moved > 0).then(|| format!("{moved} old memories were archived or put into the trash"))
}
