//! What was installed, so that an upgrade knows its own older copies from what
//! a user edited.

use crate::command::skill::place::{Place, SKILL};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use session_files::Beneath;
use std::collections::BTreeMap;

/// Lies in the skill's folder.
const FILE: &str = ".installed.json";
/// Most bytes of it.
const LIMIT: u64 = 1 << 20;

/// The version that installed, and the hash of each file as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub version: String,
    pub files: BTreeMap<String, String>,
    /// What saved memories are about, for the description; none unless the user
    /// chose that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keywords: Option<Vec<String>>,
}

impl Manifest {
    /// What was installed in a place. One that is damaged knows nothing: then
    /// every file that differs counts as edited.
    pub fn read(place: &Place) -> Self {
        let text = file(place).read_text(LIMIT).ok().flatten();
        let mut manifest: Self =
            serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default();
        if place.project.is_some() {
            // That its keywords are told is for the user to choose, not for who wrote the repository.
            manifest.keywords = None;
        }
        manifest
    }

    /// Refuses a place whose manifest could not be replaced, before anything is written there.
    ///
    /// # Errors
    /// When the manifest is a link, no regular file or too large.
    pub fn check(place: &Place) -> Result<()> {
        file(place).read_text(LIMIT)?;
        Ok(())
    }

    /// True for a file that is as it was written.
    pub fn wrote(&self, name: &str, text: &str) -> bool {
        self.files
            .get(name)
            .is_some_and(|known| *known == hash(text))
    }

    /// Keeps what is installed now; nothing where that is nothing.
    ///
    /// # Errors
    /// When the file cannot be written or removed.
    pub fn write(&self, place: &Place) -> Result<()> {
        let file = file(place);
        if self.files.is_empty() {
            file.remove()?;
            return Ok(());
        }
        let text = serde_json::to_string_pretty(self)? + "\n";
        if file.read_text(LIMIT)?.as_deref() == Some(&text) {
            return Ok(());
        }
        Ok(file.write(&text)?)
    }
}

/// A text's hash.
pub fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn file(place: &Place) -> Beneath {
    place.file(&format!("{SKILL}/{FILE}"))
}
