//! `hook`: installs the hook of an agent, and answers it.

mod answer;

pub use answer::run_with_timeout;

use crate::CommandOutcome;
use crate::args::{HookArgs, HookChangeArgs, HookCommand, HookInstallArgs, HookStatusArgs};
use crate::command::dialog::{explain_setup_error, with_terminal};
use crate::error::message_with_hint;
use crate::memories::{find_current_project, merged_settings};
use crate::output::notes::print_note;
use crate::output::{json, notes};
use anyhow::{Result, bail};
use serde::Serialize;
use session_agents::{
    Agent, AgentError, HookEvent, HookFile, InstalledHook, SettingsChange, SettingsFile,
    find_unmatched_tools, hook_program_exists, own_program, shared_program,
};
use session_config::{Home, current_directory};
use session_display::sanitize_line;
use session_files::path_line;
use session_hooks::HookOrigin;
use session_output::{HookScope, JsonHookStatus, format_hook_status, format_unmatched_tools};
use session_setup::{StepOutcome, confirm_and_write};
use std::io::Write;
use std::path::PathBuf;

#[derive(Serialize)]
struct HookChange {
    path: String,
    outcome: StepOutcome,
}

/// Runs the command.
///
/// # Errors
/// When the settings are not a JSON object, or cannot be written. `hook run` never fails.
pub fn run(args: &HookArgs) -> Result<CommandOutcome> {
    match &args.command {
        HookCommand::Install(args) => install_hook(args),
        HookCommand::Uninstall(args) => {
            let file = find_file(args.agent, HookScope::from_flag(args.project))?;
            let unchanged = "the hook is not installed in";
            apply_change(args, &file.plan_removal()?, unchanged).map(|_| CommandOutcome::Something)
        }
        HookCommand::Status(args) => print_status(args),
        HookCommand::Run(args) => Ok(answer::run(if args.plugin {
            HookOrigin::Plugin
        } else {
            HookOrigin::Settings
        })),
    }
}

fn install_hook(args: &HookInstallArgs) -> Result<CommandOutcome> {
    let HookChangeArgs { agent, project, .. } = args.change;
    if !agent.has_chosen_events() && !args.event.is_empty() {
        let title = agent.title();
        bail!("the plugin of {title} answers all events\nhint: leave out --event");
    }
    if let Some(event) = args
        .event
        .iter()
        .find(|event| !event.is_supported_by(agent))
    {
        let (title, usual) = (agent.title(), HookEvent::PostToolUse);
        bail!("{title} has no event {event}\nhint: {usual} comes after each call there");
    }
    let events = if args.event.is_empty() {
        HookEvent::default_for(agent).to_vec()
    } else {
        args.event.clone()
    };
    let env = Home::unconfigured()?.env;
    let program = if project {
        shared_program(&env)?
    } else {
        own_program(&env)?
    };
    let file = find_file(agent, HookScope::from_flag(project))?;
    let planned = file.plan(&program, &events)?;
    let outcome = apply_change(&args.change, &planned, "the hook is installed already in")?;
    let is_written = outcome == StepOutcome::Written;
    match disabling_file(agent)? {
        Some(path) if outcome != StepOutcome::Skipped => print_note(&format!(
            "`disableAllHooks` in {} turns the hook off",
            path_line(&path)
        ))?,
        None if is_written && !args.change.json => {
            let title = agent.title();
            let text = format!("it works from the next session of {title} on");
            writeln!(notes::open_stderr(), "{text}")?;
        }
        _ => {}
    }
    for unmatched in find_unmatched_tools(&file.installed_hooks()?) {
        print_note(&format_unmatched_tools(&unmatched.into()))?;
    }
    if let Some(text) = agent.hook_note().filter(|_| is_written) {
        print_note(text)?;
    }
    Ok(CommandOutcome::Something)
}

/// Returns the settings by which an agent runs no hook here.
fn disabling_file(agent: Agent) -> Result<Option<PathBuf>> {
    if !agent.is_first() {
        return Ok(None);
    }
    let env = Home::unconfigured()?.env;
    Ok(merged_settings(&env, &current_directory()?)?.disabling_file())
}

