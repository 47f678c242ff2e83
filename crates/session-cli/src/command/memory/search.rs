//! `memory search`.

use crate::CommandOutcome;
use crate::args::MemorySearchArgs;
use crate::command::memory::{list, note_waiting};
use crate::memories::{self, ProjectMemories};
use crate::output::{self, json, notes, terminal_width};
use anyhow::Result;
use session_display::pluralize;
use session_memory::{Memory, MemoryState};
use session_output::{JsonMemoryMatch, JsonMemorySearch, format_matches};
use std::borrow::Cow;

/// Runs the command.
pub fn run(args: &MemorySearchArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let words = std::iter::once(&args.query).chain(&args.more);
    let query = words.map(String::as_str).collect::<Vec<_>>().join(" ");
    let states: &[MemoryState] = if args.archived {
        &[MemoryState::Active, MemoryState::Archive]
    } else {
        &[MemoryState::Active]
    };
    let listed = if args.time.is_given() {
        memories::list_changed_in(memories, states, &args.time)?
    } else {
        memories::print_damaged(memories.list_recent(states))?
    };
    let found = memories.find_best(&query, &listed, args.limit)?;
    let recall: Vec<&Memory> = found.matches.iter().map(|m| &listed[m.index]).collect();
    memories.record_recall(&recall);
    if args.json {
        json::print(&JsonMemorySearch {
            query: &query,
            total: found.total,
            memories: JsonMemoryMatch::from_matches(&found.matches, &listed),
        })?;
    } else if found.matches.is_empty() {
        notes::print_reason(describe_nothing_found(listed.len(), args, memories))?;
    } else {
        let text = format_matches(&found.matches, &listed, args.explain, terminal_width());
        output::print(text)?;
        let shown: Vec<Memory> = recall.into_iter().cloned().collect();
        note_waiting(&shown)?;
        if shown.len() < found.total {
            let (shown, total) = (shown.len(), found.total);
            notes::print_note(format!(
                "the best {shown} of {total}; `-n {total}` shows all"
            ))?;
        }
    }
    Ok(CommandOutcome::from_found(!found.matches.is_empty()))
}

/// Formats that none of the searched memories was found, or that there is none.
fn describe_nothing_found(
    searched: usize,
    args: &MemorySearchArgs,
    memories: &ProjectMemories,
) -> Cow<'static, str> {
    let searches_active = !args.archived && !args.time.is_given();
    match searched {
        0 if searches_active => list::describe_no_active_memory(memories).into(),
        count => format!("nothing found in {}", pluralize(count, "memory")).into(),
    }
}
