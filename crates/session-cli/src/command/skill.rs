//! `skill`: installs what teaches an agent to use this program.

use crate::CommandOutcome;
use crate::args::{JsonFlagArgs, SkillArgs, SkillChangeArgs, SkillCommand, SkillSyncArgs};
use crate::memories::find_current_project;
use crate::output::notes::print_note;
use crate::output::{self, json, notes};
use anyhow::{Result, bail};
use session_agents::{
    Agent, SettingsFile, SkillAction, SkillFilePlan, SkillLocation, SkillPlan, SkillReport,
    WriteMode, revoke_skill_rule, set_skill_keywords,
};
use session_config::Home;
use session_core::text::path_line;
use session_display::{fit_line, sanitize_line};
use session_output::{format_diff, format_skill_report};
use session_project_memories::offered_keywords;
use session_sources::Env;
use std::path::Path;

/// Most columns of a plugin's name.
const PLUGIN_COLUMNS: usize = 60;

/// The note on a run that only shows what it would do.
const NOT_DONE: &str = "no file is changed";

/// Runs the command.
pub fn run(args: &SkillArgs) -> Result<CommandOutcome> {
    let home = Home::from_process()?;
    match &args.command {
        SkillCommand::Install(args) => change_skill(args, &home.env, SkillAction::Install),
        SkillCommand::Uninstall(args) => uninstall_skill(args, &home.env),
        SkillCommand::Sync(args) => sync_skill(args, &home),
        SkillCommand::Status(args) => print_status(args, &home.env),
    }
}

/// Removes the skill, and with the user's own for Claude Code the rule that lets the model load it
/// without asking: a project's skill of that name would be allowed by it.
fn uninstall_skill(args: &SkillChangeArgs, env: &Env) -> Result<CommandOutcome> {
    let found = change_skill(args, env, SkillAction::Uninstall)?;
    let is_gone = args.dry_run || !SkillLocation::for_user(Agent::Claude, env).has_skill();
    if find_agent(args, env) != Agent::Claude || args.project || !is_gone {
        return Ok(found);
    }
    if let Some(path) = revoke_skill_rule(env, choose_write_mode(args.dry_run))? {
        let path = path.to_string_lossy();
        let verb = if args.dry_run { "would be" } else { "is" };
        print_note(format!(
            "the rule that let Claude Code load it without asking {verb} removed from {}",
            sanitize_line(&path)
        ))?;
    }
    Ok(found)
}

/// Returns the agent whose skill is meant: the one that is named, else OpenCode where it is the only agent here.
fn find_agent(args: &SkillChangeArgs, env: &Env) -> Agent {
    args.agent.unwrap_or_else(|| match Agent::default_for(env) {
        Agent::OpenCode => Agent::OpenCode,
        Agent::Claude | Agent::Codex => Agent::Claude,
    })
}

/// Notes where the skill is installed, if it is not where it was to be removed.
fn note_other_skills(missing: &Path, env: &Env) -> Result<()> {
    let others = all_locations(env).into_iter();
    let others = others.filter(|other| other.has_skill() && other.directory() != missing);
    for other in others {
        let agent = other.agent;
        let project = if other.project.is_some() {
            " --project"
        } else {
            ""
        };
        print_note(format!(
            "it is installed for {}: `session-search skill uninstall --agent {}{project}`",
            agent.title(),
            agent.name()
        ))?;
    }
    Ok(())
}

