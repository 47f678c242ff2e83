//! The variables that name a path, and what is opened below it. A path is judged by all of this: a clone may have the
//! name of a folder that is opened below the one above it.

use session_files::{UserDirectoryKind, user_directory};
use session_models::ENV_FILE;
use session_sources::{AgentInfo, agents};
use std::path::{Path, PathBuf};

/// A variable that names a path or an address, beside those of the agents.
struct PathVariable {
    name: &'static str,
    /// The folders that are opened below it, beside those of an agent that has the variable, too.
    opened: &'static [&'static str],
}

const PATHS: &[PathVariable] = &[
    PathVariable {
        name: "SESSION_SEARCH_CONFIG",
        opened: &["models"],
    },
    PathVariable {
        name: "SESSION_SEARCH_HOME",
        opened: &["injection", "memories", "queries", "vectors"],
    },
    PathVariable {
        name: "XDG_CONFIG_HOME",
        opened: &[
            "session-search",
            "session-search/models",
            "opencode",
            "Cursor/User",
        ],
    },
    PathVariable {
        name: "XDG_DATA_HOME",
        opened: &[
            "session-search",
            "session-search/memories",
            "session-search/models",
        ],
    },
    PathVariable {
        name: "XDG_CACHE_HOME",
        opened: &["session-search"],
    },
    PathVariable {
        name: "XDG_STATE_HOME",
        opened: &["session-search"],
    },
    #[cfg(windows)]
    PathVariable {
        name: "LOCALAPPDATA",
        opened: &[
            "session-search",
            "session-search/config",
            "session-search/data",
            "session-search/cache",
        ],
    },
    PathVariable {
        name: "HF_HOME",
        opened: &["hub"],
    },
    PathVariable {
        name: "HF_HUB_CACHE",
        opened: &[],
    },
    PathVariable {
        name: "HF_ENDPOINT",
        opened: &[],
    },
];

/// Folders below a home folder that are opened, beside those of this program and of the agents' sessions.
const IN_HOME: [&str; 2] = [".config/opencode", ".claude/data/session-search"];

/// Returns the names of the variables that name a path or an address, each once.
pub(crate) fn path_variables() -> impl Iterator<Item = &'static str> {
    let own = PATHS.iter().map(|variable| variable.name);
    let of_agents = agents().flat_map(|agent| agent.variables).copied();
    let is_own = |name: &str| PATHS.iter().any(|variable| variable.name == name);
    own.chain(of_agents.filter(move |name| !is_own(name)))
}

/// Returns the mark of a project that the directory which a variable names may have as its own.
pub(crate) fn own_mark(name: &str, named: &Path) -> PathBuf {
    let mut agents = agents();
    match agents.find(|agent| agent.variables.contains(&name)) {
        // The directory of an agent may have the name of a mark: `CODEX_HOME=/srv/account/.codex`.
        Some(agent) if agent.variables.first() == Some(&name) => {
            named.join(agent.folder_in_variable)
        }
        Some(_) => named.to_owned(),
        None => named.join(ENV_FILE),
    }
}

/// Returns the settings of an agent below the path that a variable names which have the name of a project's mark.
pub(crate) fn own_settings(name: &str) -> Option<&'static str> {
    (name == "XDG_CONFIG_HOME").then_some("opencode/opencode.json")
}

/// Returns the folders that are opened below the path that a variable names, from there on.
pub(crate) fn opened_folders(name: &str) -> Vec<PathBuf> {
    let own = PATHS.iter().filter(|variable| variable.name == name);
    let own = own.flat_map(|variable| variable.opened).map(PathBuf::from);
    let agents = agents().filter(|agent| agent.variables.first() == Some(&name));
    own.chain(agents.flat_map(AgentInfo::folders_in_variable))
        .collect()
}

/// Returns the folders that are opened below a home folder, from there on.
pub(crate) fn opened_in_home() -> Vec<PathBuf> {
    use UserDirectoryKind::{Cache, Config, Data};
    let own = [Config, Data, Cache].map(|kind| user_directory(kind, Path::new(""), |_| None));
    let others = IN_HOME.map(PathBuf::from);
    let of_agents = agents().flat_map(AgentInfo::folders_in_home);
    own.into_iter().chain(others).chain(of_agents).collect()
}

/// Returns true for a variable that names the folder of sessions itself, and not one in which a folder of an agent lies.
pub(crate) fn names_session_folder(name: &str) -> bool {
    name == "PI_CODING_AGENT_SESSION_DIR"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A variable that is added needs the folders below it, unless it names a file or the last folder itself.
    #[test]
    fn the_folders_below_each_variable_are_known() {
        let without = ["HF_HUB_CACHE", "HF_ENDPOINT", "OPENCODE_DB"];
        for name in path_variables() {
            let is_last = without.contains(&name) || names_session_folder(name);
            assert_eq!(opened_folders(name).is_empty(), is_last, "{name}");
        }
        for agent in agents().filter(|agent| !agent.variables.is_empty()) {
            assert!(agent.folders_in_variable().count() > 1, "{}", agent.name);
        }
    }

    #[test]
    fn the_folders_of_an_agent_and_of_this_program_are_opened() {
        let opened = |name: &str, folder: &str| opened_folders(name).contains(&folder.into());
        assert!(opened("XDG_DATA_HOME", "session-search") && opened("XDG_DATA_HOME", "opencode"));
        assert!(opened("CODEX_HOME", "archived_sessions"));
        assert!(opened("GEMINI_CLI_HOME", ".gemini/tmp"));
        let in_home = opened_in_home();
        for folder in [".claude/projects", ".config/Cursor/User", ".pi/agent"] {
            assert!(in_home.contains(&folder.into()), "{folder}");
        }
        assert!(in_home.iter().all(|folder| folder.is_relative()));
    }
}
