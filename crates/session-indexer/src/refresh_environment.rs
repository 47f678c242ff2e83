//! The part of the environment that decides what a refresh reads, removes and embeds.

use session_sources::{Env, agents};
use session_store::{Reader, StoreError};
use std::collections::BTreeSet;

/// Variables of directories. That of the data is one of an agent, too.
const DIRECTORIES: [&str; 3] = ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"];
/// Beginnings of the names of variables that set keys of the configuration.
const SETTINGS: [&str; 2] = ["SESSION_SEARCH_", "EMBEDDINGS_"];
/// The beginning of the names of those among them that are about injection alone.
const INJECTION: &str = "SESSION_SEARCH_INJECT";

/// Returns true where a refresh in this environment does what the last one did. A refresh that nobody asked for, at the
/// start of a session, has to: a cloned repository can set variables that exclude everything, or name other histories.
///
/// # Errors
/// When the database fails.
pub fn has_last_environment(index: &Reader, env: &Env) -> Result<bool, StoreError> {
    index.has_environment(&describe_environment(env))
}

/// Describes the home, the folders of all agents and the variables by which a refresh differs from another one.
pub(crate) fn describe_environment(env: &Env) -> String {
    let mut parts = BTreeSet::from([format!("home={}", env.home.display())]);
    for agent in agents() {
        // By the folders: a variable that names the default one changes nothing.
        let folders = agent.history_folders(env).into_iter();
        parts.extend(folders.map(|folder| format!("{}={}", agent.name, folder.path.display())));
    }
    let set = env.vars.iter().filter(|(_, value)| !value.is_empty());
    let deciding = set.filter(|(name, _)| decides_refresh(name));
    parts.extend(deciding.map(|(name, value)| format!("{name}={value}")));
    // No path and no value holds it.
    Vec::from_iter(parts).join("\0")
}

fn decides_refresh(name: &str) -> bool {
    let mut of_agents = agents().flat_map(|agent| agent.variables.iter().skip(1));
    let sets_key = SETTINGS.iter().any(|prefix| name.starts_with(prefix));
    (sets_key && !name.starts_with(INJECTION))
        || DIRECTORIES.contains(&name)
        || of_agents.any(|variable| *variable == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn what_decides_a_refresh_is_described() {
        let env = || Env::with_home(Path::new("/home/ann"));
        let differs = |name: &str, value: &str| {
            describe_environment(&env().var(name, value)) != describe_environment(&env())
        };
        for agent in agents() {
            for variable in agent.variables {
                assert!(differs(variable, "/srv/elsewhere"), "{variable}");
            }
        }
        for (name, value) in [
            ("SESSION_SEARCH_EXCLUDE_PATTERNS", "[\".\"]"),
            ("SESSION_SEARCH_MODEL", "table"),
            ("SESSION_SEARCH_BACKGROUND", "1"),
            ("SESSION_SEARCH_HOME", "/srv/index"),
            ("EMBEDDINGS_MODEL", "m"),
            ("XDG_CONFIG_HOME", "/srv/config"),
            ("XDG_CACHE_HOME", "/srv/cache"),
        ] {
            assert!(differs(name, value), "{name}");
        }
        for (name, value) in [
            ("SESSION_SEARCH_INJECT", "0"),
            ("SESSION_SEARCH_INJECTION_MIN_SCORE", "0.9"),
            ("SESSION_SEARCH_EXCLUDE_PATTERNS", ""),
            ("CODEX_HOME", "/home/ann/.codex"),
            ("LANG", "C"),
        ] {
            assert!(!differs(name, value), "{name}");
        }
    }
}
