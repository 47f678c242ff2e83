//! `memory save`.

use crate::CommandOutcome;
use crate::args::{MemoryFieldArgs, MemorySaveArgs};
use crate::command::show::{self, SessionExchanges};
use crate::memories::ProjectMemories;
use crate::output::notes::{print_note, print_notes};
use crate::output::{self, json, notes};
use crate::shared::refreshed_index;
use crate::shared::stdin::{self, STDIN_LIMIT};
use anyhow::{Result, bail};
use jiff::Zoned;
use session_config::Home;
use session_core::TurnRange;
use session_core::text::path_line;
use session_display::Note;
use session_export::format_conversation;
use session_memory::{MemoryDraft, MemoryScope, MemorySource, MovedMemories};
use session_output::JsonSavedMemory;
use session_project_memories::{SavedMemoryNote, describe_moved_memories};
use std::io::IsTerminal;

/// Neither the options nor stdin say what to save.
const NO_FIELD: &str = "a memory needs a topic and something to remember\nhint: give --topic and --info, or a JSON object on stdin";
const NO_INFO: &str =
    "a memory needs something to remember\nhint: --info TEXT gives it, and may be repeated";

/// Runs the command.
pub fn run(args: &MemorySaveArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let mut draft = draft_from_args(&args.fields)?;
    if let Some(from) = &args.from {
        let MemoryOrigin {
            source,
            conversation,
        } = read_origin(from, &memories.home)?;
        draft.source = Some(source);
        draft.raw = Some(conversation);
    }
    let scope = args.global.then_some(MemoryScope::Global);
    let saved = memories.save(&draft, scope, &Zoned::now())?;
    let memory = &saved.memory;
    if args.json {
        let noted = to_notes(saved.content_notes());
        let noted: Vec<String> = noted.map(|note| note.to_string()).collect();
        json::print(&JsonSavedMemory::new(&saved, &noted))?;
    } else {
        output::print(format_args!("{}\n", memory.id()))?;
        let path = path_line(&memory.path);
        notes::print_line(format_args!("saved as {path}"))?;
    }
    if memories.project.is_none() && !args.global {
        print_note("saved for all projects: this folder belongs to none")?;
    }
    print_notes(to_notes(saved.notes()))?;
    Ok(CommandOutcome::Found)
}

/// Notes what was moved because of its age.
pub fn note_moved(moved: &MovedMemories) -> Result<()> {
    print_notes(describe_moved_memories(moved))
}

/// Returns the notes for who saved a memory, whoever wrote the words in them.
fn to_notes(notes: Vec<SavedMemoryNote>) -> impl Iterator<Item = Note> {
    notes.into_iter().map(|saved| saved.note)
}

fn draft_from_args(fields: &MemoryFieldArgs) -> Result<MemoryDraft> {
    let is_typed = fields.topic.is_some() || !fields.info.is_empty();
    if !is_typed && std::io::stdin().is_terminal() {
        bail!(NO_FIELD);
    }
    if is_typed && fields.info.iter().all(|info| info.trim().is_empty()) {
        bail!(NO_INFO);
    }
    let mut draft = if is_typed {
        MemoryDraft {
            topic: fields.topic.clone().unwrap_or_default(),
            key_info: fields.info.clone(),
            ..MemoryDraft::default()
        }
    } else {
        read_input()?
    };
    draft.cues.extend(fields.cue.iter().cloned());
    draft.when.paths.extend(fields.when_path.iter().cloned());
    draft
        .when
        .commands
        .extend(fields.when_command.iter().cloned());
    draft.when.errors.extend(fields.when_error.iter().cloned());
    draft.tags.extend(split_tags(fields));
    draft.kind = fields.kind.unwrap_or(draft.kind);
    draft.importance = fields.importance.unwrap_or(draft.importance);
    Ok(draft)
}

/// Splits the tags, of which one option may hold several with commas.
pub(super) fn split_tags(fields: &MemoryFieldArgs) -> Vec<String> {
    let tags = fields.tag.iter().flat_map(|tags| tags.split(','));
    tags.map(str::to_owned).collect()
}

/// Reads the JSON object on stdin.
fn read_input() -> Result<MemoryDraft> {
    let text = stdin::read_text(STDIN_LIMIT as u64)?;
    if text.trim().is_empty() {
        bail!(NO_FIELD);
    }
    Ok(MemoryDraft::from_json(&text)?)
}

/// The turns that a memory comes from.
struct MemoryOrigin {
    source: MemorySource,
    /// Their text.
    conversation: String,
}

/// Reads the turns that a memory comes from.
fn read_origin(from: &str, home: &Home) -> Result<MemoryOrigin> {
    let snapshot = refreshed_index::open_index_with_sessions(home, &[from.to_owned()])?.snapshot;
    let SessionExchanges {
        session, exchanges, ..
    } = show::read_turns(from, 0, &snapshot, &home.config.redactor())?;
    let (Some(first), Some(last)) = (exchanges.first(), exchanges.last()) else {
        bail!(show::format_missing_turns(&session, &snapshot.sessions));
    };
    let turns = TurnRange(first.turn.index..=last.turn.index);
    Ok(MemoryOrigin {
        source: MemorySource::from_turns(&session.source, &session.uid, &turns),
        conversation: format_conversation(&session, &exchanges),
    })
}
