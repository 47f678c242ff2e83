//! The file in which each agent has the hook.

use crate::agent::Agent;
use crate::codex_trust::trusts_hooks_of;
use crate::error::{AgentError, Result};
use crate::hook_event::HookEvent;
use crate::hook_invocation::{HookInvocation, HookShell};
use crate::hook_settings::InstalledHook;
use crate::opencode_plugin::OpenCodePlugin;
use crate::settings_file::{SettingsChange, SettingsFile};
use session_files::Project;
use session_sources::Env;
use std::path::{Path, PathBuf};

/// The file in which an agent has this program's hook: settings of Claude Code, a list of Codex' hooks,
/// or a plugin of OpenCode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFile(HookFileKind);

#[derive(Debug, Clone, PartialEq, Eq)]
enum HookFileKind {
    Claude(SettingsFile),
    Codex(SettingsFile),
    OpenCode(OpenCodePlugin),
}

impl HookFile {
    /// Names the file of the user or of a project, whether it exists or not.
    ///
    /// # Errors
    /// When the path has no file name.
    pub fn new(agent: Agent, env: &Env, project: Option<&Project>) -> Result<Self> {
        Ok(Self(match (agent, project) {
            (Agent::Claude, None) => HookFileKind::Claude(SettingsFile::for_user(env)?),
            (Agent::Claude, Some(it)) => HookFileKind::Claude(SettingsFile::for_project(it)),
            (Agent::Codex, _) => HookFileKind::Codex(SettingsFile::for_codex(env, project)?),
            (Agent::OpenCode, _) => HookFileKind::OpenCode(OpenCodePlugin::new(env, project)?),
        }))
    }

    /// Names the settings that the user alone has in a project, where Claude Code reads hooks, too.
    pub fn for_user_in(project: &Project) -> Self {
        Self(HookFileKind::Claude(SettingsFile::for_user_in(project)))
    }

    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        match &self.0 {
            HookFileKind::Claude(file) | HookFileKind::Codex(file) => file.path(),
            HookFileKind::OpenCode(plugin) => plugin.path(),
        }
    }

    /// Returns true if the agent skips the hook of this file since its user has not said to trust it.
    pub fn awaits_trust(&self, env: &Env) -> bool {
        match &self.0 {
            HookFileKind::Codex(file) => !trusts_hooks_of(file, env),
            HookFileKind::Claude(_) | HookFileKind::OpenCode(_) => false,
        }
    }

    /// Reads for which events the hook is installed.
    ///
    /// # Errors
    /// When the file cannot be read or parsed.
    pub fn installed_hooks(&self) -> Result<Vec<InstalledHook>> {
        let plugin = match &self.0 {
            HookFileKind::Claude(file) | HookFileKind::Codex(file) => {
                return file.installed_hooks();
            }
            HookFileKind::OpenCode(plugin) => plugin,
        };
        let Some(program) = plugin.program()? else {
            return Ok(Vec::new());
        };
        let shell = HookShell::for_agent(Agent::OpenCode);
        let command = HookInvocation::without_shell(program, shell);
        let hook = |event| InstalledHook {
            event,
            command: command.clone(),
            matcher: None,
        };
        Ok(HookEvent::default_for(Agent::OpenCode).map(hook).to_vec())
    }

    /// Plans to install the hook of a program for chosen events; where none is chosen, for the usual ones of the agent. A
    /// plugin answers all that OpenCode has.
    ///
    /// # Errors
    /// When the agent has not all of these events, or one tells nothing there; when the file cannot be read or parsed, or
    /// does not fit the change.
    pub fn plan(&self, program: &Path, chosen: &[HookEvent]) -> Result<SettingsChange> {
        match &self.0 {
            HookFileKind::Claude(file) => {
                file.plan_hook(program, &choose_events(Agent::Claude, chosen)?)
            }
            HookFileKind::Codex(file) => {
                file.plan_hook(program, &choose_events(Agent::Codex, chosen)?)
            }
            HookFileKind::OpenCode(_) if !chosen.is_empty() => {
                Err(AgentError::AllEvents(Agent::OpenCode))
            }
            HookFileKind::OpenCode(plugin) => plugin.plan(program),
        }
    }

    /// Plans to remove the hook; a file that had nothing else is removed, but for settings.
    ///
    /// # Errors
    /// When the file cannot be read or parsed.
    pub fn plan_removal(&self) -> Result<SettingsChange> {
        match &self.0 {
            HookFileKind::Claude(file) => file.plan_hook_removal(),
            HookFileKind::Codex(file) => file.plan_hook_file_removal(),
            HookFileKind::OpenCode(plugin) => plugin.plan_removal(),
        }
    }
}

/// Returns the chosen events of an agent, or those of [`HookEvent::default_for`] where none is chosen.
///
/// # Errors
/// When the agent has not all of them, or one tells nothing there.
fn choose_events(agent: Agent, chosen: &[HookEvent]) -> Result<Vec<HookEvent>> {
    for &event in chosen {
        match (agent, event) {
            (Agent::Codex, HookEvent::PostToolUseFailure) => {
                return Err(AgentError::NoEvent { agent, event });
            }
            // It comes after a call that succeeded: an error is told to the event of a failure alone.
            (Agent::Claude, HookEvent::PostToolUse) => {
                return Err(AgentError::UnansweredEvent { agent, event });
            }
            _ => {}
        }
    }
    Ok(match chosen {
        [] => HookEvent::default_for(agent).to_vec(),
        chosen => chosen.to_vec(),
    })
}
