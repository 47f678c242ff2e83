//! `recall` and `remember`: saved memories.

use crate::answer::{FencedText, ItemList, MAX_DATA_CHARS, ToolAnswer, format_call};
use crate::arguments::{RecallArguments, RememberArguments, is_for_all};
use crate::call_error::CallError;
use crate::memory_item::{
    INDENT, format_found_memory, format_listed_memory, format_page_heading, format_whole_memory,
};
use jiff::Zoned;
use serde_json::json;
use session_config::{current_directory, current_directory_or_home};
use session_display::{Note, pluralize};
use session_memory::{Memory, MemoryDraft, MemoryListing, MemoryScope, MemoryState, NearDuplicate};
use session_project_memories::{
    ProjectMemories, ProjectMemoriesError, SavedMemory, SavedMemoryNote,
};
use std::path::Path;

/// Characters that a page of a memory leaves for the call that goes on, and for the mark of a cut line.
const WAY_ON_CHARS: usize = 200;

/// Opens the memories that a directory uses.
///
/// # Errors
/// When the configuration has a mistake, or switches memories off.
fn open_memories(directory: &Path) -> Result<ProjectMemories, CallError> {
    let memories = ProjectMemories::for_directory(directory)?;
    memories.require_enabled()?;
    Ok(memories)
}

/// Returns the notes on the project. They are outside of the fence: the words of a repository's configuration are left out.
fn list_project_notes(memories: &ProjectMemories) -> Vec<String> {
    let mistake = "the project's configuration has a mistake and is left out; `session-search config` tells which";
    let has_mistake = !memories.left_out_files.is_empty();
    let mistake = has_mistake.then(|| mistake.to_owned());
    let gone =
        "the folder in which the server runs is gone: only memories for all projects are used";
    let gone = current_directory().is_err().then(|| gone.to_owned());
    let note = memories.unowned_note();
    note.into_iter().chain(mistake).chain(gone).collect()
}

/// Finds the memories that answer a query, lists all for an empty one or `*`, or shows the one whose id it is.
///
/// # Errors
/// When the model fails, memories are switched off, or an offset is behind the end of a memory.
pub(crate) fn recall(arguments: &RecallArguments) -> Result<ToolAnswer, CallError> {
    let directory = current_directory_or_home().map_err(ProjectMemoriesError::from)?;
    let memories = open_memories(&directory)?;
    let MemoryListing {
        memories: all,
        damaged,
    } = memories.list_recent(&[MemoryState::Active]);
    let query = arguments.query.trim();
    let reference = MemoryReference::parse(query);
    let mut answer = if is_for_all(query) {
        list_newest(all, memories.project.is_some())
    } else if let Some(page) = reference.as_ref().and_then(|sought| sought.find(&memories)) {
        memories.record_recall(&[&page.memory]);
        page.answer()?
    } else {
        let mut answer = find_memories(&memories, query, &all)?;
        let unknown = format_unknown_id(query, &memories);
        answer.notes.splice(0..0, unknown);
        answer
    };
    answer.notes.splice(0..0, list_project_notes(&memories));
    if !damaged.is_empty() {
        let damaged = pluralize(damaged.len(), "damaged file");
        answer.notes.push(format!("{damaged} left out"));
    }
    Ok(answer)
}

/// Lists memories on a line each, the newest first, and those that wait for trust last: a repository chooses how many they
/// are, and from when. The next call shows the first that is trusted: the id of another one is a repository's word, and the
/// call is outside of the fence.
fn list_newest(mut all: Vec<Memory>, is_in_project: bool) -> ToolAnswer {
    all.sort_by_key(|memory| !memory.trust.is_trusted());
    let mut listing = ItemList::default();
    for memory in &all {
        if !listing.push(&format_listed_memory(memory)) {
            break;
        }
    }
    let note = match listing.count {
        0 => Some("no memory is saved".to_owned()),
        shown => format_left_out(&all[shown..], all.len()),
    };
    let trusted = all.iter().find(|memory| memory.trust.is_trusted());
    let next = match trusted {
        Some(memory) => format_call("recall", &[("query", memory.id().into())]),
        None => {
            let sessions = if is_in_project { "project:." } else { "" };
            format_call("search", &[("query", sessions.into())])
        }
    };
    ToolAnswer {
        notes: note.into_iter().collect(),
        data: listing.data,
        next: Some(next),
        ..ToolAnswer::default()
    }
}

/// Formats how many of `count` memories a list leaves out; `None` if it has all.
fn format_left_out(left: &[Memory], count: usize) -> Option<String> {
    let waiting = left.iter().filter(|memory| !memory.trust.is_trusted());
    let waiting = match waiting.count() {
        0 => String::new(),
        waiting => format!(", {waiting} of which are not trusted"),
    };
    let more = left.len();
    (more > 0).then(|| format!("{more} of {count} left out{waiting}; a query finds them"))
}

