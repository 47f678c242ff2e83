//! The plugin of this program in Claude Code, which brings the skill, the hook and the MCP server.

use crate::agent::Agent;
use crate::error::Result;
use crate::settings_file::SettingsFile;
use crate::skill_location::SkillLocation;
use serde_json::Value;
use session_sources::Env;

/// The plugin's name before the `@` and the name of its marketplace.
const PLUGIN: &str = "session-search@";

impl SettingsFile {
    /// Reads the full name of the plugin, where these settings enable it. Settings that cannot be
    /// parsed enable none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn enabled_plugin(&self) -> Result<Option<String>> {
        Ok(find_plugin(&self.read()?.unwrap_or_default()))
    }
}

/// Returns true if the user's own skill is installed for Claude Code. Beside a plugin it is a second copy,
/// whose description each session reads again.
pub fn has_user_skill(env: &Env) -> bool {
    SkillLocation::for_user(Agent::Claude, env).has_skill()
}

fn find_plugin(text: &str) -> Option<String> {
    let settings: Value = serde_json::from_str(text).ok()?;
    let plugins = settings["enabledPlugins"].as_object()?;
    let mut enabled = plugins
        .iter()
        .filter(|(_, is_enabled)| **is_enabled == true);
    let found = enabled.find(|(name, _)| name.starts_with(PLUGIN));
    found.map(|(name, _)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_is_found_where_it_is_enabled() {
        let settings = |plugins: &str| format!("{{\"enabledPlugins\": {plugins}}}");
        let find = |plugins: &str| find_plugin(&settings(plugins));
        let found = find("{\"a@b\": true, \"session-search@tools\": true}");
        assert_eq!(found.as_deref(), Some("session-search@tools"));
        for none in [
            "{\"session-search@tools\": false}",
            "{\"session-search-x@tools\": true}",
            "[\"session-search@tools\"]",
        ] {
            assert_eq!(find(none), None, "{none}");
        }
        assert_eq!(find_plugin("{"), None);
    }
}
