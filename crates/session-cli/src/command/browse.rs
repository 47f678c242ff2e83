//! `browse`: the picker.

use crate::CommandOutcome;
use crate::args::{BrowseArgs, join_query};
use crate::command::resume;
use crate::shared::background;
use anstream::{AutoStream, ColorChoice};
use anyhow::{Error, Result};
use session_agents::ResumeCommand;
use session_config::Home;
use session_output::format_error;
use session_picker::{PickerCallbacks, PickerChoice, PickerError, PickerOptions, pick};
use session_query::SearchEngine;
use std::io::IsTerminal;

/// The reason why a terminal that cannot move its cursor has no picker.
const DUMB: &str = "TERM is `dumb`";

/// Runs the command.
pub fn run(args: &BrowseArgs) -> Result<CommandOutcome> {
    if !std::io::stdin().is_terminal() {
        return Err(make_terminal_error("stdin is not a terminal"));
    }
    if is_dumb() {
        return Err(make_terminal_error(DUMB));
    }
    background::note_program();
    let home = Home::from_process()?;
    let engine = SearchEngine::new(home.clone())?;
    let options = PickerOptions {
        query: join_query(args.query.iter().chain(&args.more)),
        colours: AutoStream::choice(&std::io::stderr()) != ColorChoice::Never,
        is_shell_waiting: args.print_command,
        callbacks: PickerCallbacks {
            start_embedding: background::start,
            describe_error: |error| format_error(unwrap_picker_error(error).as_ref()),
        },
    };
    let choice = pick(engine, &options).map_err(unwrap_picker_error)?;
    let Some(PickerChoice { session, mode }) = &choice else {
        return Ok(CommandOutcome::from_found(!args.print_command));
    };
    let command = ResumeCommand::new(session, *mode)?;
    let command = command.with_folder_variables(session, &home.env, &home.index()?)?;
    if args.print_command {
        resume::print_command(&command)?
    } else {
        resume::start_agent(&command, &home.env)?
    }
    Ok(CommandOutcome::Found)
}

/// Returns the error that another wraps: it is the one with a hint.
fn unwrap_picker_error(error: PickerError) -> Error {
    match error {
        PickerError::Terminal(error) => make_terminal_error(&error.to_string()),
        PickerError::Query(error) => error.into(),
        PickerError::Memories(error) => error.into(),
        PickerError::Store(error) => error.into(),
        PickerError::Export(error) => error.into(),
        PickerError::File(error) => error.into(),
        PickerError::Resume(error) => error.into(),
    }
}

fn make_terminal_error(reason: &str) -> Error {
    let hint = "hint: `session-search search QUERY` prints what it finds";
    anyhow::anyhow!("the picker needs a terminal: {reason}\n{hint}")
}

/// Returns the error of a call without a command where no picker can be shown.
pub fn make_missing_command_error() -> Error {
    let hint = "hint: `session-search search QUERY` prints what it finds, `session-search --help` lists the commands";
    let reason = if is_on_terminal() {
        format!(": {DUMB}")
    } else {
        String::new()
    };
    anyhow::anyhow!("no command is given, and the picker needs a terminal{reason}\n{hint}")
}

/// Returns true if a picker can be shown and answered.
pub fn is_possible() -> bool {
    is_on_terminal() && !is_dumb()
}

fn is_on_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Returns true for a terminal that cannot move its cursor.
fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == "dumb")
}