/// The id of a memory as a query, and the character from which on it is shown: `ID`, `ID+OFFSET`, `` `ID` ``.
#[derive(Debug, PartialEq, Eq)]
struct MemoryReference<'q> {
    id: &'q str,
    offset: usize,
}

impl<'q> MemoryReference<'q> {
    /// Parses a query; `None` if it does not begin as an id does, or words follow.
    fn parse(query: &'q str) -> Option<Self> {
        let is_around = |c: char| c.is_whitespace() || ['`', '"', '\''].contains(&c);
        let query = query.trim_matches(is_around);
        let (id, offset) = match query.split_once('+') {
            Some((id, offset)) => (id.trim_end_matches(is_around), offset.trim().parse().ok()?),
            None => (query, 0),
        };
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_id = id.starts_with("mem-") && id.chars().all(is_part);
        is_id.then_some(Self { id, offset })
    }

    /// Finds the active memory, however old it is: the trusted one of several with the id, so that a repository cannot hide
    /// the user's.
    fn find(&self, memories: &ProjectMemories) -> Option<MemoryPage> {
        let active = memories.store.list(&[MemoryState::Active]).memories;
        let named = active.into_iter().filter(|memory| memory.id() == self.id);
        let memory = named.min_by_key(|memory| !memory.trust.is_trusted())?;
        let offset = self.offset;
        Some(MemoryPage { memory, offset })
    }
}

/// Says that no memory has the id that a query begins with; `None` if one has, or it begins with another word.
fn format_unknown_id(query: &str, memories: &ProjectMemories) -> Option<String> {
    let sought = MemoryReference::parse(query.split_whitespace().next()?)?;
    let is_unknown = sought.find(memories).is_none();
    is_unknown.then(|| format!("no active memory has the id {}", sought.id))
}

/// A memory that is shown alone, from some character of its text on.
struct MemoryPage {
    memory: Memory,
    offset: usize,
}

impl MemoryPage {
    /// Shows as much as there is room for below the heading, which each page has. The next call goes on; there is none at
    /// the end. Of a memory that waits for trust it is within the fence: the id is a repository's word.
    fn answer(&self) -> Result<ToolAnswer, CallError> {
        let whole = FencedText::new(&format_whole_memory(&self.memory));
        let count = whole.char_count();
        if self.offset >= count {
            let note = Note::new(format!("the memory has {count} characters"));
            return Err(note.with_hint("leave the offset out").into());
        }
        let mut data = FencedText::new(&format_page_heading(&self.memory));
        let room = MAX_DATA_CHARS.saturating_sub(data.char_count() + WAY_ON_CHARS);
        let page = whole.page(self.offset, room);
        let end = self.offset + page.char_count();
        if whole.is_within_line(self.offset) {
            data.push_line(&FencedText::new(&format!("{INDENT}…")));
            data.push_rest(&page);
        } else {
            data.push_line(&page);
        }
        let rest = format!("{}+{end}", self.memory.id());
        let rest = (end < count).then(|| format_call("recall", &[("query", rest.into())]));
        let is_trusted = self.memory.trust.is_trusted();
        if let Some(rest) = rest.as_ref().filter(|_| !is_trusted) {
            let left = count - end;
            let way_on = format!("… {left} more characters: {rest}");
            data.push_line(&FencedText::new(&way_on));
        }
        Ok(ToolAnswer {
            data,
            next: rest.filter(|_| is_trusted),
            ..ToolAnswer::default()
        })
    }
}

/// Finds the memories that answer a query, and lists as many as there is room for.
fn find_memories(
    memories: &ProjectMemories,
    query: &str,
    all: &[Memory],
) -> Result<ToolAnswer, CallError> {
    let best = memories.find_best(query, all, None)?;
    let mut listing = ItemList::default();
    let listed = best.matches.iter().map(|one| (one, &all[one.index]));
    let shown: Vec<&Memory> = listed
        .take_while(|(one, memory)| listing.push(&format_found_memory(memory, one.band().name())))
        .map(|(_, memory)| memory)
        .collect();
    memories.record_recall(&shown);
    let note = match (shown.len(), best.total) {
        (0, _) => Some(format!(
            "nothing found, memories searched: {}; an empty query lists them",
            all.len()
        )),
        (shown, total) if shown < total => Some(format!(
            "the best {shown} of {total}; an empty query lists all memories"
        )),
        _ => None,
    };
    Ok(ToolAnswer {
        notes: note.into_iter().collect(),
        data: listing.data,
        next: Some(format_call("search", &[("query", query.into())])),
        ..ToolAnswer::default()
    })
}

