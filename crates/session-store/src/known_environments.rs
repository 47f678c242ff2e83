//! Remembers by which environments the index was brought up to date last.

use crate::error::Result;
use crate::reader::Reader;
use crate::writer::Writer;

/// The setting with the hashes of descriptions of environments, the newest first.
const SETTING: &str = "environment";
/// The environments that are remembered: those of a terminal, an editor and a desktop may differ.
const MAX_ENVIRONMENTS: usize = 3;

/// Hashes a description: what a variable holds is not stored.
fn hash_description(description: &str) -> String {
    blake3::hash(description.as_bytes()).to_hex().to_string()
}

impl Reader {
    /// Returns true if one of the last refreshes ran in the environment with this description.
    ///
    /// # Errors
    /// When the database fails.
    pub fn has_environment(&self, description: &str) -> Result<bool> {
        let known = self.setting(SETTING)?.unwrap_or_default();
        let hash = hash_description(description);
        Ok(known.split(' ').any(|known| known == hash))
    }
}

impl Writer {
    /// Notes the environment of a refresh. Without effect where it is known.
    ///
    /// # Errors
    /// When the database fails.
    pub fn add_environment(&mut self, description: &str) -> Result<()> {
        let known = self.reader.setting(SETTING)?.unwrap_or_default();
        let hash = hash_description(description);
        if known.split(' ').any(|known| known == hash) {
            return Ok(());
        }
        let newest = std::iter::once(hash.as_str()).chain(known.split_whitespace());
        let newest: Vec<&str> = newest.take(MAX_ENVIRONMENTS).collect();
        self.set_setting(SETTING, &newest.join(" "))
    }
}
