//! `memory stats`.

use crate::CommandOutcome;
use crate::args::JsonFlagArgs;
use crate::memories::Memories;
use crate::output::{self, json, terminal_width};
use anyhow::Result;
use session_memory::{InjectionLog, MemoryStats};
use session_output::{JsonMemoryStats, format_memory_stats};

/// Runs the command.
pub fn run(args: &JsonFlagArgs, memories: &Memories) -> Result<CommandOutcome> {
    let stats = JsonMemoryStats {
        memories: MemoryStats::read(&memories.store),
        injection: InjectionLog::new(&memories.home.root).stats(),
    };
    if args.json {
        json::print(&stats)?
    } else {
        output::print(format_memory_stats(&stats, terminal_width()))?
    }
    Ok(CommandOutcome::Something)
}
