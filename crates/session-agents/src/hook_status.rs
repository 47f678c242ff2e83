//! The hook as settings have it.

use crate::agent::Agent;
use crate::error::{AgentError, Result};
use crate::hook_event::HookEvent;
use crate::hook_file::HookFile;
use crate::hook_matcher::{UnmatchedTools, find_unmatched_tools};
use crate::hook_settings::InstalledHook;
use crate::merged_settings::MergedSettings;
use serde::{Serialize, Serializer};
use session_files::Project;
use session_sources::Env;
use std::fmt;
use std::path::{Path, PathBuf};

/// Whose settings hold a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HookScope {
    /// The user's, for all projects.
    User,
    /// The project's, for all who work in it.
    Project,
    /// The user's own in a project, which one agent alone has.
    Local,
}

impl HookScope {
    const ALL: [Self; 3] = [Self::User, Self::Project, Self::Local];

    /// Names the file of an agent; `None` if it has none. Outside of a project, the user's file is the only one.
    fn find_file(self, agent: Agent, env: &Env, project: Option<&Project>) -> Option<HookFile> {
        match self {
            Self::User => HookFile::new(agent, env, None).ok(),
            Self::Project => HookFile::new(agent, env, Some(project?)).ok(),
            Self::Local if agent.merges_settings() => project.map(HookFile::for_user_in),
            Self::Local => None,
        }
    }
}

impl fmt::Display for HookScope {
    /// Writes the name that JSON has.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(to)
    }
}

/// The hook in one settings file, as `docs/cli.md` describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HookStatus {
    /// The agent.
    #[serde(serialize_with = "serialize_agent")]
    pub agent: Agent,
    /// The settings file.
    #[serde(serialize_with = "serialize_path")]
    pub path: PathBuf,
    /// Whose settings they are.
    pub scope: HookScope,
    /// The events that the hook answers.
    pub events: Vec<HookEvent>,
    /// The command line. If one of several runs a program that does not exist, it is that one.
    pub command: Option<String>,
    /// True where the program of the command line is there, and the agent runs the hook.
    pub works: bool,
    /// True where the agent skips the hook until its user says to trust it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub awaits_trust: bool,
    /// The mistake in the configuration of this program for which the hook prints nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration_error: Option<String>,
    /// The settings that turn all hooks off.
    #[serde(serialize_with = "serialize_optional_path")]
    pub disabled_by: Option<PathBuf>,
    /// The tools that the hook answers and its settings leave out.
    pub unmatched_tools: Vec<UnmatchedTools>,
}

/// The hooks in the settings of all agents.
#[derive(Debug, Default)]
pub struct HookSurvey {
    /// The hook in each file that matters.
    pub statuses: Vec<HookStatus>,
    /// Failures to read a file.
    pub errors: Vec<AgentError>,
}

impl HookStatus {
    /// Describes the hooks in a file.
    fn new(
        agent: Agent,
        scope: HookScope,
        path: PathBuf,
        hooks: &[InstalledHook],
        env: &Env,
    ) -> Self {
        let is_dead = |hook: &&InstalledHook| !hook.command.program_exists(env);
        let dead = hooks.iter().find(is_dead);
        Self {
            agent,
            path,
            scope,
            events: hooks.iter().map(|hook| hook.event).collect(),
            command: dead.or(hooks.first()).map(|hook| hook.command.to_string()),
            works: !hooks.is_empty() && dead.is_none(),
            awaits_trust: false,
            configuration_error: None,
            disabled_by: None,
            unmatched_tools: find_unmatched_tools(agent, hooks),
        }
    }

    /// Returns the status where the settings at a path turn all hooks off.
    fn disabled_by(self, path: Option<PathBuf>) -> Self {
        let disabled_by = path.filter(|_| self.command.is_some());
        Self {
            works: self.works && disabled_by.is_none(),
            disabled_by,
            ..self
        }
    }

    /// Returns the status where the configuration of this program may have a mistake.
    #[must_use]
    pub fn with_configuration_error(self, error: Option<&str>) -> Self {
        let configuration_error = error.filter(|_| self.works).map(str::to_owned);
        Self {
            works: self.works && configuration_error.is_none(),
            configuration_error,
            ..self
        }
    }

    /// Returns the status where the agent may skip the hook until it is trusted.
    fn awaiting_trust(self, awaits_trust: bool) -> Self {
        let awaits_trust = awaits_trust && self.works;
        Self {
            works: self.works && !awaits_trust,
            awaits_trust,
            ..self
        }
    }

    /// Returns true if the hook is installed, and for the settings that are merged, except those of the user in a project:
    /// these are listed without a hook. Other agents are not mentioned to a person who does not use them.
    fn is_listed(&self) -> bool {
        let is_usual = self.agent.merges_settings() && self.scope != HookScope::Local;
        is_usual || !self.events.is_empty()
    }
}

fn serialize_agent<S: Serializer>(agent: &Agent, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_str(agent.name())
}

