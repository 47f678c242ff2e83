//! Remembers by which environment the index was brought up to date last.

use crate::error::Result;
use crate::reader::Reader;
use crate::writer::Writer;

/// The setting with the hash of a description of the environment.
const SETTING: &str = "environment";

/// Hashes a description: what a variable holds is not stored.
fn hash_description(description: &str) -> String {
    blake3::hash(description.as_bytes()).to_hex().to_string()
}

impl Reader {
    /// Returns true where the last refresh ran in the environment with this description.
    ///
    /// # Errors
    /// When the database fails.
    pub fn has_environment(&self, description: &str) -> Result<bool> {
        let last = self.setting(SETTING)?;
        Ok(last.is_some_and(|last| last == hash_description(description)))
    }
}

impl Writer {
    /// Notes the environment of a refresh. Without effect where it is that of the last one.
    ///
    /// # Errors
    /// When the database fails.
    pub fn set_environment(&mut self, description: &str) -> Result<()> {
        if self.reader.has_environment(description)? {
            return Ok(());
        }
        self.set_setting(SETTING, &hash_description(description))
    }
}