/// Saves a memory, as `memory save` does, in the place of those that it replaces. It has the kind and importance of the first
/// of them where the call names none.
///
/// # Errors
/// When it is not valid, a replaced one is not there or not trusted, a file cannot be written, or memories are switched off.
pub(crate) fn remember(arguments: &RememberArguments) -> Result<ToolAnswer, CallError> {
    // Without a folder, what is of a project would be saved for all.
    let directory = if arguments.global {
        current_directory_or_home()
    } else {
        current_directory()
    };
    let memories = open_memories(&directory.map_err(ProjectMemoriesError::from)?)?;
    let replaced = memories.store.find_replaceable(&arguments.replaces);
    let replaced = replaced.map_err(ProjectMemoriesError::from)?;
    let first = replaced.first().map(|old| &old.front);
    let kind = arguments.kind.or(first.map(|front| front.kind));
    let importance = arguments.importance;
    let importance = importance.or(first.map(|front| front.importance));
    let draft = MemoryDraft {
        topic: arguments.topic.clone(),
        key_info: arguments.info.clone(),
        kind: kind.unwrap_or_default(),
        importance: importance.unwrap_or_default(),
        tags: arguments.tags.clone(),
        cues: arguments.cues.clone(),
        when: arguments.when.clone(),
        ..MemoryDraft::default()
    };
    let scope = arguments.global.then_some(MemoryScope::Global);
    let replaced = &arguments.replaces;
    let saved = memories.save_in_place_of(replaced, &draft, scope, &Zoned::now())?;
    let saved_notes = saved.notes();
    let mut notes = list_project_notes(&memories);
    notes.push(format!("saved as {}", saved.memory.id()));
    if memories.project.is_none() && !arguments.global {
        notes.push(
            "saved for all projects: the folder in which the server runs belongs to none"
                .to_owned(),
        );
    }
    notes.extend(format_kept_note(arguments, &saved));
    let own = saved_notes.iter().filter(|saved| !saved.has_foreign_words);
    // A hint names commands, which not every client can run.
    notes.extend(own.map(|saved| saved.note.text.clone()));
    notes.extend(format_replace_note(&saved));
    let finished = memories.finish_change().into_iter();
    notes.extend(finished.map(|note| note.to_string()));
    Ok(ToolAnswer {
        notes,
        data: list_proposals(&saved, &saved_notes),
        next: Some(format_call(
            "recall",
            &[("query", saved.memory.front.topic.as_str().into())],
        )),
        ..ToolAnswer::default()
    })
}

/// Formats the kind and importance that a memory has from the one that it replaces; `None` if the call names them.
fn format_kept_note(arguments: &RememberArguments, saved: &SavedMemory) -> Option<String> {
    let is_named = arguments.kind.is_some() && arguments.importance.is_some();
    let front = &saved.memory.front;
    let (kind, importance) = (front.kind.label(), front.importance.label());
    (!is_named && !arguments.replaces.is_empty())
        .then(|| format!("it is of the kind {kind}, its importance {importance}"))
}

/// Formats how a memory is changed, where its triggers, its cues or what it repeats are a reason to.
fn format_replace_note(saved: &SavedMemory) -> Option<String> {
    let is_complete = saved.trigger_command().is_none() && saved.cue_command().is_none();
    if !saved.has_broad_triggers() && saved.repeats.is_empty() && is_complete {
        return None;
    }
    let mut repeats = saved.repeats.iter();
    let repeated = if repeats.any(NearDuplicate::is_near) {
        " and the id of the one that it repeats"
    } else if saved.repeats.is_empty() {
        ""
    } else {
        " and, if it no longer holds, the id of the one with its topic"
    };
    let id = saved.memory.id();
    Some(format!(
        "to change it, call remember again with all of it and `replaces`: \"{id}\"{repeated}"
    ))
}

/// Lists what has words of a repository: the memories that a new one repeats, and the triggers that are proposed for it,
/// which are from names of files.
fn list_proposals(saved: &SavedMemory, notes: &[SavedMemoryNote]) -> FencedText {
    let mut listing = ItemList::default();
    if !saved.proposed.is_empty() {
        listing.push(&format!("proposed `when`: {}", json!(saved.proposed)));
    }
    for saved in notes.iter().filter(|saved| saved.has_foreign_words) {
        listing.push(&saved.note.text);
    }
    listing.data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_with_quotes_and_offset() {
        fn parse(query: &str) -> Option<(&str, usize)> {
            MemoryReference::parse(query).map(|sought| (sought.id, sought.offset))
        }
        let id = "mem-20260110-091500";
        for (behind, offset) in [
            ("", 0),
            ("+84", 84),
            (" + 84", 84),
            ("` + 84", 84),
            ("`", 0),
        ] {
            let query = format!("{id}{behind}");
            assert_eq!(parse(&query), Some((id, offset)), "{query}");
        }
        assert_eq!(parse(&format!("`{id}+84`")), Some((id, 84)));
        for query in ["mem-20260110 lamps", "lamps", "mem-a+b", "20260110-091500"] {
            assert_eq!(parse(query), None, "{query}");
        }
    }
}
