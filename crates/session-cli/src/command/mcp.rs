//! `mcp`: the server for agents.

use crate::CommandOutcome;
use crate::output::notes::print_note;
use crate::shared::background;
use anyhow::Result;
use session_mcp::serve_stdio;
use std::io::IsTerminal;

/// Runs the command.
pub fn run() -> Result<CommandOutcome> {
    if std::io::stdin().is_terminal() {
        print_note("this waits for an MCP client on stdin; Ctrl-C ends it")?;
    }
    background::note_program();
    serve_stdio(background::start)?;
    Ok(CommandOutcome::Found)
}
