//! `memory stats`.

use crate::CommandOutcome;
use crate::args::JsonFlagArgs;
use crate::memories::Memories;
use crate::output::{json, terminal_width};
use anyhow::Result;
use session_memory::{InjectionLog, MemoryStats};
use session_output::{JsonMemoryStats, format_memory_stats};
use std::io::Write;

/// Runs the command.
///
/// # Errors
/// When the answer cannot be written.
pub fn run(args: &JsonFlagArgs, memories: &Memories) -> Result<CommandOutcome> {
    let stats = JsonMemoryStats {
        memories: MemoryStats::read(&memories.store),
        injection: InjectionLog::new(&memories.home.root).stats(),
    };
    if args.json {
        json::print(&stats)?
    } else {
        write!(
            anstream::stdout(),
            "{}",
            format_memory_stats(&stats, terminal_width())
        )?
    }
    Ok(CommandOutcome::Something)
}
