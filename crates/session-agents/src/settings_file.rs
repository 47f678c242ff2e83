//! Claude Code's settings files, Codex' files of hooks, and changes to agents' files that are shown before they are written.

use crate::agent::Agent;
use crate::error::{AgentError, Result, SettingsError, SettingsResult};
use crate::hook_invocation::HookShell;
use session_core::diff::{DiffLine, diff_lines};
use session_files::{ConfinedFile, FileError, Project};
use session_sources::Env;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FILE_NAME: &str = "settings.json";
/// The user's own settings in a project, which git ignores.
const LOCAL_FILE_NAME: &str = "settings.local.json";
const CODEX_HOOKS: &str = "hooks.json";
/// Most bytes of an agent's file or of a file of the skill.
pub(crate) const SIZE_LIMIT: u64 = 8 << 20;
/// The longest time that a change waits for another one to be written.
pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// A settings file of Claude Code or a file of Codex' hooks, the user's own or a project's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    file: ConfinedFile,
    /// The agent whose file it is.
    agent: Agent,
}

impl SettingsFile {
    /// Names the user's settings, whether they exist or not.
    ///
    /// # Errors
    /// When the path has no file name.
    pub fn for_user(env: &Env) -> Result<Self> {
        let path = Agent::Claude.config_directory(env).join(FILE_NAME);
        let file = ConfinedFile::for_user(&path)?;
        let agent = Agent::Claude;
        Ok(Self { file, agent })
    }

    /// Names the settings of a project, whether they exist or not.
    pub fn for_project(project: &Project) -> Self {
        Self::in_project(project, FILE_NAME)
    }

    /// Names the settings that the user alone has in a project, whether they exist or not.
    pub fn for_user_in(project: &Project) -> Self {
        Self::in_project(project, LOCAL_FILE_NAME)
    }

    fn in_project(project: &Project, name: &str) -> Self {
        let agent = Agent::Claude;
        let relative = Path::new(agent.project_directory()).join(name);
        let file = ConfinedFile::new(project.root(), &relative);
        Self { file, agent }
    }

    /// Names the file of Codex' hooks, the user's or that of a project.
    pub(crate) fn for_codex(env: &Env, project: Option<&Project>) -> Result<Self> {
        let file = match project {
            None => {
                let path = Agent::Codex.config_directory(env).join(CODEX_HOOKS);
                ConfinedFile::for_user(&path)?
            }
            Some(project) => {
                let relative = Path::new(Agent::Codex.project_directory()).join(CODEX_HOOKS);
                ConfinedFile::new(project.root(), &relative)
            }
        };
        let agent = Agent::Codex;
        Ok(Self { file, agent })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        self.file.path()
    }

    /// Returns the agent whose file it is.
    pub(crate) fn agent(&self) -> Agent {
        self.agent
    }

    /// Returns how the agent runs the commands of hooks.
    pub(crate) fn hook_shell(&self) -> HookShell {
        HookShell::for_agent(self.agent)
    }

    /// Reads the text; `None` if there is no file.
    pub(crate) fn read(&self) -> Result<Option<String>> {
        Ok(self.file.read_utf8(SIZE_LIMIT)?)
    }

    /// Plans to take back a change, as [`SettingsChange::plan_undo`].
    pub(crate) fn plan_undo(
        &self,
        remove: impl Fn(&str) -> SettingsResult<String>,
        add: impl Fn(&str) -> SettingsResult<String>,
    ) -> Result<SettingsChange> {
        SettingsChange::plan_undo(&self.file, remove, add)
    }

    /// Plans a change of the text; a missing file is an empty text.
    pub(crate) fn plan(
        &self,
        edit: impl FnOnce(&str) -> std::result::Result<String, SettingsError>,
    ) -> Result<SettingsChange> {
        SettingsChange::plan(&self.file, edit)
    }

    pub(crate) fn error(&self, reason: SettingsError) -> AgentError {
        AgentError::Settings {
            path: self.path(),
            reason,
        }
    }
}

/// A change to a file of an agent that is not written yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsChange {
    file: ConfinedFile,
    old: Option<String>,
    new: String,
    /// Nothing is left of the file, and it was not there before this program wrote it.
    is_removal: bool,
    /// The name of the file's content, where all of it is this program's.
    own_content: Option<&'static str>,
    /// The old text holds nothing but what this program wrote.
    is_old_own: bool,
}

