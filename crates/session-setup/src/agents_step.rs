//! Installing the MCP server, the hook, the skill and instructions for agents.

use crate::change::{print_backup, print_change, print_written};
use crate::dialog::ConsentDialog;
use crate::error::{Result, SetupError};
use crate::history_step::{self, holds_only_own};
use crate::outcome::{AgentFailures, StepOutcome};
use crate::setup::Setup;
use crate::setup_record::SetupRecord;
use crate::written_settings::undo_model;
use serde::Serialize;
use session_agents::{
    Agent, AgentSetup, SettingsChange, SettingsFile, SkillLocation, SkillOrigin, SkillPlan,
    SkillReport, own_program, quote_word, require_installed,
};
use session_config::Home;
use session_core::DOCS_URL;
use session_core::text::path_line;
use session_sources::{Env, sources};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The outcome for each agent that is there or that an option names.
pub type AgentOutcomes = BTreeMap<&'static str, StepOutcome>;

impl Setup<'_, '_> {
    /// Runs the step for OpenCode and Codex. Claude Code has steps of its own; for it the
    /// commands that add the MCP server and the hook are printed.
    ///
    /// # Errors
    /// When the dialog cannot be read or written.
    pub(crate) fn run_agents_step(
        &mut self,
        failures: &mut AgentFailures,
    ) -> Result<AgentOutcomes> {
        let (options, env) = (self.options, &self.home.env);
        let program = own_program(env)?;
        let may_offer = self.dialog.is_interactive && options.agents.is_empty();
        let is_meant = |agent: &Agent| {
            let is_offered = may_offer && agent.is_present(env);
            is_offered || options.agents.contains(agent)
        };
        let meant = [Agent::OpenCode, Agent::Codex].into_iter().filter(is_meant);
        let plan = |agent| {
            require_installed(&program, env)?;
            AgentSetup::plan(agent, env, &program)
        };
        let outcomes = confirm_each(meant, plan, "Install", failures, self.dialog)?;
        let is_claude_offered = self.dialog.is_interactive && Agent::Claude.is_present(env);
        if options.agents.contains(&Agent::Claude) || is_claude_offered && options.is_open() {
            let installed = require_installed(&program, env).map_err(SetupError::from);
            let shown = installed.and_then(|()| {
                show_claude_commands(env, &program.to_string_lossy(), self.dialog)?;
                Ok(StepOutcome::Unchanged)
            });
            failures.take_from(shown)?;
        }
        if self.dialog.is_interactive && options.is_open() {
            name_other_agents(env, self.dialog)?;
        }
        Ok(outcomes)
    }

    /// Plans the changes of Claude Code's settings that options ask for, so that settings that do not fit stop the setup
    /// before the first step writes anything.
    ///
    /// # Errors
    /// When the settings do not fit the change.
    pub(crate) fn check_settings(&self) -> Result<()> {
        let settings = SettingsFile::for_user(&self.home.env)?;
        if let Some(days) = self.options.keep_history {
            settings.plan_retention(days)?;
        }
        if self.options.allow_skill {
            settings.plan_skill_rule(SkillOrigin::User)?;
        }
        Ok(())
    }
}

/// The outcomes of undoing the setup.
#[derive(Serialize)]
pub struct UndoneSetup {
    /// The outcome of each agent.
    #[serde(flatten)]
    pub agents: AgentOutcomes,
    /// The outcome for the choice of the model, where setup made one and no agent was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<StepOutcome>,
    /// The reasons of those that failed.
    #[serde(skip)]
    pub failures: AgentFailures,
}

impl UndoneSetup {
    /// Lists all outcomes.
    pub fn list_outcomes(&self) -> Vec<StepOutcome> {
        self.agents.values().copied().chain(self.model).collect()
    }
}

/// Removes what the agents got, and for Claude Code the time for which it keeps its history, where it was longer before; an
/// empty list stands for all that are there, and for the choice of the model.
///
/// # Errors
/// When the dialog cannot be read or written, or the configuration or the record of what was written.
pub fn undo_setup(
    agents: &[Agent],
    home: &Home,
    dialog: &mut ConsentDialog<'_>,
) -> Result<UndoneSetup> {
    SetupRecord::open(&home.directories().data)?; // a damaged one is refused before anything is removed
    let is_meant = |agent: &Agent| {
        if agents.is_empty() {
            agent.is_present(&home.env) || has_claude_skill(*agent, &home.env)
        } else {
            agents.contains(agent)
        }
    };
    let meant: Vec<Agent> = Agent::ALL.into_iter().filter(is_meant).collect();
    let is_claude_own = holds_only_own_claude(home);
    let plan = |agent| {
        let setup = AgentSetup::plan_removal(agent, &home.env)?;
        Ok(if agent == Agent::Claude && is_claude_own {
            setup.without_backups()
        } else {
            setup
        })
    };
    let mut failures = AgentFailures::default();
    let mut outcomes = confirm_each(meant.iter().copied(), plan, "Remove", &mut failures, dialog)?;
    if let Some(outcome) = outcomes.get_mut(Agent::Claude.name()) {
        // After the rule for the skill, which is in the same file.
        let undone = history_step::undo(home, dialog).map(Option::unwrap_or_default);
        *outcome = (*outcome).max(failures.take_from(undone)?);
    }
    let model = if agents.is_empty() {
        undo_model(home, dialog)?
    } else {
        None
    };
    Ok(UndoneSetup {
        agents: outcomes,
        model,
        failures,
    })
}

/// Returns true for Claude Code where it has the skill, which other agents read, too, and may be all of its directory.
fn has_claude_skill(agent: Agent, env: &Env) -> bool {
    agent == Agent::Claude && SkillLocation::for_user(agent, env).has_skill()
}