fn change_skill(args: &SkillChangeArgs, env: &Env, action: SkillAction) -> Result<CommandOutcome> {
    let agent = find_agent(args, env);
    let location = if args.project {
        SkillLocation::for_project(agent, find_current_project(&env.home)?)
    } else {
        SkillLocation::for_user(agent, env)
    };
    if action == SkillAction::Install && agent == Agent::Claude && !args.project {
        if args.agent.is_none() {
            refuse_for_codex_alone(env)?;
        }
        refuse_beside_plugin(env)?;
    }
    let mut plan = SkillPlan::read(location)?;
    let is_missing = action == SkillAction::Uninstall && !plan.is_installed();
    for file in plan.edited_files() {
        show_edit(file)?;
        file.overwrite = args.force;
    }
    let mode = choose_write_mode(args.dry_run);
    let report = plan.apply(action, mode)?;
    if args.json {
        json::print(&report)?;
    } else if is_missing {
        let directory = report.directory.to_string_lossy();
        notes::print_line(format_args!(
            "the skill is not installed in {}",
            sanitize_line(&directory)
        ))?;
        note_other_skills(&report.directory, env)?;
    } else {
        let text = format_skill_report(&report, mode);
        output::print(text)?;
    }
    if args.dry_run {
        print_note(NOT_DONE)?;
    } else if report.has_kept_files() {
        let forced = match action {
            SkillAction::Install => "replaces",
            SkillAction::Uninstall => "removes",
        };
        print_note(format!(
            "files that you edited are kept; --force {forced} them"
        ))?;
    }
    Ok(CommandOutcome::Found)
}

/// Refuses the skill where Codex is the only agent here, which has none.
fn refuse_for_codex_alone(env: &Env) -> Result<()> {
    match Agent::default_for(env) {
        Agent::Codex => bail!(format_no_skill(env)),
        Agent::Claude | Agent::OpenCode => Ok(()),
    }
}

/// Refuses a second copy of the skill: Claude Code would list both in each session.
fn refuse_beside_plugin(env: &Env) -> Result<()> {
    match SettingsFile::for_user(env)?.enabled_plugin()? {
        Some(plugin) => bail!(
            "the plugin `{}` brings the skill already\nhint: remove the plugin, or a copy of the skill by `session-search skill uninstall`",
            fit_line(&plugin, PLUGIN_COLUMNS)
        ),
        None => Ok(()),
    }
}

fn show_edit(file: &SkillFilePlan) -> Result<()> {
    let path = file.path();
    let path = path_line(&path);
    let diff = format_diff(&file.diff());
    notes::print_line(format_args!("{path} was edited:\n{diff}"))
}

fn print_status(args: &JsonFlagArgs, env: &Env) -> Result<CommandOutcome> {
    let mut reports = Vec::new();
    for location in all_locations(env) {
        let plan = SkillPlan::read(location)?;
        if plan.is_installed() {
            reports.push(plan.report());
        }
    }
    print_reports(&reports, env, args.json, WriteMode::Write)
}

fn sync_skill(args: &SkillSyncArgs, home: &Home) -> Result<CommandOutcome> {
    let keywords =
        |location: &SkillLocation| (!args.off).then(|| offered_keywords(location, home, &[]));
    let mode = choose_write_mode(args.dry_run);
    let reports = set_skill_keywords(all_locations(&home.env), keywords, mode)?;
    if args.dry_run {
        print_note(NOT_DONE)?;
    }
    print_reports(&reports, &home.env, args.json, mode)
}

fn choose_write_mode(dry_run: bool) -> WriteMode {
    if dry_run {
        WriteMode::DryRun
    } else {
        WriteMode::Write
    }
}

fn all_locations(env: &Env) -> Vec<SkillLocation> {
    SkillLocation::all(env, find_current_project(&env.home).ok().as_ref())
}

/// Formats that no agent has the skill, and what gives it to the one that is here. Codex has none.
fn format_no_skill(env: &Env) -> &'static str {
    match Agent::default_for(env) {
        Agent::Claude => "the skill is not installed\nhint: `session-search skill install`",
        Agent::OpenCode => {
            "the skill is not installed\nhint: `session-search skill install --agent opencode`"
        }
        Agent::Codex => {
            "the skill is not installed\nhint: `session-search setup --agent codex` gives Codex instructions in its place"
        }
    }
}

fn print_reports(
    reports: &[SkillReport],
    env: &Env,
    as_json: bool,
    mode: WriteMode,
) -> Result<CommandOutcome> {
    if as_json {
        json::print(&serde_json::json!({ "skills": reports }))?;
    } else if reports.is_empty() {
        notes::print_line(format_no_skill(env))?;
    }
    for report in reports.iter().filter(|_| !as_json) {
        let text = format_skill_report(report, mode);
        output::print(text)?;
    }
    Ok(CommandOutcome::from_found(!reports.is_empty()))
}
