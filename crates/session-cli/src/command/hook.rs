//! `hook`: installs the hook of an agent, and answers it.

use crate::CommandOutcome;
use crate::args::{HookArgs, HookChangeArgs, HookCommand, HookInstallArgs, JsonFlagArgs};
use crate::memories::find_current_project;
use crate::output::notes::{print_note, print_notes};
use crate::output::{self, json, notes};
use crate::shared::background;
use crate::shared::dialog::{unwrap_setup_error, with_terminal};
use anyhow::{Result, bail};
use serde::Serialize;
use session_agents::{
    Agent, AgentError, HookFile, HookStatus, HookSurvey, SettingsChange, SettingsFile,
    find_disabling_file, find_unmatched_tools, own_program, require_installed, shared_program,
};
use session_config::{Home, current_directory_or_home, find_memory_project};
use session_core::text::path_line;
use session_display::sanitize_line;
use session_files::Project;
use session_hooks::{
    ComparedCall, HookCall, HookCallbacks, HookOrigin, HookPurpose, run_with_timeout,
};
use session_output::{
    format_error, format_hook_status, format_injection_switch, format_unmatched_tools,
};
use session_project_memories::{ProjectMemories, ProjectMemoriesError};
use session_query::SearchEngine;
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
        HookCommand::Uninstall(args) => uninstall_hook(args),
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
    let answer = answer_stdin(
        origin,
        HookPurpose::Answer,
        None,
        |ComparedCall { call, outcome }| {
            let answer = call.answer(outcome.as_ref());
            if call.wants_fresh_index() {
                background::start_refresh(&call.memories.home);
            }
            answer
        },
        HookCall::explain_failure,
    );
    if let Some(answer) = answer {
        let answer = serde_json::to_string(&answer).unwrap_or_default();
        let _ = json::print_text(&answer);
    }
    CommandOutcome::Found
}

/// Returns what `answer` makes of the hook that stdin describes, or `explain` of a failure that a new session should tell.
/// Any other error and a panic print nothing. The session is `session_id` where stdin names none.
pub fn answer_stdin<T: Send + 'static>(
    origin: HookOrigin,
    purpose: HookPurpose,
    session_id: Option<String>,
    answer: fn(ComparedCall) -> Option<T>,
    explain: fn(&ProjectMemoriesError) -> Option<T>,
) -> Option<T> {
    std::panic::set_hook(Box::new(|_| {}));
    let callbacks = HookCallbacks {
        prepare_vectors: background::spawn_vector_preparation,
        answer,
        explain,
    };
    run_with_timeout(stdin(), origin, purpose, session_id, callbacks)
}

fn uninstall_hook(args: &HookChangeArgs) -> Result<CommandOutcome> {
    let env = Home::unconfigured()?.env;
    let agent = args.agent.unwrap_or_else(|| Agent::default_for(&env));
    let file = find_file(agent, args.project)?;
    let unchanged = "the hook is not installed in";
    let outcome = apply_change(args, &file.plan_removal()?, unchanged)?;
    if outcome == StepOutcome::Unchanged && args.agent.is_none() {
        note_other_hooks(agent, args.project)?;
    }
    if !args.project {
        note_project_hook(agent)?;
    }
    Ok(CommandOutcome::Found)
}

/// Notes that the settings of the current project have the hook, which those of the user have no more.
fn note_project_hook(agent: Agent) -> Result<()> {
    let file = find_file(agent, true);
    let hooks = file.and_then(|file| Ok(file.installed_hooks()?));
    if hooks.is_ok_and(|hooks| !hooks.is_empty()) {
        let name = agent.name();
        print_note(format!(
            "this project has it, too: `session-search hook uninstall --agent {name} --project`"
        ))?;
    }
    Ok(())
}

/// Notes the agents that have the hook where the one that was meant has not.
fn note_other_hooks(meant: Agent, in_project: bool) -> Result<()> {
    let others = Agent::ALL.into_iter().filter(|agent| *agent != meant);
    for agent in others {
        let hooks = find_file(agent, in_project)?.installed_hooks();
        if hooks.is_ok_and(|hooks| !hooks.is_empty()) {
            let (title, name) = (agent.title(), agent.name());
            let project = if in_project { " --project" } else { "" };
            print_note(format!(
                "it is installed for {title}: `session-search hook uninstall --agent {name}{project}`"
            ))?;
        }
    }
    Ok(())
}

