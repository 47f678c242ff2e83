//! The directories that agents load the skill from.

use crate::agent::Agent;
use session_files::{ConfinedFile, Project};
use session_sources::Env;
use std::path::{Path, PathBuf};

/// The directory of skills below an agent's.
pub(crate) const SKILLS: &str = "skills";
/// The skill's directory below an agent's.
pub(crate) const SKILL_DIRECTORY: &str = "skills/session-search";
const SKILL_FILE: &str = "SKILL.md";

/// One location of the skill: an agent, and the user's configuration or a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillLocation {
    /// The agent that loads it.
    pub agent: Agent,
    /// The project that it belongs to; `None` for the user's own.
    pub project: Option<Project>,
    /// The agent's directory, which holds `skills` and, for OpenCode, `commands`.
    agent_directory: PathBuf,
}

impl SkillLocation {
    /// Returns the location in the user's configuration.
    pub fn for_user(agent: Agent, env: &Env) -> Self {
        Self {
            agent,
            project: None,
            agent_directory: agent.config_directory(env),
        }
    }

    /// Returns the location in a project.
    pub fn for_project(agent: Agent, project: Project) -> Self {
        Self {
            agent,
            agent_directory: project.root().join(agent.project_directory()),
            project: Some(project),
        }
    }

    /// Returns the locations of the user and of a project, each directory once.
    pub fn all(env: &Env, project: Option<&Project>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for agent in Agent::WITH_SKILL {
            let of_project = project.map(|project| Self::for_project(agent, project.clone()));
            for location in [Some(Self::for_user(agent, env)), of_project] {
                all.extend(location.filter(|new| {
                    all.iter()
                        .all(|old| old.agent_directory != new.agent_directory)
                }));
            }
        }
        all
    }

    /// Returns the skill's own directory.
    pub fn directory(&self) -> PathBuf {
        self.agent_directory.join(SKILL_DIRECTORY)
    }

    /// Names the skill's first file, whose description an agent always loads.
    pub(crate) fn first_file(&self) -> ConfinedFile {
        self.file(&format!("{SKILL_DIRECTORY}/{SKILL_FILE}"))
    }

    /// Returns true if a skill is installed.
    pub fn has_skill(&self) -> bool {
        self.directory().join(SKILL_FILE).is_file()
    }

    /// Returns the agent's name, and whether the location is a project's.
    pub fn label(&self) -> &'static str {
        match (self.agent, self.project.is_some()) {
            (Agent::Claude, false) => "claude",
            (Agent::Claude, true) => "claude, project",
            (Agent::OpenCode, false) => "opencode",
            (Agent::OpenCode, true) => "opencode, project",
            (Agent::Codex, false) => "codex",
            (Agent::Codex, true) => "codex, project",
        }
    }

    /// Names a file by its path below the agent's directory. In a project no part of that path may
    /// be a link; the user's own `skills` and `commands` may be.
    pub(crate) fn file(&self, name: &str) -> ConfinedFile {
        match (&self.project, name.split_once('/')) {
            (Some(project), _) => {
                let relative = Path::new(self.agent.project_directory()).join(name);
                ConfinedFile::new(project.root(), &relative)
            }
            (None, Some((first, rest))) => {
                ConfinedFile::new(&self.agent_directory.join(first), Path::new(rest))
            }
            (None, None) => ConfinedFile::new(&self.agent_directory, Path::new(name)),
        }
    }
}
