//! `skill`: installs what teaches an agent to use this program.

use crate::Found;
use crate::args::{ChangeArgs, SkillArgs, SkillCommand, SkillStatusArgs, SyncArgs};
use crate::memories::project_at_hand;
use crate::output::{json, notes};
use anyhow::{Result, bail};
use session_agents::{
    Agent, SettingsFile, SkillAction, SkillFilePlan, SkillLocation, SkillPlan, SkillReport,
    revoke_skill_rule, set_skill_keywords, update_skill_keywords,
};
use session_config::Home;
use session_display::{line, safe_line};
use session_files::path_line;
use session_memory::{DirectoryRecords, trusted_keywords};
use session_output::{format_diff, format_skill_report};
use session_query::Memories;
use session_sources::Env;
use std::io::Write;

/// Most columns of a plugin's name.
const PLUGIN_COLUMNS: usize = 60;
/// Keywords of memories that are offered for the description, which takes the plain ones of them.
const MAX_KEYWORDS: usize = 30;

/// Runs the command.
///
/// # Errors
/// When a file cannot be read or written.
pub fn run(args: &SkillArgs) -> Result<Found> {
    let home = Home::from_process()?;
    match &args.command {
        SkillCommand::Install(args) => change(args, &home.env, SkillAction::Install),
        SkillCommand::Uninstall(args) => uninstall(args, &home.env),
        SkillCommand::Sync(args) => sync(args, &home),
        SkillCommand::Status(args) => status(args, &home.env),
    }
}

/// Updates the keywords of the installed skills after memories were changed.
///
/// # Errors
/// When a file cannot be read or written.
pub fn follow(env: &Env, records: &DirectoryRecords) -> Result<()> {
    let keywords = |location: &SkillLocation| memory_keywords(location, env, records);
    Ok(update_skill_keywords(all_locations(env), keywords)?)
}

/// Removes the skill, and with the user's own for Claude Code the rule that lets the model load it
/// without asking: a project's skill of that name would be allowed by it.
fn uninstall(args: &ChangeArgs, env: &Env) -> Result<Found> {
    let found = change(args, env, SkillAction::Uninstall)?;
    let is_gone = args.dry_run || !SkillLocation::for_user(Agent::Claude, env).has_skill();
    if args.opencode || args.project || !is_gone {
        return Ok(found);
    }
    if let Some(path) = revoke_skill_rule(env, args.dry_run)? {
        let path = path.to_string_lossy();
        let verb = if args.dry_run { "would be" } else { "is" };
        writeln!(
            notes::stderr(),
            "note: the rule that let Claude Code load it without asking {verb} removed from {}",
            safe_line(&path)
        )?;
    }
    Ok(found)
}

fn change(args: &ChangeArgs, env: &Env, action: SkillAction) -> Result<Found> {
    let agent = match args.opencode {
        true => Agent::OpenCode,
        false => Agent::Claude,
    };
    let location = match args.project {
        true => SkillLocation::for_project(agent, project_at_hand(&env.home)?),
        false => SkillLocation::for_user(agent, env),
    };
    if action == SkillAction::Install && agent == Agent::Claude && !args.project {
        refuse_beside_plugin(env)?;
    }
    let mut plan = SkillPlan::read(location)?;
    let is_missing = action == SkillAction::Uninstall && !plan.is_installed();
    for file in plan.edited_files(action) {
        show_edit(file)?;
        file.overwrite = args.force;
    }
    let report = plan.apply(action, args.dry_run)?;
    if args.json {
        json::print(&report)?;
    } else if is_missing {
        let directory = report.directory.to_string_lossy();
        writeln!(
            notes::stderr(),
            "the skill is not installed in {}",
            safe_line(&directory)
        )?;
    } else {
        write!(anstream::stdout(), "{}", format_skill_report(&report))?;
    }
    if args.dry_run {
        writeln!(notes::stderr(), "note: nothing of it is done")?;
    } else if report.has_kept_files() {
        writeln!(
            notes::stderr(),
            "note: what you edited is kept; --force takes it, too"
        )?;
    }
    Ok(Found::Something)
}

/// Refuses a second copy of the skill: Claude Code would list both in each session.
fn refuse_beside_plugin(env: &Env) -> Result<()> {
    match SettingsFile::for_user(env)?.enabled_plugin()? {
        Some(plugin) => bail!(
            "the plugin `{}` brings the skill already\nhint: remove the plugin, or a copy of the skill by `session-search skill uninstall`",
            line(&plugin, PLUGIN_COLUMNS)
        ),
        None => Ok(()),
    }
}

fn show_edit(file: &SkillFilePlan) -> Result<()> {
    let path = file.path();
    let path = safe_line(&path.to_string_lossy());
    let diff = format_diff(&file.diff());
    Ok(writeln!(notes::stderr(), "{path} was edited:\n{diff}")?)
}

fn status(args: &SkillStatusArgs, env: &Env) -> Result<Found> {
    let mut reports = Vec::new();
    for location in all_locations(env) {
        let plan = SkillPlan::read(location)?;
        if plan.is_installed() {
            reports.push(plan.report());
        }
    }
    print_reports(&reports, args.json)
}

fn sync(args: &SyncArgs, home: &Home) -> Result<Found> {
    let records = home.records();
    let keywords = |location: &SkillLocation| {
        (!args.off).then(|| memory_keywords(location, &home.env, &records))
    };
    let reports = set_skill_keywords(all_locations(&home.env), keywords, args.dry_run)?;
    if args.dry_run {
        writeln!(notes::stderr(), "note: nothing of it is done")?;
    }
    print_reports(&reports, args.json)
}

fn all_locations(env: &Env) -> Vec<SkillLocation> {
    SkillLocation::all(env, project_at_hand(&env.home).ok().as_ref())
}

fn memory_keywords(location: &SkillLocation, env: &Env, records: &DirectoryRecords) -> Vec<String> {
    trusted_keywords(location.project.as_ref(), &env.home, records, MAX_KEYWORDS)
}

fn print_reports(reports: &[SkillReport], as_json: bool) -> Result<Found> {
    if as_json {
        json::print(&reports)?;
    } else if reports.is_empty() {
        writeln!(
            notes::stderr(),
            "the skill is not installed\nhint: `session-search skill install`"
        )?;
    }
    for report in reports.iter().filter(|_| !as_json) {
        write!(anstream::stdout(), "{}", format_skill_report(report))?;
    }
    Ok(match reports.is_empty() {
        true => Found::Nothing,
        false => Found::Something,
    })
}

/// Updates what follows the memories, as `memory save` does.
pub fn follow_memories(memories: &Memories) -> Vec<String> {
    let foreign = memories.store.foreign_views().into_iter();
    let mut notes: Vec<String> = foreign
        .map(|path| {
            format!(
                "{} was not written here, and is left as it is\nhint: remove it to have it generated again",
                path_line(&path)
            )
        })
        .collect();
    if let Err(error) = follow(&memories.home.env, memories.store.records()) {
        notes.push(format!("the skill's keywords are as they were: {error:#}"));
    }
    notes
}
