//! The memories of the current directory, with their notes on stderr.

pub use session_project_memories::ProjectMemories;

use crate::args::TimeArgs;
use crate::output::notes::print_notes;
use anyhow::{Result, bail};
use jiff::Zoned;
use session_config::current_directory;
use session_display::pluralize;
use session_files::{AGENT_DIRECTORY, Project};
use session_memory::{Memory, MemoryListing, MemoryState};
use session_output::format_damaged_file;
use std::path::Path;

/// The most damaged files that are named: a repository chooses how many there are.
const MAX_NAMED: usize = 5;

/// Formats that the current directory is in no project, and what helps.
pub fn describe_no_project() -> String {
    format!(
        "this folder belongs to no project\nhint: run it inside a project: a folder with `.git` or `{AGENT_DIRECTORY}`, or below one"
    )
}

/// Finds the project of the current directory. Its root has to be the user's alone.
pub fn find_current_project(home: &Path) -> Result<Project> {
    match Project::find(&current_directory()?, home) {
        Ok(Some(project)) => Ok(project),
        Ok(None) => bail!(describe_no_project()),
        Err(unowned) => bail!(unowned.message()),
    }
}

/// Opens the memories of the current directory. Fails where they are switched off.
pub fn open_memories() -> Result<ProjectMemories> {
    open_memories_in(&current_directory()?)
}

/// Opens the memories that a directory uses. Fails where they are switched off.
pub fn open_memories_in(directory: &Path) -> Result<ProjectMemories> {
    let memories = ProjectMemories::for_directory(directory)?;
    print_notes(memories.unowned_note())?;
    print_notes(&memories.left_out_files)?;
    memories.require_enabled()?;
    Ok(memories)
}

/// Lists memories in some states that were last changed in a time; damaged files are named on
/// stderr.
pub fn list_changed_in(
    memories: &ProjectMemories,
    states: &[MemoryState],
    time: &TimeArgs,
) -> Result<Vec<Memory>> {
    let range = time.parse_range(Zoned::now)?;
    let mut found = print_damaged(memories.store.list(states))?;
    found.retain(|memory| range.contains(memory.updated().0.as_millisecond()));
    Ok(found)
}

/// Names the damaged files of a listing on stderr, and returns its memories.
pub fn print_damaged(listing: MemoryListing) -> Result<Vec<Memory>> {
    let MemoryListing { memories, damaged } = listing;
    print_left_out(damaged.iter().map(format_damaged_file).collect())?;
    Ok(memories)
}

/// Notes the files that are left out: the first ones, and the number of the others.
pub fn print_left_out(mut notes: Vec<String>) -> Result<()> {
    let more = notes.len().saturating_sub(MAX_NAMED);
    notes.truncate(MAX_NAMED);
    if more > 0 {
        let more = pluralize(more, "more file");
        notes.push(format!("{more} left out in the same way"));
    }
    print_notes(notes)
}
