//! The table `settings`: values that a part of the program notes in the index, by key.
//!
//! Older versions of the program leave keys alone that they do not know.

use crate::error::Result;
use crate::reader::Reader;
use crate::sql::Statements;
use crate::writer::Writer;

/// Key of the rules of redaction.
const REDACTION_RULES: &str = "redaction_rules";

impl Reader {
    /// Returns true if all that the index holds was redacted by rules of this fingerprint.
    ///
    /// # Errors
    /// When the database fails.
    pub fn is_redacted_by(&self, rules: &str) -> Result<bool> {
        Ok(self.setting(REDACTION_RULES)?.as_deref() == Some(rules))
    }

    /// Returns the value of a setting, if it was noted.
    ///
    /// # Errors
    /// When the database fails.
    pub fn setting(&self, key: &str) -> Result<Option<String>> {
        let select = "SELECT value FROM settings WHERE key = ?1";
        self.db.first(select, [key], |row| row.get(0))
    }
}

impl Writer {
    /// Notes the fingerprint of the rules by which all that the index holds is redacted, for the next commit.
    ///
    /// # Errors
    /// When the database fails.
    pub fn set_redacted_by(&mut self, rules: &str) -> Result<()> {
        self.set_setting(REDACTION_RULES, rules)
    }

    /// Notes a setting, for the next commit.
    ///
    /// # Errors
    /// When the database fails.
    pub fn set_setting(&mut self, key: &str, value: &str) -> Result<()> {
        self.begin()?;
        let insert = "INSERT OR REPLACE INTO settings(key, value) VALUES(?1, ?2)";
        self.db().run(insert, [key, value])
    }

    /// Deletes a setting, for the next commit.
    pub(crate) fn delete_setting(&self, key: &str) -> Result<()> {
        let delete = "DELETE FROM settings WHERE key = ?1";
        self.db().run(delete, [key])
    }
}
