//! The table `settings`: values that a part of the program notes in the index, by key.
//!
//! Older versions of the program leave keys alone that they do not know.

use crate::error::Result;
use crate::reader::Reader;
use crate::sql::Statements;
use crate::writer::Writer;

impl Reader {
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
