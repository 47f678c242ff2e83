//! `resume`: resumes a session with its agent, in its directory.

use crate::CommandOutcome;
use crate::args::ResumeArgs;
use crate::environment::removed_variables;
use crate::output;
use crate::output::json;
use crate::output::notes::print_note;
use crate::shared::refreshed_index;
use anyhow::{Error, Result, bail};
use session_agents::{ResumeCommand, ResumeMode, StartObstacle, startable_program};
use session_config::Home;
use session_core::text::sanitize_text;
use session_display::{SessionIds, format_continuation};
use session_query::{Snapshot, find_continuation, find_session};
use session_search::unmark_unlisted;
use session_sources::Env;
use std::io::ErrorKind;
use std::process::Command;

/// Runs the command.
pub fn run(args: &ResumeArgs) -> Result<CommandOutcome> {
    let home = Home::from_process()?;
    let named = std::slice::from_ref(&args.id);
    let Snapshot { index, sessions } =
        refreshed_index::open_index_with_sessions(&home, named)?.snapshot;
    let mut session = find_session(&sessions, &args.id)?;
    unmark_unlisted(&index, &mut session)?;
    let mode = if args.fork {
        ResumeMode::Fork
    } else {
        ResumeMode::Continue
    };
    let ids = SessionIds::new(&sessions);
    let resume = ResumeCommand::new(&session, mode)
        .and_then(|resume| resume.with_folder_variables(&session, &home.env, &index))
        .map_err(|error| error.with_parent_address(&sessions, |row| ids.short_id(row)))
        .map_err(|error| error.with_address(ids.short_id(&session)))?;
    let continuation = find_continuation(&index, &session, &sessions)?;
    let resume = resume.with_continuation(continuation);
    if let Some(continuation) = continuation {
        print_note(format_continuation(&session, continuation, &ids))?;
    }
    match (args.json, args.print) {
        (true, _) => {
            require_printable(&resume)?;
            json::print(&resume)?
        }
        (false, true) => print_command(&resume)?,
        (false, false) => start_agent(&resume, &home.env)?,
    }
    Ok(CommandOutcome::Found)
}

/// Prints the command of the agent.
pub fn print_command(resume: &ResumeCommand<'_>) -> Result<()> {
    require_printable(resume)?;
    output::print(format_args!("{}\n", sanitize_text(&resume.shell_line()?)))?;
    if let Some(obstacle) = resume.find_start_obstacle(|_| true) {
        print_note(obstacle)?;
    }
    Ok(())
}

/// Refuses to print a command that would name another folder than the session's.
fn require_printable(resume: &ResumeCommand<'_>) -> Result<()> {
    if let Err(unprintable) = resume.require_printable() {
        bail!(
            "{unprintable}\nhint: `session-search resume {}` starts its agent there",
            resume.session
        );
    }
    Ok(())
}

/// Starts the agent in place of this process. Returns only where that fails, or where a process
/// cannot be replaced: then after the agent's end.
pub fn start_agent(resume: &ResumeCommand<'_>, env: &Env) -> Result<()> {
    // A missing program is seen when it is started.
    if let Some(obstacle) = resume.find_start_obstacle(|_| true) {
        bail!(
            "{obstacle}\nhint: make it again, or `session-search show {}`",
            resume.session
        );
    }
    let mut agent = Command::new(startable_program(&resume.command[0], env));
    agent.args(&resume.command[1..]);
    // The agent starts as it would without this process.
    agent.envs(
        removed_variables()
            .iter()
            .map(|removed| (removed.name, &removed.value)),
    );
    for (name, value) in &resume.environment {
        match value {
            Some(value) => agent.env(name, value),
            None => agent.env_remove(name),
        };
    }
    if let Some(directory) = resume.directory {
        agent.current_dir(directory);
    }
    replace_process(&mut agent).map_err(|error| start_error(resume, error))
}

fn start_error(resume: &ResumeCommand<'_>, error: std::io::Error) -> Error {
    let program = &resume.command[0];
    match error.kind() {
        ErrorKind::NotFound => anyhow::anyhow!(
            "{}\nhint: `session-search resume {} --print` shows what to type",
            StartObstacle::MissingProgram(program.clone()),
            resume.session
        ),
        _ => Error::new(error).context(format!("`{program}` does not start")),
    }
}

#[cfg(unix)]
fn replace_process(agent: &mut Command) -> std::io::Result<()> {
    Err(std::os::unix::process::CommandExt::exec(agent))
}

#[cfg(not(unix))]
fn replace_process(agent: &mut Command) -> std::io::Result<()> {
    let status = agent.status()?;
    std::process::exit(status.code().unwrap_or(2));
}
