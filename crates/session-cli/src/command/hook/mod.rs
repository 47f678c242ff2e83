//! `hook`: installs the hook of an agent, and answers it.

mod answer;

pub use answer::run_with_timeout;

use crate::Found;
use crate::args::{HookArgs, HookChangeArgs, HookCommand, HookInstallArgs, HookStatusArgs};
use crate::command::dialog::{reason_of, with_terminal};
use crate::command::memory::note;
use crate::error::message_with_hint;
use crate::memories::project_at_hand;
use crate::output::{json, notes};
use anyhow::{Result, bail};
use serde::Serialize;
use session_agents::{
    Agent, AgentError, HookEvent, HookFile, SettingsChange, SettingsFile, hook_program_exists,
    own_program,
};
use session_config::Home;
use session_display::safe_line;
use session_output::{JsonHookStatus, format_hook_status};
use session_setup::{StepOutcome, confirm_and_write};
use std::io::Write;

#[derive(Serialize)]
struct HookChange {
    path: String,
    outcome: StepOutcome,
}

/// Runs the command.
///
/// # Errors
/// When the settings are not a JSON object, or cannot be written. `hook run` never fails.
pub fn run(args: &HookArgs) -> Result<Found> {
    match &args.command {
        HookCommand::Install(args) => install(args),
        HookCommand::Uninstall(args) => {
            let file = find_file(args.agent, args.project)?;
            let unchanged = "the hook is not installed in";
            change(args, &file.plan_removal()?, unchanged).map(|_| Found::Something)
        }
        HookCommand::Status(args) => status(args),
        HookCommand::Run(args) => Ok(answer::run(args.plugin)),
    }
}

fn install(args: &HookInstallArgs) -> Result<Found> {
    let HookChangeArgs { agent, project, .. } = args.change;
    if !agent.has_chosen_events() && !args.event.is_empty() {
        let title = agent.title();
        bail!("the plugin of {title} answers all events\nhint: leave out --event");
    }
    let events = match args.event.is_empty() {
        true => HookEvent::usual(agent).to_vec(),
        false => args.event.clone(),
    };
    let program = own_program(&Home::unconfigured()?.env)?;
    let planned = find_file(agent, project)?.plan(&program, &events)?;
    let outcome = change(&args.change, &planned, "the hook is installed already in")?;
    if outcome == StepOutcome::Written && !args.change.json {
        let title = agent.title();
        writeln!(
            notes::stderr(),
            "it works from the next session of {title} on"
        )?;
    }
    if let Some(text) = agent
        .hook_note()
        .filter(|_| outcome == StepOutcome::Written)
    {
        note(text)?;
    }
    Ok(Found::Something)
}

/// Writes a change of settings with consent; `unchanged` goes before the path where nothing is to be written.
fn change(args: &HookChangeArgs, change: &SettingsChange, unchanged: &str) -> Result<StepOutcome> {
    let outcome = with_terminal(args.yes, |dialog| {
        confirm_and_write(change, dialog).map_err(reason_of)
    })?;
    let path = change.path().display().to_string();
    if args.json {
        json::print(&HookChange { path, outcome })?;
    } else if outcome == StepOutcome::Unchanged {
        writeln!(notes::stderr(), "{unchanged} {}", safe_line(&path))?;
    }
    if outcome == StepOutcome::Wanted {
        bail!("nothing is written\nhint: --yes writes it");
    }
    Ok(outcome)
}

/// Returns the file of the user, or that of the project that the working directory belongs to.
fn find_file(agent: Agent, of_project: bool) -> Result<HookFile> {
    let env = Home::unconfigured()?.env;
    let project = match of_project {
        false => None,
        true => Some(project_at_hand(&env.home)?),
    };
    Ok(HookFile::new(agent, &env, project.as_ref())?)
}

fn status(args: &HookStatusArgs) -> Result<Found> {
    let mut all = Vec::new();
    for agent in Agent::ALL {
        for (scope, of_project) in [("user", false), ("project", true)] {
            if let Ok(file) = find_file(agent, of_project) {
                all.extend(read_status(&file, agent, scope)?);
            }
        }
    }
    // Who uses one agent alone is told of it alone.
    let is_first = |name| Agent::from_name(name).is_some_and(Agent::is_first);
    all.retain(|status| is_first(status.agent) || !status.events.is_empty());
    if args.json {
        json::print(&all)?;
    } else {
        for status in &all {
            writeln!(anstream::stdout(), "{}", format_hook_status(status))?;
        }
    }
    let plugin = SettingsFile::for_user(&Home::unconfigured()?.env)?.enabled_plugin()?;
    if let Some(plugin) = &plugin {
        let plugin = safe_line(plugin);
        note(&format!(
            "the plugin {plugin} has the hook, too; it leaves to the settings what they answer"
        ))?;
    }
    let is_installed = all.iter().any(|status| !status.events.is_empty());
    Ok(match is_installed || plugin.is_some() {
        true => Found::Something,
        false => Found::Nothing,
    })
}

/// Reads the hook in one file; a file that is refused is noted and left out.
fn read_status(
    file: &HookFile,
    agent: Agent,
    scope: &'static str,
) -> Result<Option<JsonHookStatus>> {
    let hooks = match file.installed_hooks() {
        Ok(hooks) => hooks,
        Err(error @ AgentError::Settings { .. }) => {
            note(&message_with_hint(&error.into()))?;
            Vec::new()
        }
        Err(error) => {
            note(&error.to_string())?;
            return Ok(None);
        }
    };
    let env = Home::unconfigured()?.env;
    let command = hooks.first().map(|hook| hook.command.clone());
    Ok(Some(JsonHookStatus {
        agent: agent.name(),
        path: file.path().display().to_string(),
        scope,
        events: hooks.iter().map(|hook| hook.event.name()).collect(),
        works: command
            .as_deref()
            .is_some_and(|command| hook_program_exists(command, &env)),
        command,
    }))
}
