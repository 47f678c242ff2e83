//! Leaves the session that a command is run from out of its answer.

use crate::args::FilterArgs;
use crate::output::notes::print_notes;
use anyhow::Result;
use session_agents::CallingProcess;
use session_config::Home;
use session_store::SessionRow;
use std::io::IsTerminal;
use std::time::SystemTime;

/// Returns the sessions that the command is run from, unless the arguments ask for them.
pub fn find_calling_sessions<'a>(
    args: &FilterArgs,
    home: &Home,
    sessions: &'a [SessionRow],
) -> Vec<&'a SessionRow> {
    if args.include_current || args.session.is_some() {
        return Vec::new();
    }
    let process = CallingProcess {
        env: &home.env,
        directory: &std::env::current_dir().unwrap_or_default(),
        is_interactive: std::io::stdin().is_terminal(),
        client: None,
        now: SystemTime::now(),
    };
    process.find_sessions(sessions)
}

/// Notes which sessions are left out.
pub fn note_left_out(sessions: &[String]) -> Result<()> {
    let note = |uid| format!("this session, {uid}, is left out; --include-current finds it, too");
    print_notes(sessions.iter().map(note))
}
