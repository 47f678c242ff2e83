//! The agents that the skill is installed for, and their directories.

use session_sources::Env;
use std::path::PathBuf;

/// An agent that loads skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// OpenCode.
    OpenCode,
}

impl Agent {
    /// Every agent.
    pub const ALL: [Self; 2] = [Self::Claude, Self::OpenCode];

    /// Returns the name of the agent's directory in a project.
    pub fn project_directory(self) -> &'static str {
        match self {
            Self::Claude => ".claude",
            Self::OpenCode => ".opencode",
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
        }
    }
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
