//! The record of what was installed, which distinguishes an older copy from an edited one.

use crate::error::{AgentError, Result};
use crate::skill_files::{bundled_files, read_keywords};
use crate::skill_location::{SKILL_DIRECTORY, SkillLocation};
use serde::{Deserialize, Serialize};
use session_files::ConfinedFile;
use std::collections::BTreeMap;

const FILE_NAME: &str = ".installed.json";
/// Most bytes of the manifest.
const SIZE_LIMIT: u64 = 1 << 20;

/// The manifest in the skill's directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SkillManifest {
    /// Version of the program that installed the skill.
    pub(crate) version: String,
    /// BLAKE3 hash of each file as it was written, by path below the agent's directory.
    pub(crate) files: BTreeMap<String, String>,
    /// Keywords of saved memories in the description; `None` unless the user chose to have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) keywords: Option<Vec<String>>,
}

impl SkillManifest {
    /// Reads the manifest. A damaged one is empty: then every file that differs counts as edited.
    pub(crate) fn read(location: &SkillLocation) -> Self {
        let mut manifest = Self::read_with_any_keywords(location);
        let keywords = manifest.keywords.as_deref().unwrap_or_default();
        if !are_users_keywords(location, keywords) {
            manifest.keywords = None;
        }
        manifest
    }

    /// Reads the manifest with keywords that may be those of a repository's author.
    pub(crate) fn read_with_any_keywords(location: &SkillLocation) -> Self {
        let text = manifest_file(location).read_text(SIZE_LIMIT).ok().flatten();
        serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default()
    }

    /// Checks that the manifest can be replaced, before anything is written.
    ///
    /// # Errors
    /// When it is a link, not a regular file, or too large.
    pub(crate) fn check_replaceable(location: &SkillLocation) -> Result<()> {
        manifest_file(location).read_text(SIZE_LIMIT)?;
        Ok(())
    }

    /// Returns true for a file that is as it was written.
    pub(crate) fn is_unedited(&self, name: &str, text: &str) -> bool {
        self.files
            .get(name)
            .is_some_and(|hash| *hash == hash_text(text))
    }

    /// Records the text of a file that is installed.
    pub(crate) fn insert(&mut self, name: &str, text: &str) {
        self.files.insert(name.to_owned(), hash_text(text));
    }

    /// Writes the manifest, or removes it where no file is installed.
    ///
    /// # Errors
    /// When the file cannot be written or removed.
    pub(crate) fn write(&self, location: &SkillLocation) -> Result<()> {
        let file = manifest_file(location);
        if self.files.is_empty() {
            file.remove()?;
            return Ok(());
        }
        let text = serde_json::to_string_pretty(self).map_err(AgentError::Manifest)? + "\n";
        if file.read_text(SIZE_LIMIT)?.as_deref() == Some(&text) {
            return Ok(());
        }
        Ok(file.write(&text)?)
    }
}

/// Returns true for keywords that may stand in a skill. Whether keywords are shown is the choice of the user, not of the
/// repository's author: those of a project's manifest count where all of them stand in the skill's first file already. None
/// at all count where that file is as it is bundled.
pub(crate) fn are_users_keywords(location: &SkillLocation, keywords: &[String]) -> bool {
    if location.project.is_none() {
        return true;
    }
    let installed = location.first_file().read_text(SIZE_LIMIT).ok().flatten();
    installed.is_some_and(|installed| match keywords {
        [] => {
            let bundled = bundled_files(location.agent, &[]).into_iter().next();
            bundled.is_some_and(|bundled| bundled.text == installed)
        }
        keywords => {
            let named = read_keywords(&installed);
            keywords.iter().all(|word| named.contains(&word.as_str()))
        }
    })
}

fn hash_text(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn manifest_file(location: &SkillLocation) -> ConfinedFile {
    location.file(&format!("{SKILL_DIRECTORY}/{FILE_NAME}"))
}
