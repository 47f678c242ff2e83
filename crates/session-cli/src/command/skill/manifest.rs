//! What was installed, so that an upgrade knows its own older copies from what
//! a user edited.

use crate::command::skill::place::Place;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Lies in the skill's folder.
const FILE: &str = ".installed.json";

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
        let text = fs_err::read_to_string(path(place)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
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
        let path = path(place);
        if self.files.is_empty() {
            return match fs_err::remove_file(path) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e.into()),
                _ => Ok(()),
            };
        }
        let text = serde_json::to_string_pretty(self)? + "\n";
        if fs_err::read_to_string(&path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        Ok(session_models::write_private(&path, text.as_bytes())?)
    }
}

/// A text's hash.
pub fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn path(place: &Place) -> PathBuf {
    place.skill().join(FILE)
}