fn install_hook(args: &HookInstallArgs) -> Result<CommandOutcome> {
    let HookChangeArgs { agent, project, .. } = args.change;
    let env = Home::unconfigured()?.env;
    let agent = agent.unwrap_or_else(|| Agent::default_for(&env));
    let own = own_program(&env)?;
    require_installed(&own, &env)?;
    let program = if project { shared_program(&env)? } else { own };
    let file = find_file(agent, project)?;
    let planned = file.plan(&program, &args.event)?;
    let outcome = apply_change(&args.change, &planned, "the hook is installed already in")?;
    let is_written = outcome == StepOutcome::Written;
    match find_disabling_file(agent, &env, find_project(&env).unwrap_or_default().as_ref())? {
        Some(path) if outcome != StepOutcome::Skipped => print_note(format!(
            "`disableAllHooks` in {} turns the hook off",
            path_line(&path)
        ))?,
        // Else the note on that says when it works.
        None if is_written && agent.hook_note().is_none() && !args.change.json => {
            let title = agent.title();
            let text = format!("it works from the next session of {title} on");
            notes::print_line(text)?;
        }
        _ => {}
    }
    for unmatched in find_unmatched_tools(agent, &file.installed_hooks()?) {
        print_note(format_unmatched_tools(&unmatched))?;
    }
    if let Some(text) = agent.hook_note().filter(|_| is_written) {
        print_note(text)?;
    }
    Ok(CommandOutcome::Found)
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
    Ok(Project::find_owned(
        &current_directory_or_home()?,
        &env.home,
    ))
}

/// Returns the mistake in the configuration for which a hook in the current directory prints nothing.
fn find_configuration_error() -> Result<Option<String>> {
    let opened = ProjectMemories::for_directory(&current_directory_or_home()?);
    Ok(match opened.err() {
        Some(error @ ProjectMemoriesError::Config(_)) => Some(format_error(&error)),
        _ => None,
    })
}

/// Notes the setting for which a hook in the current directory injects nothing.
fn note_injection_switch() -> Result<()> {
    let home = Home::unconfigured()?;
    let project = find_memory_project(&current_directory_or_home()?, &home.env.home);
    let Ok(layers) = home.config_layers(project.ok().flatten().as_ref()) else {
        return Ok(()); // the status tells the mistake
    };
    print_notes(format_injection_switch(&layers.settings()?))
}

/// Notes that a session which begins with the variables of this process reads no history. Where a mistake in the
/// configuration keeps that from being known, the status tells the mistake.
fn note_other_environment() -> Result<()> {
    let Ok(home) = Home::from_process() else {
        return Ok(());
    };
    let reads = home.config.background || home.config.injection.last_session;
    let differs = |index| !SearchEngine::has_known_environment(&home, &index);
    if reads && home.index().is_ok_and(differs) {
        print_note(
            "no search had the variables that are set here; a session that begins with them reads no history until you search",
        )?;
    }
    Ok(())
}

fn print_status(args: &JsonFlagArgs) -> Result<CommandOutcome> {
    let env = Home::unconfigured()?.env;
    let HookSurvey { statuses, errors } = HookSurvey::read(&env, find_project(&env)?.as_ref())?;
    let mistake = find_configuration_error()?;
    let statuses = statuses.into_iter();
    let statuses = statuses.map(|status| status.with_configuration_error(mistake.as_deref()));
    let statuses: Vec<HookStatus> = statuses.collect();
    let is_damaged = !errors.is_empty();
    for error in errors {
        print_note(&match error {
            AgentError::Settings { .. } => format_error(&error),
            error => error.to_string(),
        })?;
    }
    if args.json {
        json::print(&serde_json::json!({ "hooks": statuses }))?;
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
    // Without a status that works there is none that tells it.
    let names_mistake = |status: &HookStatus| status.configuration_error.is_some();
    if let Some(mistake) = mistake.as_ref().filter(|_| plugin.is_some())
        && !statuses.iter().any(names_mistake)
    {
        print_note(format!("the hook of the plugin prints nothing: {mistake}"))?;
    }
    note_injection_switch()?;
    note_other_environment()?;
    let mut installed = statuses.iter().filter(|status| !status.events.is_empty());
    let is_installed = plugin.is_some() || installed.clone().next().is_some();
    if !is_installed && !is_damaged {
        return Ok(CommandOutcome::NotFound);
    }
    let works = is_installed && mistake.is_none() && installed.all(|status| status.works);
    Ok(CommandOutcome::from_health(works))
}