/// Writes a change of settings with consent; `unchanged` goes before the path where nothing is to be written.
fn apply_change(
    args: &HookChangeArgs,
    change: &SettingsChange,
    unchanged: &str,
) -> Result<StepOutcome> {
    let outcome = with_terminal(args.yes, |dialog| {
        confirm_and_write(change, dialog).map_err(explain_setup_error)
    })?;
    let path = change.path().display().to_string();
    if args.json {
        json::print(&HookChange { path, outcome })?;
    } else if outcome == StepOutcome::Unchanged {
        writeln!(notes::open_stderr(), "{unchanged} {}", sanitize_line(&path))?;
    } else if outcome == StepOutcome::Skipped {
        writeln!(notes::open_stderr(), "nothing is changed")?;
    }
    if outcome == StepOutcome::Wanted {
        bail!("nothing is written\nhint: --yes writes it");
    }
    Ok(outcome)
}

/// Returns the file of a scope; of a project, that of the one that the working directory belongs to.
fn find_file(agent: Agent, scope: HookScope) -> Result<HookFile> {
    let env = Home::unconfigured()?.env;
    Ok(match scope {
        HookScope::User => HookFile::new(agent, &env, None)?,
        HookScope::Project => HookFile::new(agent, &env, Some(&find_current_project(&env.home)?))?,
        HookScope::Local => HookFile::for_user_in(&find_current_project(&env.home)?),
    })
}

fn print_status(args: &HookStatusArgs) -> Result<CommandOutcome> {
    let mut all = Vec::new();
    for agent in Agent::ALL {
        for scope in list_scopes(agent) {
            // Outside of a project, the user's file is the only one.
            if let Ok(file) = find_file(agent, scope) {
                all.extend(read_status(&file, agent, scope)?);
            }
        }
    }
    // Who uses one agent alone is told of it alone, and of settings of one's own in a project where they matter.
    let is_usual =
        |status: &JsonHookStatus| status.agent.is_first() && status.scope != HookScope::Local;
    all.retain(|status| is_usual(status) || !status.events.is_empty());
    if args.json {
        json::print(&all)?;
    } else {
        for status in &all {
            writeln!(anstream::stdout(), "{}", format_hook_status(status))?;
        }
    }
    let plugin = SettingsFile::for_user(&Home::unconfigured()?.env)?.enabled_plugin()?;
    if let Some(plugin) = &plugin {
        let plugin = sanitize_line(plugin);
        print_note(&format!(
            "the plugin {plugin} has the hook, too; it leaves to the settings what they answer"
        ))?;
    }
    let mut installed = all.iter().filter(|status| !status.events.is_empty());
    let is_installed = plugin.is_some() || installed.clone().next().is_some();
    let works = is_installed && installed.all(|status| status.works);
    Ok(CommandOutcome::from_found(works))
}

/// Returns the scopes in which an agent may have a hook. One alone has settings of the user's own in a project.
fn list_scopes(agent: Agent) -> impl Iterator<Item = HookScope> {
    let local = agent.is_first().then_some(HookScope::Local);
    [HookScope::User, HookScope::Project]
        .into_iter()
        .chain(local)
}

/// Reads the hook in one file; a file that is refused is noted and left out.
fn read_status(file: &HookFile, agent: Agent, scope: HookScope) -> Result<Option<JsonHookStatus>> {
    let hooks = match file.installed_hooks() {
        Ok(hooks) => hooks,
        Err(error @ AgentError::Settings { .. }) => {
            print_note(&message_with_hint(&error.into()))?;
            Vec::new()
        }
        Err(error) => {
            print_note(&error.to_string())?;
            return Ok(None);
        }
    };
    let env = Home::unconfigured()?.env;
    let is_dead = |hook: &&InstalledHook| !hook_program_exists(&hook.command, &env);
    let dead = hooks.iter().find(is_dead);
    let command = dead.or(hooks.first()).map(|hook| hook.command.clone());
    let disabled_by = disabling_file(agent)?.filter(|_| command.is_some());
    Ok(Some(JsonHookStatus {
        agent,
        path: file.path().display().to_string(),
        scope,
        events: hooks.iter().map(|hook| hook.event.name()).collect(),
        unmatched_tools: find_unmatched_tools(&hooks)
            .into_iter()
            .map(Into::into)
            .collect(),
        works: command.is_some() && dead.is_none() && disabled_by.is_none(),
        command,
        disabled_by: disabled_by.map(|path| path.display().to_string()),
    }))
}