/// Serializes a path of any bytes.
fn serialize_path<S: Serializer>(path: &Path, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

fn serialize_optional_path<S: Serializer>(
    path: &Option<PathBuf>,
    to: S,
) -> std::result::Result<S::Ok, S::Error> {
    let path = path.as_ref().map(|path| path.to_string_lossy());
    path.serialize(to)
}

impl HookSurvey {
    /// Reads the hook of all agents, of the user and of a project. A damaged file counts as one without a hook; a
    /// file that may not be read is left out.
    ///
    /// # Errors
    /// When the settings that turn hooks off cannot be named.
    pub fn read(env: &Env, project: Option<&Project>) -> Result<Self> {
        let mut survey = Self::default();
        for agent in Agent::ALL {
            let disabled_by = find_disabling_file(agent, env, project)?;
            for scope in HookScope::ALL {
                let Some(file) = scope.find_file(agent, env, project) else {
                    continue;
                };
                if let Some(hooks) = survey.read_hooks(&file) {
                    let status = HookStatus::new(agent, scope, file.path(), &hooks, env);
                    let status = status.disabled_by(disabled_by.clone());
                    let status = status.awaiting_trust(file.awaits_trust(env));
                    survey.statuses.push(status);
                }
            }
        }
        survey.statuses.retain(HookStatus::is_listed);
        Ok(survey)
    }

    /// Reads the hooks in a file, and notes why it cannot.
    fn read_hooks(&mut self, file: &HookFile) -> Option<Vec<InstalledHook>> {
        match file.installed_hooks() {
            Ok(hooks) => Some(hooks),
            Err(error) => {
                let is_damaged = matches!(error, AgentError::Settings { .. });
                self.errors.push(error);
                is_damaged.then(Vec::new)
            }
        }
    }
}

/// Names the settings by which an agent runs no hook.
///
/// # Errors
/// When the path of a settings file has no file name.
pub fn find_disabling_file(
    agent: Agent,
    env: &Env,
    project: Option<&Project>,
) -> Result<Option<PathBuf>> {
    if !agent.merges_settings() {
        return Ok(None);
    }
    Ok(MergedSettings::new(env, project)?.disabling_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_listed_with_whether_it_works() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::with_home(home.path());
        let read = || HookSurvey::read(&env, None).unwrap();
        let absent = &read().statuses;
        assert_eq!(absent.len(), 1, "{absent:?}");
        assert!(
            absent[0].agent.merges_settings() && absent[0].events.is_empty() && !absent[0].works
        );

        let name = format!("session-search{}", std::env::consts::EXE_SUFFIX);
        let program = home.path().join(name);
        let install = |agent| {
            let file = HookFile::new(agent, &env, None).unwrap();
            let change = file.plan(&program, &[]).unwrap();
            change.write().unwrap();
            file.path()
        };
        let settings = install(Agent::ALL[0]);
        install(Agent::Codex);
        let dead = read().statuses;
        assert_eq!(dead.len(), 2, "{dead:?}");
        assert!(
            dead.iter()
                .all(|status| !status.works && status.disabled_by.is_none())
        );
        assert_eq!(dead[0].path, settings);

        let own = std::env::current_exe().unwrap();
        fs_err::copy(own, &program).unwrap();
        let waiting = &read().statuses[1];
        assert!(waiting.awaits_trust && !waiting.works);
        trust_codex_hooks(home.path());
        assert!(read().statuses.iter().all(|status| status.works));
        let text = fs_err::read_to_string(&settings).unwrap();
        let text = text.replacen('{', "{\"disableAllHooks\": true,", 1);
        fs_err::write(&settings, text).unwrap();
        let disabled = &read().statuses;
        assert_eq!(disabled[0].disabled_by.as_ref(), Some(&settings));
        assert!(!disabled[0].works && disabled[1].works);
        let json = serde_json::to_value(&disabled[0]).unwrap();
        assert_eq!(json["agent"], Agent::ALL[0].name());
        assert_eq!(json["scope"], "user");
        assert_eq!(json["events"][0], disabled[0].events[0].name());
    }

    /// Writes what Codex writes once its user trusts the hooks.
    fn trust_codex_hooks(home: &Path) {
        let hooks = home.join(".codex/hooks.json");
        let state = |event: &str| {
            let path = hooks.display();
            // A literal string: the path may have backslashes.
            format!("[hooks.state.'{path}:{event}:0:0']\ntrusted_hash = \"sha256:00\"\n")
        };
        let events = [
            "user_prompt_submit",
            "session_start",
            "pre_tool_use",
            "post_tool_use",
        ];
        let config: String = events.map(state).concat();
        fs_err::write(home.join(".codex/config.toml"), config).unwrap();
    }

    #[test]
    fn a_damaged_file_has_no_hook_and_an_error() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::with_home(home.path());
        let path = HookFile::new(Agent::ALL[0], &env, None).unwrap().path();
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, "{").unwrap();
        let survey = HookSurvey::read(&env, None).unwrap();
        assert_eq!(survey.statuses.len(), 1);
        assert!(matches!(survey.errors[..], [AgentError::Settings { .. }]));
    }
}
