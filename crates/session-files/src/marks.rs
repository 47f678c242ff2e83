//! The names of entries by which a folder is known as a project, whose files a stranger may have written.

use crate::project::{AGENT_DIRECTORY, REPOSITORY};

/// The entries that mark a repository, and a project of an agent.
pub const ROOT_MARKS: [&str; 2] = [REPOSITORY, AGENT_DIRECTORY];

/// Files and folders by which a project sets variables: of direnv and its like, and the settings of agents and editors.
pub const SETTING_MARKS: [&str; 17] = [
    ".envrc",
    ".env",
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    "flake.nix",
    "devenv.nix",
    ".codex",
    ".opencode",
    "opencode.json",
    ".gemini",
    ".cursor",
    ".vscode",
    ".zed",
    ".idea",
    ".devcontainer",
    ".mcp.json",
];

/// The extension of the workspace files by which Visual Studio Code sets variables.
const WORKSPACE: &str = ".code-workspace";

/// Returns true for the name of a workspace file.
pub fn is_workspace(name: &str) -> bool {
    name.ends_with(WORKSPACE)
}

/// Returns true for the name of an entry that marks its folder as a project.
pub fn is_project_mark(name: &str) -> bool {
    ROOT_MARKS.contains(&name) || SETTING_MARKS.contains(&name) || is_workspace(name)
}
