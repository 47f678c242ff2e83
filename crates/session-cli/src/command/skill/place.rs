//! Where agents look for skills.

use crate::command::setup::history;
use anyhow::{Context, Result};
use session_memory::project_root;
use session_sources::Env;
use std::path::{Path, PathBuf};

/// The agents that know skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    Claude,
    OpenCode,
}

/// One place that a skill can be in: below `folder` lie `skills`, and for
/// OpenCode `commands`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub agent: Agent,
    /// In a project, rather than for the user.
    pub is_project: bool,
    pub folder: PathBuf,
}

impl Place {
    /// The place for an agent.
    ///
    /// # Errors
    /// When a project is wanted and this folder belongs to none.
    pub fn of(env: &Env, agent: Agent, is_project: bool) -> Result<Self> {
        let folder = match (agent, is_project) {
            (Agent::Claude, false) => history::folder(env),
            (Agent::OpenCode, false) => match env.get("XDG_CONFIG_HOME") {
                Some(config) => env.path(config).join("opencode"),
                None => env.home.join(".config/opencode"),
            },
            (Agent::Claude, true) => root(&env.home)?.join(".claude"),
            (Agent::OpenCode, true) => root(&env.home)?.join(".opencode"),
        };
        Ok(Self {
            agent,
            is_project,
            folder,
        })
    }

    /// Every place there is, each once: in the home folder the project's is
    /// the user's.
    ///
    /// # Errors
    /// As [`Place::of`].
    pub fn all(env: &Env) -> Result<Vec<Self>> {
        let agents = [Agent::Claude, Agent::OpenCode];
        let mut all: Vec<Self> = Vec::new();
        let in_project = project_root(&std::env::current_dir()?, &env.home).is_some();
        let both = agents.iter().flat_map(|&a| [(a, false), (a, true)]);
        for (agent, is_project) in both.filter(|(_, is_project)| in_project || !is_project) {
            let place = Self::of(env, agent, is_project)?;
            if all.iter().all(|other| other.folder != place.folder) {
                all.push(place);
            }
        }
        Ok(all)
    }

    /// The skill's own folder.
    pub fn skill(&self) -> PathBuf {
        self.folder.join("skills/session-search")
    }

    /// Its agent and whose it is.
    pub fn name(&self) -> &'static str {
        match (self.agent, self.is_project) {
            (Agent::Claude, false) => "claude",
            (Agent::Claude, true) => "claude, project",
            (Agent::OpenCode, false) => "opencode",
            (Agent::OpenCode, true) => "opencode, project",
        }
    }
}

/// The root of the project that this folder is in.
fn root(home: &Path) -> Result<PathBuf> {
    let root = project_root(&std::env::current_dir()?, home);
    root.context("this folder belongs to no project\nhint: go to a folder below one with `.git`")
}
