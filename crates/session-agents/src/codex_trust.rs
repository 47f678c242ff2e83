//! Codex' record of the hooks that its user trusts: `[hooks.state."<file>:<event>:<group>:<hook>"]` in `config.toml`.

use crate::agent::Agent;
use crate::settings_file::SIZE_LIMIT;
use session_files::ConfinedFile;
use session_sources::Env;
use std::path::Path;
use toml_edit::{DocumentMut, Item};

/// Returns true where Codex' configuration trusts a hook of a file. That the hook was changed since, which makes Codex
/// ask again, is not told: its hash is Codex' own.
pub(crate) fn trusts_hooks_of(hooks: &Path, env: &Env) -> bool {
    let config = Agent::Codex.config_directory(env).join("config.toml");
    let text = ConfinedFile::for_user(&config).and_then(|file| file.read_utf8(SIZE_LIMIT));
    let text = text.ok().flatten().unwrap_or_default();
    let document: DocumentMut = text.parse().unwrap_or_default();
    let states = document.get("hooks").and_then(|hooks| hooks.get("state"));
    let states = states.and_then(Item::as_table_like);
    let real = fs_err::canonicalize(hooks).unwrap_or_default();
    let is_of_file = |key: &str| {
        let mut paths = [hooks, &real].into_iter();
        paths.any(|path| is_key_of(key, &path.to_string_lossy()))
    };
    states.is_some_and(|states| {
        let mut states = states.iter();
        states.any(|(key, state)| is_of_file(key) && state.get("trusted_hash").is_some())
    })
}

fn is_key_of(key: &str, path: &str) -> bool {
    let rest = key.strip_prefix(path).filter(|_| !path.is_empty());
    rest.is_some_and(|rest| rest.starts_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_trusted_by_the_path_of_its_file() {
        let home = tempfile::tempdir().unwrap();
        let env = Env::with_home(home.path());
        let hooks = home.path().join(".codex/hooks.json");
        let is_trusted = |config: &str| {
            fs_err::create_dir_all(home.path().join(".codex")).unwrap();
            fs_err::write(home.path().join(".codex/config.toml"), config).unwrap();
            trusts_hooks_of(&hooks, &env)
        };
        let state = |path: &str, value: &str| {
            format!("[hooks.state.\"{path}:session_start:0:0\"]\n{value}\n")
        };
        let path = hooks.display().to_string();
        assert!(!trusts_hooks_of(&hooks, &env), "there is no configuration");
        assert!(is_trusted(&state(&path, "trusted_hash = \"sha256:00\"")));
        assert!(!is_trusted(&state(&path, "enabled = true")));
        let other = state("/srv/.codex/hooks.json", "trusted_hash = \"sha256:00\"");
        assert!(!is_trusted(&other) && !is_trusted("model = \"x\"\n") && !is_trusted("["));
    }
}
