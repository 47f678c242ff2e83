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
use session_agents::{AgentError, SettingsChange, SettingsFile, hook_command, hook_program_exists};
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
            change(args, &find_settings(args.project)?.plan_hook_removal()?)
        }
        HookCommand::Status(args) => status(args),
        HookCommand::Run(args) => Ok(answer::run(args.plugin)),
    }
}

fn install(args: &HookInstallArgs) -> Result<Found> {
    let command = hook_command(&std::env::current_exe()?);
    let settings = find_settings(args.change.project)?;
    change(&args.change, &settings.plan_hook(&command, &args.event)?)
}

fn change(args: &HookChangeArgs, change: &SettingsChange) -> Result<Found> {
    let outcome = with_terminal(args.yes, |dialog| {
        confirm_and_write(change, dialog).map_err(reason_of)
    })?;
    let path = change.path().display().to_string();
    if args.json {
        json::print(&HookChange { path, outcome })?;
    } else if outcome == StepOutcome::Unchanged {
        writeln!(notes::stderr(), "{} is as it should be", safe_line(&path))?;
    }
    if outcome == StepOutcome::Wanted {
        bail!("nothing is written\nhint: --yes writes it");
    }
    Ok(Found::Something)
}

/// Returns the user's settings, or those of the project that the working directory belongs to.
fn find_settings(of_project: bool) -> Result<SettingsFile> {
    let env = Home::unconfigured()?.env;
    Ok(match of_project {
        false => SettingsFile::for_user(&env)?,
        true => SettingsFile::for_project(&project_at_hand(&env.home)?),
    })
}

fn status(args: &HookStatusArgs) -> Result<Found> {
    let mut all = Vec::new();
    for (scope, of_project) in [("user", false), ("project", true)] {
        if let Ok(settings) = find_settings(of_project) {
            all.extend(read_status(&settings, scope)?);
        }
    }
    if args.json {
        json::print(&all)?;
    } else {
        for status in &all {
            writeln!(anstream::stdout(), "{}", format_hook_status(status))?;
        }
    }
    let plugin = find_settings(false)?.enabled_plugin()?;
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

/// Reads the hook in one settings file; a file that is refused is noted and left out.
fn read_status(settings: &SettingsFile, scope: &'static str) -> Result<Option<JsonHookStatus>> {
    let hooks = match settings.installed_hooks() {
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
        path: settings.path().display().to_string(),
        scope,
        events: hooks.iter().map(|hook| hook.event.name()).collect(),
        works: command
            .as_deref()
            .is_some_and(|command| hook_program_exists(command, &env)),
        command,
    }))
}
