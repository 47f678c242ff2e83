//! This program's plugin in OpenCode, by which it has the hook.

use crate::agent::Agent;
use crate::error::{Result, SettingsError, SettingsResult};
use crate::settings_file::{SIZE_LIMIT, SettingsChange};
use session_files::{ConfinedFile, Project};
use session_sources::Env;
use std::path::{Path, PathBuf};

/// OpenCode loads every file of this folder.
const FILE: &str = "plugins/session-search.js";
/// The text that is shown in place of the file.
const CONTENT: &str = "the plugin with the hook";
const PLUGIN: &str = include_str!("../../../skill/opencode/session-search.js");
/// The line of the plugin that names the program, without it.
const PROGRAM: &str = "const PROGRAM = ";
const PROGRAM_LINE: &str = "const PROGRAM = \"session-search\"\n";

/// The plugin's file, the user's own or a project's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenCodePlugin {
    file: ConfinedFile,
}

impl OpenCodePlugin {
    /// Names the file, whether it exists or not.
    ///
    /// # Errors
    /// When the path has no file name.
    pub(crate) fn new(env: &Env, project: Option<&Project>) -> Result<Self> {
        let file = match project {
            None => ConfinedFile::for_user(&Agent::OpenCode.config_directory(env).join(FILE))?,
            Some(project) => {
                let relative = Path::new(Agent::OpenCode.project_directory()).join(FILE);
                ConfinedFile::new(project.root(), &relative)
            }
        };
        Ok(Self { file })
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> PathBuf {
        self.file.path()
    }

    /// Reads which program the plugin runs; `None` if there is no plugin, or another one's.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn program(&self) -> Result<Option<String>> {
        let text = self.file.read_utf8(SIZE_LIMIT)?.unwrap_or_default();
        Ok(find_program(&text))
    }

    /// Plans to write the plugin for a program.
    ///
    /// # Errors
    /// When the file cannot be read, or is not this program's.
    pub(crate) fn plan(&self, program: &Path) -> Result<SettingsChange> {
        self.plan_change(|text| write_plugin(text, program))
    }

    /// Plans to remove the plugin; another one's stays.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn plan_removal(&self) -> Result<SettingsChange> {
        self.plan_change(|text| {
            Ok(match find_program(text) {
                Some(_) => String::new(),
                None => text.to_owned(),
            })
        })
    }

    fn plan_change(
        &self,
        change: impl FnOnce(&str) -> SettingsResult<String>,
    ) -> Result<SettingsChange> {
        Ok(SettingsChange::plan(&self.file, change)?.with_own_content(CONTENT))
    }
}

fn write_plugin(old: &str, program: &Path) -> SettingsResult<String> {
    if !old.trim().is_empty() && find_program(old).is_none() {
        return Err(SettingsError::OtherPlugin);
    }
    let program = serde_json::Value::from(program.to_string_lossy());
    Ok(PLUGIN.replacen(PROGRAM_LINE, &format!("{PROGRAM}{program}\n"), 1))
}

/// Returns the program of a plugin that has the first line of ours.
fn find_program(text: &str) -> Option<String> {
    let mut lines = text.lines();
    if lines.next() != PLUGIN.lines().next() {
        return None;
    }
    let program = lines.find_map(|line| line.strip_prefix(PROGRAM))?;
    serde_json::from_str(program).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_names_its_program() {
        let old = write_plugin("", Path::new("/old/session-search")).unwrap();
        let new = write_plugin(&old, Path::new("/my \"apps\"/session-search")).unwrap();
        let found = find_program(&new);
        assert_eq!(found.as_deref(), Some("/my \"apps\"/session-search"));
        assert_eq!(new.matches(PROGRAM).count(), 1);
        assert_eq!(find_program(PLUGIN).as_deref(), Some("session-search"));
    }

    #[test]
    fn a_plugin_of_somebody_else_is_left_alone() {
        let other = format!("export const Mine = 1\n{PROGRAM_LINE}");
        let refused = write_plugin(&other, Path::new("/opt/session-search"));
        assert!(matches!(refused, Err(SettingsError::OtherPlugin)));
        assert_eq!(find_program(&other), None);
    }
}
