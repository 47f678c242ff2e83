//! The part of the environment that decides what a refresh reads, removes and embeds.

use crate::environment::OWN_PREFIX;
use session_models::{
    ENDPOINT_MAX_TOKENS_VARIABLE, ENDPOINT_MODEL_VARIABLE, ENDPOINT_URL_VARIABLE,
};
use session_sources::{Env, agents};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Variables of directories, with what they name where they are not set. That of the data is one of an agent, too.
const DIRECTORIES: [(&str, &str); 3] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_CACHE_HOME", ".cache"),
    ("LOCALAPPDATA", "AppData/Local"),
];
/// Variables of the model behind an endpoint, but for its key.
const ENDPOINT: [&str; 3] = [
    ENDPOINT_URL_VARIABLE,
    ENDPOINT_MODEL_VARIABLE,
    ENDPOINT_MAX_TOKENS_VARIABLE,
];
/// Parts of the names of variables that set keys of the configuration, but decide nothing about the index.
const HARMLESS: [&str; 3] = ["_INJECT", "_THREADS", "_NICE"];

/// Describes the home and the variables by which one refresh differs from another. A variable that names the
/// default folder is left out: some shells set such variables, and others do not.
///
/// A refresh that starts by itself with a session must have the description of an earlier refresh: a cloned repository can
/// set variables that exclude everything, or that name other histories.
pub fn describe_environment(env: &Env) -> String {
    let mut parts = BTreeSet::from([format!("home={}", env.home.display())]);
    let set = env.vars.iter().filter(|(_, value)| !value.is_empty());
    let deciding = set.filter(|(name, value)| {
        decides_refresh(name) && usual_folder(name, env) != Some(env.path(value))
    });
    parts.extend(deciding.map(|(name, value)| format!("{name}={value}")));
    // No path and no value holds it.
    Vec::from_iter(parts).join("\0")
}

fn decides_refresh(name: &str) -> bool {
    let sets_key = name.starts_with(OWN_PREFIX) && !HARMLESS.iter().any(|part| name.contains(part));
    sets_key
        || ENDPOINT.contains(&name)
        || DIRECTORIES.iter().any(|(variable, _)| *variable == name)
        || agents().any(|agent| agent.variables.contains(&name))
}

/// Returns the folder that a variable names where it is not set, if there is one.
pub(crate) fn usual_folder(name: &str, env: &Env) -> Option<PathBuf> {
    let directory = DIRECTORIES.iter().find(|(variable, _)| *variable == name);
    let of_agent = || agents().find_map(|agent| agent.usual_folder(name, env));
    directory
        .map(|(_, folder)| env.home.join(folder))
        .or_else(of_agent)
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
                // The folder of the agent is none that its variable names, where it is below that one.
                let own = format!("~/{}", agent.folders[0]);
                let names_own =
                    agent.folder_in_variable.is_empty() && agent.variables[0] == *variable;
                assert_eq!(differs(variable, &own), !names_own, "{variable}={own}");
                assert!(differs(variable, &format!("{own},")), "{variable}={own},");
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
            ("SESSION_SEARCH_THREADS", "2"),
            ("EMBEDDINGS_API_KEY", "k"),
            ("CODEX_HOME", "/home/ann/.codex"),
            ("GEMINI_CLI_HOME", "/home/ann"),
            ("XDG_DATA_HOME", "/home/ann/.local/share"),
            ("XDG_CONFIG_HOME", "~/.config"),
            ("LANG", "C"),
        ] {
            assert!(!differs(name, value), "{name}");
        }
    }
}
