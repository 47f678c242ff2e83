//! Where agents look for skills.

use crate::command::setup::history;
use crate::memories::project_at_hand;
use anyhow::Result;
use session_files::{Beneath, Project};
use session_sources::Env;
use std::path::{Path, PathBuf};

/// The skill's folder below an agent's.
pub const SKILL: &str = "skills/session-search";

/// The agents that know skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    Claude,
    OpenCode,
}

impl Agent {
    /// Its folder in a project.
    fn folder(self) -> &'static str {
        match self {
            Self::Claude => ".claude",
            Self::OpenCode => ".opencode",
        }
    }
}

/// One place that a skill can be in: below `folder` lie `skills`, and for
/// OpenCode `commands`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub agent: Agent,
    /// The project that it is in, rather than the user's own place.
    pub project: Option<Project>,
    pub folder: PathBuf,
}

impl Place {
    /// The place for an agent.
    ///
    /// # Errors
    /// When a project is wanted and this folder belongs to none.
    pub fn of(env: &Env, agent: Agent, is_project: bool) -> Result<Self> {
        if is_project {
            let project = project_at_hand(&env.home)?;
            return Ok(Self {
                agent,
                folder: project.root().join(agent.folder()),
                project: Some(project),
            });
        }
        let folder = match agent {
            Agent::Claude => history::folder(env),
            Agent::OpenCode => match env.get("XDG_CONFIG_HOME") {
                Some(config) => env.path(config).join("opencode"),
                None => env.home.join(".config/opencode"),
            },
        };
        Ok(Self {
            agent,
            project: None,
            folder,
        })
    }

    /// A file by its name below the folder. In a project no link may lead to it from the root
    /// on; the user's own `skills` and `commands` may be links.
    pub fn file(&self, name: &str) -> Beneath {
        match (&self.project, name.split_once('/')) {
            (Some(project), _) => {
                let relative = Path::new(self.agent.folder()).join(name);
                Beneath::new(project.root(), &relative)
            }
            (None, Some((first, rest))) => Beneath::new(&self.folder.join(first), Path::new(rest)),
            (None, None) => Beneath::new(&self.folder, Path::new(name)),
        }
    }

    /// Every place there is, each once: in the home folder the project's is
    /// the user's.
    ///
    /// # Errors
    /// As [`Place::of`].
    pub fn all(env: &Env) -> Result<Vec<Self>> {
        let agents = [Agent::Claude, Agent::OpenCode];
        let mut all: Vec<Self> = Vec::new();
        let in_project = project_at_hand(&env.home).is_ok();
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
        self.folder.join(SKILL)
    }

    /// Its agent and whose it is.
    pub fn name(&self) -> &'static str {
        match (self.agent, self.project.is_some()) {
            (Agent::Claude, false) => "claude",
            (Agent::Claude, true) => "claude, project",
            (Agent::OpenCode, false) => "opencode",
            (Agent::OpenCode, true) => "opencode, project",
        }
    }
}
