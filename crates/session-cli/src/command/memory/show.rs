//! `memory show`.

use crate::CommandOutcome;
use crate::args::MemoryShowArgs;
use crate::memories::ProjectMemories;
use crate::output;
use crate::output::json;
use crate::output::notes::{print_note, print_notes};
use anyhow::Result;
use session_core::text::sanitize_text;
use session_memory::ConversationOrigin;
use session_output::{
    JsonMemory, JsonShownMemory, ShownPart, format_no_conversation_note, format_shown_notes,
};

/// Runs the command.
pub fn run(args: &MemoryShowArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let memory = memories.store.find(&args.id)?;
    let raw = match memories.store.read_conversation(&memory) {
        // Only who asks for it has to know.
        Err(_) if !args.raw => None,
        raw => raw?,
    };
    memories.record_recall(&[&memory]);
    let part = match (args.raw, &raw) {
        (true, _) => ShownPart::Conversation,
        (false, Some(_)) => ShownPart::File,
        (false, None) => ShownPart::FileAlone,
    };
    let is_missing = args.raw && raw.is_none();
    let origin = raw.as_ref().map(|raw| raw.origin);
    let raw = raw.map(|raw| raw.text);
    if args.json {
        json::print(&JsonShownMemory {
            memory: JsonMemory::new(&memory),
            raw: raw.as_deref(),
        })?;
    } else if args.raw {
        output::print(sanitize_text(&raw.unwrap_or_default()))?;
    } else {
        output::print(sanitize_text(memory.text()))?;
    }
    if is_missing {
        print_note(format_no_conversation_note(&memory))?;
        return Ok(CommandOutcome::NotFound);
    }
    let notes = format_shown_notes(&memory, part);
    print_notes(&notes)?;
    // JSON holds the conversation, too.
    let origin = origin.filter(|_| args.raw || args.json);
    print_notes(origin.and_then(ConversationOrigin::note))?;
    Ok(CommandOutcome::Found)
}
