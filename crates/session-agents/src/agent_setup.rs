//! All that this program writes for one agent, planned and undone together.

use crate::agent::Agent;
use crate::error::Result;
use crate::hook_file::HookFile;
use crate::instruction_block::{plan_block, plan_block_removal};
use crate::mcp_config::McpConfig;
use crate::settings_file::{SettingsChange, SettingsFile};
use crate::skill_location::SkillLocation;
use crate::skill_plan::{SkillAction, SkillPlan, WriteMode};
use crate::skill_report::{SkillFileOutcome, SkillReport};
use session_sources::Env;
use std::path::{Path, PathBuf};

/// The changes by which an agent gets this program, or loses it. Nothing is written before
/// [`AgentSetup::apply`].
#[derive(Debug, Clone)]
pub struct AgentSetup {
    /// The agent.
    pub agent: Agent,
    /// Changes of the agent's files, without those that have nothing to write.
    pub changes: Vec<SettingsChange>,
    /// The user's skill of the agent, where a file of it would be written or removed.
    pub skill: Option<SkillPlan>,
    /// The file in which the MCP server is switched off: what is installed there is not started.
    pub disabled_server: Option<PathBuf>,
    action: SkillAction,
}

/// The result of [`AgentSetup::apply`] in addition to the changes.
#[derive(Debug)]
pub struct AppliedSetup {
    /// The backups of the changed files.
    pub backups: Vec<PathBuf>,
    /// The skill's files, where one was written or removed.
    pub skill: Option<SkillReport>,
}

impl AgentSetup {
    /// Plans to install a program: the MCP server and the hook for OpenCode and Codex, the skill for
    /// Claude Code and OpenCode, a paragraph in the instructions for Codex. A plugin of Claude Code has
    /// its own skill.
    ///
    /// # Errors
    /// When a file of the agent is refused, cannot be parsed or does not fit the change.
    pub fn plan(agent: Agent, env: &Env, program: &Path) -> Result<Self> {
        let server = McpConfig::for_user(agent, env)?;
        let mut changes = Vec::new();
        let disabled = server
            .as_ref()
            .filter(|file| file.is_disabled().is_ok_and(|it| it));
        let disabled = disabled.map(McpConfig::path);
        changes.extend(server.map(|file| file.plan_server(program)).transpose()?);
        if agent == Agent::Codex {
            changes.push(plan_block(env)?);
        }
        if agent != Agent::Claude {
            let hook = HookFile::new(agent, env, None)?;
            changes.push(hook.plan(program, &[])?);
        }
        let has_plugin =
            agent == Agent::Claude && SettingsFile::for_user(env)?.enabled_plugin()?.is_some();
        let skill = if has_plugin {
            None
        } else {
            plan_skill(agent, env, SkillAction::Install)?
        };
        Ok(Self {
            disabled_server: disabled,
            ..Self::new(agent, changes, skill, SkillAction::Install)
        })
    }

    /// Plans to remove what [`AgentSetup::plan`] and the rule for the skill added. Files of the
    /// skill that the user edited stay.
    ///
    /// # Errors
    /// When a file of the agent is refused or cannot be parsed.
    pub fn plan_removal(agent: Agent, env: &Env) -> Result<Self> {
        let server = McpConfig::for_user(agent, env)?;
        let mut changes = Vec::new();
        changes.extend(server.map(|file| file.plan_removal()).transpose()?);
        match agent {
            Agent::Claude => changes.push(SettingsFile::for_user(env)?.plan_rule_removal()?),
            Agent::Codex => changes.extend(plan_block_removal(env)?),
            Agent::OpenCode => {}
        }
        if agent != Agent::Claude {
            changes.push(HookFile::new(agent, env, None)?.plan_removal()?);
        }
        let skill = plan_skill(agent, env, SkillAction::Uninstall)?;
        Ok(Self::new(agent, changes, skill, SkillAction::Uninstall))
    }

    fn new(
        agent: Agent,
        mut changes: Vec<SettingsChange>,
        skill: Option<SkillPlan>,
        action: SkillAction,
    ) -> Self {
        changes.retain(|change| !change.is_noop());
        Self {
            agent,
            changes,
            skill,
            disabled_server: None,
            action,
        }
    }

    /// Returns the setup without backups of the files that it changes: they hold nothing but what this program wrote.
    #[must_use]
    pub fn without_backups(self) -> Self {
        let changes = self.changes.into_iter();
        Self {
            changes: changes.map(SettingsChange::without_backup).collect(),
            ..self
        }
    }

    /// Returns true if there is nothing to write.
    pub fn is_noop(&self) -> bool {
        self.changes.is_empty() && self.skill.is_none()
    }

    /// Returns what the user has to do in the agent after this was installed.
    pub fn note(&self) -> Option<&'static str> {
        let is_installed = self.action == SkillAction::Install && !self.is_noop();
        self.agent.hook_note().filter(|_| is_installed)
    }

    /// Writes everything; returns the paths of the backups, and what was done with the skill.
    ///
    /// # Errors
    /// When a file cannot be written; those before it are written then, and planning again finds
    /// what is left.
    pub fn apply(self) -> Result<AppliedSetup> {
        let mut backups = Vec::new();
        for change in &self.changes {
            backups.extend(change.write()?);
        }
        let skill = self
            .skill
            .map(|skill| skill.apply(self.action, WriteMode::Write));
        let skill = skill.transpose()?;
        Ok(AppliedSetup { backups, skill })
    }
}

/// Plans the skill of the user; `None` if no file of it would be written or removed.
fn plan_skill(agent: Agent, env: &Env, action: SkillAction) -> Result<Option<SkillPlan>> {
    if !Agent::WITH_SKILL.contains(&agent) {
        return Ok(None);
    }
    let plan = SkillPlan::read(SkillLocation::for_user(agent, env))?;
    let report = plan.clone().apply(action, WriteMode::DryRun)?;
    let is_change = |outcome| {
        matches!(
            outcome,
            Some(SkillFileOutcome::Written | SkillFileOutcome::Removed)
        )
    };
    let changes = report.files.iter().any(|file| is_change(file.outcome));
    Ok(changes.then_some(plan))
}
