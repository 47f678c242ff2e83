//! `hook`: installs the hook of an agent, and answers it.

use crate::CommandOutcome;
use crate::args::{HookArgs, HookChangeArgs, HookCommand, HookInstallArgs, JsonFlagArgs};
use crate::command::background;
use crate::command::dialog::{unwrap_setup_error, with_terminal};
use crate::error::message_with_hint;
use crate::memories::find_current_project;
use crate::output::notes::print_note;
use crate::output::{self, json, notes};
use anyhow::{Result, bail};
use serde::Serialize;
use session_agents::{
    Agent, AgentError, HookFile, HookSurvey, SettingsChange, SettingsFile, find_disabling_file,
    find_unmatched_tools, own_program, shared_program,
};
use session_config::{Home, current_directory};
use session_core::text::path_line;
use session_display::sanitize_line;
use session_files::Project;
use session_hooks::{HookCall, HookOrigin, run_with_timeout};
use session_memory::InjectionOutcome;
use session_output::{format_hook_status, format_unmatched_tools};
use session_setup::{StepOutcome, confirm_and_write};
use session_sources::Env;
use std::io::stdin;

#[derive(Serialize)]
struct HookChange {
    path: String,
    outcome: StepOutcome,
}

/// Runs the command. `hook run` never fails.
pub fn run(args: &HookArgs) -> Result<CommandOutcome> {
    match &args.command {
        HookCommand::Install(args) => install_hook(args),
        HookCommand::Uninstall(args) => {
            let file = find_file(args.agent, args.project)?;
            let unchanged = "the hook is not installed in";
            apply_change(args, &file.plan_removal()?, unchanged).map(|_| CommandOutcome::Something)
        }
        HookCommand::Status(args) => print_status(args),
        HookCommand::Run(args) => Ok(answer_hook(if args.plugin {
            HookOrigin::Plugin
        } else {
            HookOrigin::Settings
        })),
    }
}

/// Answers the hook that stdin describes, if the answer is ready before the timeout.
fn answer_hook(origin: HookOrigin) -> CommandOutcome {
    let answer = answer_stdin(origin, |call, outcome| call.answer(outcome.as_ref()));
    if let Some(answer) = answer {
        let answer = serde_json::to_string(&answer).unwrap_or_default();
        let _ = json::print_text(&answer);
    }
    CommandOutcome::Something
}

/// Returns what `answer` makes of the hook that stdin describes. An error or a panic prints nothing.
pub fn answer_stdin<T: Send + 'static>(
    origin: HookOrigin,
    answer: fn(HookCall, Option<InjectionOutcome>) -> Option<T>,
) -> Option<T> {
    std::panic::set_hook(Box::new(|_| {}));
    let prepare_vectors = background::spawn_vector_preparation;
    run_with_timeout(stdin(), origin, prepare_vectors, answer)
}

fn install_hook(args: &HookInstallArgs) -> Result<CommandOutcome> {
    let HookChangeArgs { agent, project, .. } = args.change;
    let env = Home::unconfigured()?.env;
    let program = if project {
        shared_program(&env)?
    } else {
        own_program(&env)?
    };
    let file = find_file(agent, project)?;
    let planned = file.plan(&program, &args.event)?;
    let outcome = apply_change(&args.change, &planned, "the hook is installed already in")?;
    let is_written = outcome == StepOutcome::Written;
    match find_disabling_file(agent, &env, find_project(&env).unwrap_or_default().as_ref())? {
        Some(path) if outcome != StepOutcome::Skipped => print_note(format!(
            "`disableAllHooks` in {} turns the hook off",
            path_line(&path)
        ))?,
        None if is_written && !args.change.json => {
            let title = agent.title();
            let text = format!("it works from the next session of {title} on");
            notes::print_line(text)?;
        }
        _ => {}
    }
    for unmatched in find_unmatched_tools(&file.installed_hooks()?) {
        print_note(format_unmatched_tools(&unmatched))?;
    }
    if let Some(text) = agent.hook_note().filter(|_| is_written) {
        print_note(text)?;
    }
    Ok(CommandOutcome::Something)
}

/// Writes a change of settings with consent; `unchanged` goes before the path where nothing is to be written.
fn apply_change(
    args: &HookChangeArgs,
    change: &SettingsChange,
    unchanged: &str,
) -> Result<StepOutcome> {
    let outcome = with_terminal(args.yes, |dialog| {
        confirm_and_write(change, dialog).map_err(unwrap_setup_error)
    })?;
    let path = change.path().display().to_string();
    if args.json {
        json::print(&HookChange { path, outcome })?;
    } else if outcome == StepOutcome::Unchanged {
        notes::print_line(format_args!("{unchanged} {}", sanitize_line(&path)))?;
    } else if outcome == StepOutcome::Skipped {
        notes::print_line("nothing is changed")?;
    }
    if outcome == StepOutcome::Wanted {
        bail!("nothing is written\nhint: --yes writes it");
    }
    Ok(outcome)
}

/// Names the file of the user, or of the project that the working directory belongs to.
fn find_file(agent: Agent, in_project: bool) -> Result<HookFile> {
    let env = Home::unconfigured()?.env;
    let project = in_project.then(|| find_current_project(&env.home));
    Ok(HookFile::new(agent, &env, project.transpose()?.as_ref())?)
}

/// Finds the project of the current directory; none whose root is not the user's alone.
fn find_project(env: &Env) -> Result<Option<Project>> {
    Ok(Project::find_owned(&current_directory()?, &env.home))
}

fn print_status(args: &JsonFlagArgs) -> Result<CommandOutcome> {
    let env = Home::unconfigured()?.env;
    let HookSurvey { statuses, errors } = HookSurvey::read(&env, find_project(&env)?.as_ref())?;
    for error in errors {
        print_note(&match error {
            AgentError::Settings { .. } => message_with_hint(&error.into()),
            error => error.to_string(),
        })?;
    }
    if args.json {
        json::print(&statuses)?;
    } else {
        for status in &statuses {
            output::print(format_args!("{}\n", format_hook_status(status)))?;
        }
    }
    let plugin = SettingsFile::for_user(&env)?.enabled_plugin()?;
    if let Some(plugin) = &plugin {
        let plugin = sanitize_line(plugin);
        print_note(format!(
            "the plugin {plugin} has the hook, too; it leaves to the settings what they answer"
        ))?;
    }
    let mut installed = statuses.iter().filter(|status| !status.events.is_empty());
    let is_installed = plugin.is_some() || installed.clone().next().is_some();
    let works = is_installed && installed.all(|status| status.works);
    Ok(CommandOutcome::from_found(works))
}
