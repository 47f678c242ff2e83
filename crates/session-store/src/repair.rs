//! Makes anew what repeats rows, where only that is damaged: sessions whose histories are gone exist in rows alone.

use crate::error::Result;
use crate::schema;
use crate::writer::Writer;

impl Writer {
    /// Checks all of the index but contents and matrices, and returns true if it is damaged.
    ///
    /// Where its database is, SQLite's own indexes, the word index, and tables that are missing are made anew, for the next
    /// commit: the others are filled by [`Writer::reset_cursors`] and by reading all histories again. Models whose rows are
    /// damaged are deleted, to be embedded by again.
    ///
    /// # Errors
    /// [`crate::StoreError::Corrupt`] where rows are damaged; when the disk fails.
    pub fn repair_database(&mut self) -> Result<bool> {
        let damage = match self.reader()?.verify_indexes() {
            Err(error) if error.needs_rebuild() => error,
            Err(error) => return Err(error),
            Ok(()) => return self.is_damaged(),
        };
        match self.renew_indexes() {
            Err(error) if error.needs_space() || error.is_locked() => Err(error),
            Err(_) => Err(damage),
            Ok(()) => self.reader()?.verify_indexes().map(|()| true),
        }
    }

    fn is_damaged(&mut self) -> Result<bool> {
        let has_lost_models = self.delete_unreadable_models()?;
        match self.reader()?.verify_copied_rows() {
            Err(error) if error.needs_rebuild() => Ok(true),
            checked => checked.map(|()| has_lost_models),
        }
    }

    fn renew_indexes(&mut self) -> Result<()> {
        self.begin()?;
        let root = self.reader.root().to_owned();
        schema::create_missing_tables(self.db(), &root)?;
        let words = schema::words_table();
        let renew = format!("REINDEX; DROP TABLE IF EXISTS words; {words}");
        self.db().execute_batch(&renew)?;
        self.delete_unreadable_models()?;
        self.index_all_words(&|_| {})
    }
}
