//! The settings files that Claude Code merges.

use crate::agent::Agent;
use crate::error::Result;
use crate::hook_event::HookEvent;
use crate::hook_settings::InstalledHook;
use crate::settings_file::SettingsFile;
use session_files::Project;
use session_sources::Env;
use std::path::{Path, PathBuf};

/// The settings files that Claude Code merges: the user's, a project's, and the user's own in that project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedSettings {
    user: SettingsFile,
    /// Those of the project, the one that wins first.
    project: Vec<SettingsFile>,
}

impl MergedSettings {
    /// The agent that merges its settings.
    pub const AGENT: Agent = Agent::Claude;

    /// Names the files, whether they exist or not.
    ///
    /// # Errors
    /// When a path has no file name.
    pub fn new(env: &Env, project: Option<&Project>) -> Result<Self> {
        let of_project = |project| {
            [
                SettingsFile::for_user_in(project),
                SettingsFile::for_project(project),
            ]
        };
        Ok(Self {
            user: SettingsFile::for_user(env)?,
            project: project.into_iter().flat_map(of_project).collect(),
        })
    }

    /// Names the files that are merged in a directory. A project whose root is not the user's alone has none.
    ///
    /// # Errors
    /// When a path has no file name.
    pub fn for_directory(env: &Env, directory: &Path) -> Result<Self> {
        Self::new(env, Project::find_owned(directory, &env.home).as_ref())
    }

    /// Iterates over the files, those that win first.
    fn files(&self) -> impl Iterator<Item = &SettingsFile> {
        self.project.iter().chain([&self.user])
    }

    /// Reads for which events the hook is installed in any of the files.
    ///
    /// # Errors
    /// When a file cannot be read, or is not a JSON object.
    pub fn installed_hooks(&self) -> Result<Vec<InstalledHook>> {
        let hooks: Result<Vec<_>> = self.files().map(SettingsFile::installed_hooks).collect();
        Ok(hooks?.into_iter().flatten().collect())
    }

    /// Returns true if a file has the hook for an event. A file that cannot be read has none.
    pub fn has_hook(&self, event: HookEvent) -> bool {
        let hooks = self.files().filter_map(|file| file.installed_hooks().ok());
        hooks.flatten().any(|hook| hook.event == event)
    }

    /// Returns the path of the file by which Claude Code runs no hook at all. A file that cannot be read says
    /// nothing.
    pub fn disabling_file(&self) -> Option<PathBuf> {
        let says = |file: &SettingsFile| Some((file.path(), file.disables_hooks().ok()??));
        let (path, is_disabled) = self.files().find_map(says)?;
        is_disabled.then_some(path)
    }

    /// Reads the retention as [`SettingsFile::read_cleanup_period`] does, from the first file that sets it. A
    /// project's file that cannot be read sets none.
    ///
    /// # Errors
    /// When the user's file cannot be read, or is not a JSON object.
    pub fn read_cleanup_period(&self) -> Result<Option<String>> {
        let of_project = self.project.iter().map(SettingsFile::read_cleanup_period);
        match of_project.flatten().flatten().next() {
            Some(period) => Ok(Some(period)),
            None => self.user.read_cleanup_period(),
        }
    }
}
