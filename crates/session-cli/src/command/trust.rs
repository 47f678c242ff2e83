//! `trust`: which memories of a repository may be put before prompts.

use crate::CommandOutcome;
use crate::args::TrustArgs;
use crate::memories::{self, ProjectMemories, find_current_project};
use crate::output::notes::print_note;
use crate::output::{self, json, notes};
use crate::shared::dialog::with_terminal;
use anyhow::{Result, bail};
use session_memory::{Memory, MemoryState};
use session_output::{JsonTrusted, TrustListing, format_for_review};
use session_setup::ConsentDialog;
use std::path::Path;

/// Runs the command.
pub fn run(args: &TrustArgs) -> Result<CommandOutcome> {
    let memories = memories::open_memories()?;
    if args.list {
        return list_trust(args, &memories);
    }
    find_current_project(&memories.home.env.home)?;
    if args.revoke {
        revoke_trust(args, &memories)
    } else {
        trust_memories(args, &memories)
    }
}

fn trust_memories(args: &TrustArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    memories.store.check_records()?;
    let mut waiting = if args.memories.is_empty() {
        memories.store.list_waiting(&MemoryState::ALL)
    } else {
        find_named(&args.memories, memories)?
    };
    waiting.retain(|memory| !memory.trust.is_trusted());
    let waiting = keep_reviewable(waiting)?;
    if waiting.is_empty() {
        notes::print_line("nothing waits for trust here")?;
        return print_trusted(&[], args.json);
    }
    let is_trusted = with_terminal(false, |dialog| confirm_trust(&waiting, dialog))?;
    if !is_trusted {
        notes::print_line("nothing is trusted")?;
        return print_trusted(&[], args.json);
    }
    memories.store.trust(&waiting)?;
    memories.embed_missing(&waiting)?;
    print_trusted(&waiting, args.json)
}

/// Shows memories whole, and asks. What was shown is what is trusted, whatever its file says by then.
fn confirm_trust(waiting: &[Memory], dialog: &mut ConsentDialog<'_>) -> Result<bool> {
    if !dialog.is_interactive {
        bail!("trust is given on a terminal, by its user\nhint: run `session-search trust` there");
    }
    for memory in waiting {
        dialog.print_verbatim(&format_for_review(memory))?;
    }
    let what = match waiting.len() {
        1 => "this memory".to_owned(),
        n => format!("these {n} memories"),
    };
    Ok(dialog.confirm(&format!("May {what} be put before prompts?"))?)
}

/// Leaves out, and names, the memories that are too long to be read on a terminal.
fn keep_reviewable(waiting: Vec<Memory>) -> Result<Vec<Memory>> {
    let (short, long): (Vec<_>, Vec<_>) = waiting.into_iter().partition(Memory::is_reviewable);
    for memory in long {
        let id = memory.id();
        print_note(format!(
            "{id} is too long to be shown here, and is left out\nhint: `session-search memory edit {id}` opens it in your editor; what you save is yours"
        ))?;
    }
    Ok(short)
}

/// Finds memories by id or by file.
fn find_named(names: &[String], memories: &ProjectMemories) -> Result<Vec<Memory>> {
    let one = |name: &String| -> Result<Memory> {
        let path = Path::new(name);
        let id = if path.extension().is_some_and(|end| end == "md") {
            path.file_stem().unwrap_or_default().to_string_lossy()
        } else {
            name.into()
        };
        Ok(memories.store.find(&id)?)
    };
    names.iter().map(one).collect()
}

fn print_trusted(memories: &[Memory], as_json: bool) -> Result<CommandOutcome> {
    let ids: Vec<String> = memories.iter().map(|m| m.id().to_owned()).collect();
    if as_json {
        json::print(&JsonTrusted::new(&ids))?;
    } else if !memories.is_empty() {
        notes::print_line(format_args!("trusted: {}", ids.join(", ")))?;
    }
    Ok(CommandOutcome::from_found(!memories.is_empty()))
}

fn revoke_trust(args: &TrustArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let named = find_named(&args.memories, memories)?;
    let ids: Vec<String> = named.iter().map(|m| m.id().to_owned()).collect();
    let ids = (!args.memories.is_empty()).then_some(ids.as_slice());
    let revoked = memories.store.revoke(ids)?;
    match args.json {
        true => json::print(&serde_json::json!({ "revoked": revoked }))?,
        false if revoked == 0 => notes::print_line("no memory was trusted")?,
        false => notes::print_line(format_args!("no longer trusted: {revoked}"))?,
    }
    Ok(CommandOutcome::from_found(revoked > 0))
}

fn list_trust(args: &TrustArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let records = memories.store.records().all();
    let waiting = memories.store.list_waiting(&MemoryState::ALL);
    let list = TrustListing::new(&records, &waiting);
    if args.json {
        json::print(&list)?
    } else {
        output::print(list.format())?
    }
    if list.is_empty() {
        if !args.json {
            notes::print_line("nothing is trusted, and nothing waits")?;
        }
        return Ok(CommandOutcome::NotFound);
    }
    Ok(CommandOutcome::Found)
}
