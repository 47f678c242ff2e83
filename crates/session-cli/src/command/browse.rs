//! `browse`: the picker.

use crate::Found;
use crate::args::{BrowseArgs, join_query};
use crate::command::{background, resume, skill};
use anstream::{AutoStream, ColorChoice};
use anyhow::Result;
use session_agents::ResumeCommand;
use session_config::Home;
use session_picker::{Choice, PickerHooks, PickerOptions, pick};
use session_query::SearchEngine;
use std::io::IsTerminal;

/// Runs the command.
///
/// # Errors
/// When there is no terminal, or the session that is chosen cannot be resumed.
pub fn run(args: &BrowseArgs) -> Result<Found> {
    let engine = SearchEngine::new(Home::from_process()?)?;
    let options = PickerOptions {
        query: join_query(args.query.iter().chain(&args.more)),
        colours: AutoStream::choice(&std::io::stderr()) != ColorChoice::Never,
        is_awaited: args.print_command,
        hooks: PickerHooks {
            start_embedding: background::start,
            memories_changed: skill::follow_memories,
        },
    };
    let command = match &pick(engine, &options)? {
        None if args.print_command => return Ok(Found::Nothing),
        None => return Ok(Found::Something),
        Some(Choice::Resume(session)) => {
            resume::run_or_print(&ResumeCommand::new(session)?, args.print_command)
        }
        Some(Choice::Fork(session)) => {
            resume::run_or_print(&ResumeCommand::fork(session)?, args.print_command)
        }
    };
    command.map(|()| Found::Something)
}

/// Returns true where a picker can be shown and answered.
pub fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}
