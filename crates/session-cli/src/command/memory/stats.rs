//! `memory stats`.

use crate::CommandOutcome;
use crate::args::JsonFlagArgs;
use crate::memories::ProjectMemories;
use crate::output::{self, json, terminal_width};
use anyhow::Result;
use session_agents::MAX_DESCRIPTION_KEYWORDS;
use session_memory::{InjectionLog, MemoryStats};
use session_output::{JsonMemoryStats, format_memory_stats};

/// Runs the command.
pub fn run(args: &JsonFlagArgs, memories: &ProjectMemories) -> Result<CommandOutcome> {
    let stats = JsonMemoryStats {
        memories: MemoryStats::read(&memories.store, MAX_DESCRIPTION_KEYWORDS),
        injection: InjectionLog::new(&memories.home.index_directory).stats(),
    };
    if args.json {
        json::print(&stats)?
    } else {
        output::print(format_memory_stats(&stats, terminal_width()))?
    }
    Ok(CommandOutcome::Found)
}
