//! The effect of installing or removing the skill on each file.

use crate::error::Result;
use crate::settings_file::SIZE_LIMIT;
use crate::skill_files::bundled_files;
use crate::skill_location::{SKILL_DIRECTORY, SkillLocation};
use crate::skill_manifest::SkillManifest;
use serde::Serialize;
use session_core::diff::{DiffLine, diff_lines};
use session_files::ConfinedFile;
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// Says whether a change of the skill is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// Changes are written.
    Write,
    /// Changes are only reported.
    DryRun,
}

/// The state of a file on disk compared with the one in this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SkillFileState {
    /// It does not exist.
    Absent,
    /// It has the same text.
    Current,
    /// Another version of the program wrote it, and nobody edited it since.
    Older,
    /// Somebody edited it.
    Edited,
    /// Another version of the program wrote it; this one has no such file.
    Obsolete,
}

impl fmt::Display for SkillFileState {
    /// Writes the name that JSON has.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(to)
    }
}

/// A change of the skill's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillAction {
    /// Brings every file to this program's version.
    Install,
    /// Removes every file.
    Uninstall,
}

/// A file of the skill, on disk and in this program.
#[derive(Debug, Clone)]
pub struct SkillFilePlan {
    /// Path below the agent's directory, with `/`.
    pub name: String,
    /// The comparison of the two texts.
    pub state: SkillFileState,
    /// The user agreed that an edited file is replaced or removed. Set by the caller.
    pub overwrite: bool,
    /// Text on disk.
    pub(crate) installed: Option<String>,
    /// Text in this program.
    pub(crate) bundled: Option<String>,
    pub(crate) file: ConfinedFile,
}

impl SkillFilePlan {
    /// Returns the path of the file.
    pub fn path(&self) -> PathBuf {
        self.file.path()
    }

    /// Returns the lines that an installation would change.
    pub fn diff(&self) -> Vec<DiffLine<'_>> {
        let installed = self.installed.as_deref().unwrap_or_default();
        diff_lines(installed, self.bundled.as_deref().unwrap_or_default(), 1)
    }

    fn read(
        location: &SkillLocation,
        manifest: &SkillManifest,
        name: &str,
        bundled: Option<String>,
    ) -> Result<Self> {
        let file = location.file(name);
        let installed = file.read_utf8(SIZE_LIMIT)?;
        let state = match (&installed, &bundled) {
            (None, _) => SkillFileState::Absent,
            (Some(installed), Some(bundled)) if installed == bundled => SkillFileState::Current,
            (Some(installed), bundled) if manifest.is_unedited(name, installed) => match bundled {
                Some(_) => SkillFileState::Older,
                None => SkillFileState::Obsolete,
            },
            _ => SkillFileState::Edited,
        };
        Ok(Self {
            name: name.to_owned(),
            state,
            overwrite: false,
            installed,
            bundled,
            file,
        })
    }
}

/// The skill's files in one location, compared with this program's. Nothing is written before
/// [`SkillPlan::apply`].
#[derive(Debug, Clone)]
pub struct SkillPlan {
    /// The location.
    pub location: SkillLocation,
    /// Every file that exists or would be written.
    pub files: Vec<SkillFilePlan>,
    pub(crate) manifest: SkillManifest,
}

impl SkillPlan {
    /// Lists the files outside of the skill's directory: the command of OpenCode.
    pub fn outside_paths(&self) -> Vec<PathBuf> {
        let directory = self.location.directory();
        let paths = self.files.iter().map(SkillFilePlan::path);
        paths.filter(|path| !path.starts_with(&directory)).collect()
    }

    /// Reads the files of a location.
    ///
    /// # Errors
    /// When a file cannot be read, or a link leads to it.
    pub fn read(location: SkillLocation) -> Result<Self> {
        let manifest = SkillManifest::read(&location);
        Self::with_manifest(location, manifest)
    }

    pub(crate) fn with_manifest(location: SkillLocation, manifest: SkillManifest) -> Result<Self> {
        let keywords = manifest.keywords.as_deref().unwrap_or_default();
        let mut files = Vec::new();
        for bundled in bundled_files(location.agent, keywords) {
            let text = Some(bundled.text);
            files.push(SkillFilePlan::read(
                &location,
                &manifest,
                bundled.name,
                text,
            )?);
        }
        let bundled: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
        for name in manifest.files.keys() {
            if !bundled.contains(name) && is_in_skill(name) {
                files.push(SkillFilePlan::read(&location, &manifest, name, None)?);
            }
        }
        files.retain(|file| file.installed.is_some() || file.bundled.is_some());
        Ok(Self {
            location,
            files,
            manifest,
        })
    }

    /// Returns true if at least one file exists.
    pub fn is_installed(&self) -> bool {
        self.files.iter().any(|file| file.installed.is_some())
    }

    /// Returns true if every file has this program's text.
    pub fn is_current(&self) -> bool {
        let states = self.files.iter().map(|file| file.state);
        states
            .into_iter()
            .all(|state| state == SkillFileState::Current)
    }

    /// Iterates over the edited files, which an action touches only if `overwrite` is set for them.
    pub fn edited_files(&mut self) -> impl Iterator<Item = &mut SkillFilePlan> {
        let files = self.files.iter_mut();
        files.filter(|file| file.state == SkillFileState::Edited)
    }
}

/// Returns true for a path inside the skill's directory. A project's manifest may name anything.
fn is_in_skill(name: &str) -> bool {
    let is_normal = |part| matches!(part, Component::Normal(_));
    let inside = name.strip_prefix(SKILL_DIRECTORY);
    inside.is_some_and(|rest| rest.starts_with('/')) && Path::new(name).components().all(is_normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_only_files_of_the_skill() {
        assert!(is_in_skill("skills/session-search/references/json.md"));
        for name in [
            "/etc/passwd",
            "skills/session-search/../x",
            "skills/session-search-x/y",
            "settings.json",
            "../x",
        ] {
            assert!(!is_in_skill(name), "{name}");
        }
    }
}