impl SettingsChange {
    /// Plans a change of a file's text; a missing file is an empty text.
    pub(crate) fn plan(
        file: &ConfinedFile,
        edit: impl FnOnce(&str) -> std::result::Result<String, SettingsError>,
    ) -> Result<Self> {
        let old = file.read_utf8(SIZE_LIMIT)?;
        let new = edit(old.as_deref().unwrap_or_default());
        let new = new.map_err(|reason| AgentError::Settings {
            path: file.path(),
            reason,
        })?;
        Ok(Self {
            file: file.clone(),
            old,
            is_removal: new.is_empty(),
            own_content: None,
            is_old_own: false,
            new,
        })
    }

    /// Plans to take back what `add` put into a file's text. Where the file is as `add` left it, the text of
    /// before comes back to the byte; else `remove` leaves what was changed since.
    pub(crate) fn plan_undo(
        file: &ConfinedFile,
        remove: impl Fn(&str) -> SettingsResult<String>,
        add: impl Fn(&str) -> SettingsResult<String>,
    ) -> Result<Self> {
        let mut change = Self::plan(file, &remove)?;
        if change.is_noop() {
            return Ok(change);
        }
        let is_original = |text: &String| {
            remove(text).is_ok_and(|rest| rest == *text) && add(text).ok() == change.old
        };
        let mut kept = file.read_backups(SIZE_LIMIT).unwrap_or_default();
        let was_empty_file = kept.iter().any(String::is_empty);
        kept.push(String::new());
        if let Some(original) = kept.into_iter().find(is_original) {
            change.new = original;
        }
        change.is_removal = change.new.is_empty() && !was_empty_file;
        Ok(change)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        self.file.path()
    }

    /// Returns true if there is nothing to write.
    pub fn is_noop(&self) -> bool {
        match &self.old {
            Some(old) => *old == self.new,
            None => self.new.trim().is_empty(),
        }
    }

    /// Says that the whole file is this program's, and what it is.
    #[must_use]
    pub(crate) fn with_own_content(self, name: &'static str) -> Self {
        Self {
            own_content: Some(name),
            ..self
        }
    }

    /// Says that the old text holds nothing but what this program wrote: it is not kept.
    #[must_use]
    pub fn without_backup(self) -> Self {
        Self {
            is_old_own: true,
            ..self
        }
    }

    /// Returns what is written or removed, where that is a whole file of this program's: its lines tell nobody anything.
    pub fn summary(&self) -> Option<String> {
        let name = self.own_content?;
        let old = self.old.as_deref().unwrap_or_default();
        let text = match (old.is_empty(), self.new.is_empty()) {
            (true, _) => &self.new,
            (_, true) => old,
            (false, false) => return None,
        };
        Some(format!("{name}, {} lines", text.lines().count()))
    }

    /// Returns the lines that would change.
    pub fn diff(&self) -> Vec<DiffLine<'_>> {
        diff_lines(self.old.as_deref().unwrap_or_default(), &self.new, 1)
    }

    /// Writes the new text, after the old one was copied to a backup; returns the backup's path. A
    /// file of which nothing is left is removed, unless it was empty before. What was this program's alone has no backup.
    ///
    /// # Errors
    /// When either file cannot be written, or another program has changed the file since it was read.
    pub fn write(&self) -> Result<Option<PathBuf>> {
        let _lock = self.file.lock(LOCK_TIMEOUT)?;
        if self.file.read_utf8(SIZE_LIMIT)? != self.old {
            return Err(FileError::Changed(self.path()).into());
        }
        let old = self.old.as_deref();
        let kept = old.filter(|_| !self.is_removal && !self.is_old_own);
        let backup = kept.map(|old| self.file.back_up(old));
        let backup = backup.transpose()?;
        if self.is_removal {
            self.file.remove()?;
            if self.own_content.is_some() {
                let _ = self.file.remove_empty_directory();
            }
        } else {
            self.file.replace(old, &self.new, SIZE_LIMIT)?
        }
        Ok(backup)
    }
}
