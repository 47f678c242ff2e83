//! The agents that this program is installed into, and their directories.

use crate::merged_settings::MergedSettings;
use crate::skill_location::SKILL_DIRECTORY;
use session_sources::Env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The note for a user of Codex after its hook was installed.
const CODEX_TRUST: &str =
    "Codex runs a hook once you trust it: it asks when it starts, and by /hooks.";

/// The directory in Claude Code's that holds memories for all projects.
const OWN_DATA: &str = "data";
/// A file that the Finder leaves in a directory.
const FINDER_FILE: &str = ".DS_Store";

/// An agent that can use this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// OpenCode.
    OpenCode,
    /// Codex.
    Codex,
}

impl Agent {
    /// Every agent.
    pub const ALL: [Self; 3] = [Self::Claude, Self::OpenCode, Self::Codex];
    /// The agents that get the skill. Codex gets a paragraph in its instructions instead.
    pub const WITH_SKILL: [Self; 2] = [Self::Claude, Self::OpenCode];

    /// Returns the agent's name in arguments and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::OpenCode => "opencode",
            Self::Codex => "codex",
        }
    }

    /// Returns the agent with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// Returns the agent's name as its makers write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::OpenCode => "OpenCode",
            Self::Codex => "Codex",
        }
    }

    /// Returns true for an agent that gets the skill.
    pub fn takes_skill(self) -> bool {
        Self::WITH_SKILL.contains(&self)
    }

    /// Returns true if a hook answers the events that are chosen. A plugin answers all.
    pub fn has_chosen_events(self) -> bool {
        self != Self::OpenCode
    }

    /// Returns true for the agent that merges the settings of the user, of a project, and of the user in a project.
    pub fn merges_settings(self) -> bool {
        self == MergedSettings::AGENT
    }

    /// Returns the note on a hook that was written; `None` if it works at once.
    pub fn hook_note(self) -> Option<&'static str> {
        (self == Self::Codex).then_some(CODEX_TRUST)
    }

    /// Returns true if the agent has a directory in the user's configuration. A directory that holds only this
    /// program's memories and skill does not count.
    pub fn is_present(self, env: &Env) -> bool {
        let directory = self.config_directory(env);
        directory.is_dir() && !(self == Self::Claude && holds_own_files_alone(&directory))
    }

    /// Returns the agent that is meant where none is named: the only one that is present, else Claude Code.
    pub fn default_for(env: &Env) -> Self {
        let mut present = Self::ALL.into_iter().filter(|agent| agent.is_present(env));
        match (present.next(), present.next()) {
            (Some(only), None) => only,
            _ => Self::Claude,
        }
    }

    /// Returns the name of the agent's directory in a project.
    pub(crate) fn project_directory(self) -> &'static str {
        match self {
            Self::Claude => ".claude",
            Self::OpenCode => ".opencode",
            Self::Codex => ".codex",
        }
    }

    /// Returns the agent's directory in the user's configuration, whether it exists or not.
    pub fn config_directory(self, env: &Env) -> PathBuf {
        match self {
            Self::Claude => claude_directory(env),
            Self::OpenCode => match env.get("XDG_CONFIG_HOME") {
                Some(config) => env.path(config).join("opencode"),
                None => env.home.join(".config/opencode"),
            },
            Self::Codex => match env.get("CODEX_HOME") {
                Some(directory) => env.path(directory),
                None => env.home.join(".codex"),
            },
        }
    }
}

fn holds_own_files_alone(directory: &Path) -> bool {
    let (skills, skill) = SKILL_DIRECTORY.split_once('/').unwrap_or_default();
    let is_skill = || holds_alone(&directory.join(skills), |name| name == skill);
    holds_alone(directory, |name| {
        name == OWN_DATA || name == skills && is_skill()
    })
}

/// Returns true for a directory that is not empty, and whose entries are own or left by the Finder.
fn holds_alone(directory: &Path, is_own: impl Fn(&OsStr) -> bool) -> bool {
    let entries = fs_err::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    let names: Vec<OsString> = names.filter(|name| name != FINDER_FILE).collect();
    !names.is_empty() && names.iter().all(|name| is_own(name))
}

/// Returns the first directory that `CLAUDE_CONFIG_DIR` lists, else `~/.claude`.
fn claude_directory(env: &Env) -> PathBuf {
    let listed = env
        .get("CLAUDE_CONFIG_DIR")
        .and_then(|list| list.split(',').next());
    match listed.map(str::trim).filter(|path| !path.is_empty()) {
        Some(path) => env.path(path),
        None => env.home.join(".claude"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_that_is_alone_is_meant() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::with_home(home.path());
        let make = |path: &str| fs_err::create_dir_all(home.path().join(path)).unwrap();
        assert_eq!(Agent::default_for(&env), Agent::Claude);
        make(".claude/data/session-search/memories");
        assert!(!Agent::Claude.is_present(&env));
        make(".codex");
        assert_eq!(Agent::default_for(&env), Agent::Codex);
        make(".claude/skills/session-search/references");
        fs_err::write(home.path().join(".claude/.DS_Store"), "").unwrap();
        assert_eq!(Agent::default_for(&env), Agent::Codex);
        make(".claude/skills/other");
        assert!(Agent::Claude.is_present(&env));
        fs_err::remove_dir(home.path().join(".claude/skills/other")).unwrap();
        make(".claude/projects");
        assert!(Agent::Claude.is_present(&env));
        assert_eq!(Agent::default_for(&env), Agent::Claude);
    }
}