/// Returns true if Claude Code's settings hold nothing but what setup wrote. Settings that cannot be read do not.
fn holds_only_own_claude(home: &Home) -> bool {
    let settings = SettingsFile::for_user(&home.env).map_err(SetupError::from);
    let record = SetupRecord::open(&home.directories().data);
    let is_own = settings.and_then(|settings| holds_only_own(&settings, &record?));
    is_own.unwrap_or_default()
}

/// Plans and applies the change of each agent. A file of one that does not fit does not keep others from theirs.
fn confirm_each(
    agents: impl Iterator<Item = Agent>,
    plan: impl Fn(Agent) -> session_agents::Result<AgentSetup>,
    verb: &str,
    failures: &mut AgentFailures,
    dialog: &mut ConsentDialog<'_>,
) -> Result<AgentOutcomes> {
    let outcome = |agent| {
        let planned = plan(agent).map_err(SetupError::from);
        let outcome = planned.and_then(|setup| confirm_and_apply(setup, verb, dialog));
        Ok((agent.name(), failures.take_from(outcome)?))
    };
    agents.map(outcome).collect()
}

fn confirm_and_apply(
    setup: AgentSetup,
    verb: &str,
    dialog: &mut ConsentDialog<'_>,
) -> Result<StepOutcome> {
    if let Some(file) = &setup.disabled_server {
        print_disabled_server(setup.agent, file, dialog)?;
    }
    if setup.is_noop() {
        return Ok(StepOutcome::Unchanged);
    }
    print_setup(&setup, dialog)?;
    let question = format!("{verb} this for {}?", setup.agent.title());
    if !dialog.confirm(&question)? {
        return Ok(StepOutcome::without_consent(dialog));
    }
    apply_setup(setup, dialog)?;
    Ok(StepOutcome::Written)
}

/// Prints the changes of an agent's files, and what the user has to do after them.
fn print_setup(setup: &AgentSetup, dialog: &mut ConsentDialog<'_>) -> Result<()> {
    for change in &setup.changes {
        print_change(change, dialog)?;
    }
    if let Some(skill) = &setup.skill {
        let directory = path_line(&skill.location.directory());
        dialog.print(&format!("\n{directory}: the skill"))?;
        for path in skill.outside_paths() {
            dialog.print(&format!("\n{}: the command", path_line(&path)))?;
        }
    }
    if let Some(note) = setup.note() {
        dialog.print(&format!("\n{note}"))?;
    }
    Ok(())
}

/// Writes the changes of an agent's files, and prints the paths of the files and of their backups.
fn apply_setup(setup: AgentSetup, dialog: &mut ConsentDialog<'_>) -> Result<()> {
    let changes = setup.changes.iter().map(SettingsChange::path);
    let changes: Vec<PathBuf> = changes.collect();
    let outside = setup.skill.as_ref().map(SkillPlan::outside_paths);
    let applied = setup.apply()?;
    for backup in applied.backups {
        print_backup(&backup, dialog)?;
    }
    for path in changes {
        print_written(&path, dialog)?;
    }
    if let Some(skill) = applied.skill {
        print_skill(&skill, &outside.unwrap_or_default(), dialog)?;
    }
    Ok(())
}

/// Prints that an agent does not start the MCP server: what switches it off is the user's, and stays.
fn print_disabled_server(agent: Agent, file: &Path, dialog: &mut ConsentDialog<'_>) -> Result<()> {
    let (agent, file) = (agent.title(), path_line(file));
    Ok(dialog.print(&format!(
        "\n{agent} does not start the MCP server: its `enabled` is false in {file}."
    ))?)
}

fn print_skill(
    skill: &SkillReport,
    outside: &[PathBuf],
    dialog: &mut ConsentDialog<'_>,
) -> Result<()> {
    if !skill.has_kept_files() {
        print_written(&skill.directory, dialog)?;
        return outside
            .iter()
            .try_for_each(|path| print_written(path, dialog));
    }
    let directory = path_line(&skill.directory);
    Ok(dialog.print(&format!("what you edited is kept: {directory}"))?)
}

/// Names the agents with a history that no step installs into.
fn name_other_agents(env: &Env, dialog: &mut ConsentDialog<'_>) -> Result<()> {
    let others = sources().iter();
    let others = others.filter(|source| Agent::from_name(source.name()).is_none());
    let others = others.filter(|source| !source.locate(env).locations.is_empty());
    let titles: Vec<&str> = others.map(|source| source.agent().title).collect();
    if titles.is_empty() {
        return Ok(());
    }
    let titles = titles.join(", ");
    Ok(dialog.print(&format!(
        "\n{titles}: no step installs into these. {DOCS_URL}/mcp.md says how each gets the MCP server or the skill."
    ))?)
}

/// Shows the commands that add the server and the hook to Claude Code, which no step writes. The server is in the file
/// of the agent's own state, which only the agent should write.
fn show_claude_commands(env: &Env, program: &str, dialog: &mut ConsentDialog<'_>) -> Result<()> {
    let settings = SettingsFile::for_user(env)?;
    if settings.enabled_plugin()?.is_some() {
        return Ok(());
    }
    let program = quote_word(program);
    dialog.print("\nTo add the MCP server to Claude Code, run:")?;
    dialog.print_verbatim(&format!(
        "  claude mcp add --scope user session-search -- {program} mcp"
    ))?;
    // Settings that cannot be read failed in their own step.
    if settings
        .installed_hooks()
        .is_ok_and(|hooks| hooks.is_empty())
    {
        dialog.print("To add the hook, run:")?;
        dialog.print_verbatim("  session-search hook install")?;
    }
    Ok(())
}
