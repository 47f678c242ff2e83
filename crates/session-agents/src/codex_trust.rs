//! Codex' record of the hooks that its user trusts: `[hooks.state."<file>:<event>:<group>:<hook>"]` in `config.toml`.

use crate::agent::Agent;
use crate::hook_event::HookEvent;
use crate::hook_invocation::{HookInvocation, HookShell};
use crate::hook_settings::HOOKS;
use crate::settings_file::{SIZE_LIMIT, SettingsFile};
use serde_json::Value;
use session_core::text::to_snake_case;
use session_files::ConfinedFile;
use session_sources::Env;
use toml_edit::{DocumentMut, Item};

/// Returns true if Codex' configuration trusts each of our hooks in a file. That a hook was changed since, which makes
/// Codex ask again, is not told: its hash is Codex' own.
pub(crate) fn trusts_hooks_of(hooks: &SettingsFile, env: &Env) -> bool {
    let config = Agent::Codex.config_directory(env).join("config.toml");
    let text = ConfinedFile::for_user(&config).and_then(|file| file.read_utf8(SIZE_LIMIT));
    let text = text.ok().flatten().unwrap_or_default();
    let document: DocumentMut = text.parse().unwrap_or_default();
    let states = document.get("hooks").and_then(|hooks| hooks.get("state"));
    let states = states.and_then(Item::as_table_like);
    let path = hooks.path();
    let real = fs_err::canonicalize(&path).unwrap_or_else(|_| path.clone());
    let is_trusted = |end: &String| {
        let keys = [&path, &real].map(|path| path.to_string_lossy() + end.as_str());
        keys.iter().any(|key| {
            let state = states.and_then(|states| states.get(key));
            state.is_some_and(|state| state.get("trusted_hash").is_some())
        })
    };
    let text = hooks.read().ok().flatten().unwrap_or_default();
    list_own_keys(&text).iter().all(is_trusted)
}

/// Lists the ends of the keys of our hooks: `:session_start:0:0`.
fn list_own_keys(hooks: &str) -> Vec<String> {
    let hooks: Value = serde_json::from_str(hooks).unwrap_or_default();
    let shell = HookShell::for_agent(Agent::Codex);
    let mut keys = Vec::new();
    for event in HookEvent::ALL {
        let groups = hooks[HOOKS][event.name()].as_array();
        for (group_index, group) in groups.into_iter().flatten().enumerate() {
            let hooks = group[HOOKS].as_array().into_iter().flatten().enumerate();
            let own = hooks.filter(|(_, hook)| HookInvocation::read(hook, shell).is_some());
            let event = to_snake_case(event.name());
            keys.extend(own.map(|(index, _)| format!(":{event}:{group_index}:{index}")));
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Returns whether our hooks, the second ones of their events in the home of a user, are trusted by a configuration.
    fn is_trusted(home: &Path, config: Option<&str>) -> bool {
        let env = Env::with_home(home);
        let (other, own) = (
            r#"{"hooks": [{"type": "command", "command": "other"}]}"#,
            r#"{"hooks": [{"type": "command", "command": "/bin/session-search hook run"}]}"#,
        );
        let hooks =
            format!(r#"{{"hooks": {{"SessionStart": [{other}, {own}], "PreToolUse": [{own}]}}}}"#);
        fs_err::create_dir_all(home.join(".codex")).unwrap();
        fs_err::write(home.join(".codex/hooks.json"), hooks).unwrap();
        if let Some(config) = config {
            fs_err::write(home.join(".codex/config.toml"), config).unwrap();
        }
        trusts_hooks_of(&SettingsFile::for_codex(&env, None).unwrap(), &env)
    }

    #[test]
    fn each_of_our_hooks_is_trusted_by_its_position() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path();
        let hash = "trusted_hash = \"sha256:00\"";
        let path = home.join(".codex/hooks.json").display().to_string();
        // A literal string: the path may have backslashes.
        let state =
            |path: &str, key: &str, value: &str| format!("[hooks.state.'{path}:{key}']\n{value}\n");
        let tool = state(&path, "pre_tool_use:0:0", hash);
        let with_tool = |start: String| is_trusted(home, Some(&(start + &tool)));
        assert!(!is_trusted(home, None), "there is no configuration");
        assert!(with_tool(state(&path, "session_start:1:0", hash)));
        let other = state(&path, "session_start:0:0", hash);
        assert!(!with_tool(other), "the other hook of the event");
        let unanswered = state(&path, "session_start:1:0", "enabled = true");
        assert!(!with_tool(unanswered));
        let elsewhere = state("/srv/.codex/hooks.json", "session_start:1:0", hash);
        assert!(!with_tool(elsewhere));
        let start = state(&path, "session_start:1:0", hash);
        assert!(!is_trusted(home, Some(&start)), "one of two");
        assert!(!is_trusted(home, Some("model = \"x\"\n")) && !is_trusted(home, Some("[")));
    }
}
