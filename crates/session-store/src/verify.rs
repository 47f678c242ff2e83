//! Verifies that an index is whole.

use crate::embeddings::vector_owners::VectorOwners;
use crate::error::{Result, StoreError};
use crate::id::{ModelId, SessionId, TurnId};
use crate::model::{DocumentKind, ModelRow};
use crate::reader::Reader;
use crate::schema;
use crate::sql::Statements;
use std::path::Path;

/// Times that an index is verified, at most, while another process rewrites its matrices.
const MAX_ATTEMPTS: usize = 4;

impl Reader {
    /// Opens a snapshot of the index and verifies it. Another process may have replaced a matrix since the snapshot: the
    /// next one sees the new one.
    ///
    /// # Errors
    /// As [`Reader::open`] and [`Reader::verify`].
    pub fn open_verified(root: &Path) -> Result<Self> {
        Self::open_checked(root, Self::verify)
    }

    /// Opens a snapshot of the index as [`Reader::open_verified`] does, and verifies it thoroughly.
    ///
    /// # Errors
    /// As [`Reader::open`] and [`Reader::verify_thoroughly`].
    pub fn open_thoroughly_verified(root: &Path) -> Result<Self> {
        Self::open_checked(root, Self::verify_thoroughly)
    }

    fn open_checked(root: &Path, check: fn(&Self) -> Result<()>) -> Result<Self> {
        let open = || {
            let index = Self::open(root)?;
            index.begin_snapshot()?;
            check(&index).map(|()| index)
        };
        let mut opened = open();
        for _ in 1..MAX_ATTEMPTS {
            match opened {
                Err(error) if error.needs_rebuild() => opened = open(),
                _ => break,
            }
        }
        opened
    }

    /// Checks the database's own structure, that each session and turn is in the blocks that queries read, that every row of
    /// every matrix is a unit vector, and that matrices have their checksums.
    ///
    /// # Errors
    /// [`crate::StoreError::Corrupt`] with what was found.
    pub fn verify(&self) -> Result<()> {
        self.verify_database()?;
        self.verify_blocks()?;
        let models = self.models()?;
        models.iter().try_for_each(|m| self.verify_matrices(m))
    }

    /// Checks what [`Reader::verify`] does, and compares with rows all else that repeats them: SQLite's own indexes, the
    /// word index, and the owners of vectors.
    ///
    /// # Errors
    /// [`crate::StoreError::Corrupt`] with what was found.
    pub fn verify_thoroughly(&self) -> Result<()> {
        self.verify_indexes()?;
        self.verify_copied_rows()?;
        let models = self.models()?;
        models.iter().try_for_each(|m| self.verify_matrices(m))
    }

    /// Compares blocks of sessions, turns and owners of vectors with the rows that they repeat, and looks for models without
    /// a row.
    pub(crate) fn verify_copied_rows(&self) -> Result<()> {
        self.verify_blocks()?;
        self.verify_models()?;
        let models = self.models()?;
        models.iter().try_for_each(|m| self.verify_owners(m))
    }

    /// Checks that each model of which there is something has a row.
    fn verify_models(&self) -> Result<()> {
        if self.lost_models()?.is_empty() {
            Ok(())
        } else {
            Err(self.corrupt("it has rows of a model that it does not list"))
        }
    }

    /// Checks the database's own structure, and that no table or column is missing.
    fn verify_database(&self) -> Result<()> {
        self.verify_schema()?;
        self.check_database("PRAGMA quick_check(1)")
    }

    /// Checks what [`Reader::verify_database`] does, and compares SQLite's own indexes with their tables, and the word
    /// index with the turns.
    pub(crate) fn verify_indexes(&self) -> Result<()> {
        self.verify_schema()?;
        self.check_database("PRAGMA integrity_check(1)")?;
        self.verify_words()
    }

    fn verify_schema(&self) -> Result<()> {
        match schema::missing_columns(&self.db)?.first() {
            Some(column) => Err(self.corrupt(format!("its database lacks `{column}`"))),
            None => Ok(()),
        }
    }

    fn check_database(&self, pragma: &str) -> Result<()> {
        let found: String = self.db.query_row(pragma, [], |row| row.get(0))?;
        if found != "ok" {
            let first = found.lines().next().unwrap_or_default();
            return Err(self.corrupt(format!("the database check says `{first}`")));
        }
        Ok(())
    }

    /// Returns the models of which a matrix is missing or damaged.
    ///
    /// # Errors
    /// When the database fails.
    pub fn models_with_damaged_vectors(&self) -> Result<Vec<ModelId>> {
        let mut damaged = Vec::new();
        for model in self.models()? {
            match self.verify_matrices(&model) {
                Err(error) if error.needs_rebuild() => damaged.push(model.id),
                other => other?,
            }
        }
        Ok(damaged)
    }

    /// Returns the models of which a matrix is missing, cut off, another file, or may not be read. Rows are not looked at.
    ///
    /// # Errors
    /// When the database or the disk fails; [`StoreError::Corrupt`] as of [`Reader::has_lost_matrix`].
    pub fn models_with_lost_matrices(&self) -> Result<Vec<ModelId>> {
        let mut lost = Vec::new();
        for model in self.models()? {
            if self.has_lost_matrix(&model)? {
                lost.push(model.id);
            }
        }
        Ok(lost)
    }

    /// Returns true if a matrix of a model is missing, cut off, another file, or may not be read.
    ///
    /// # Errors
    /// When the disk fails. [`StoreError::Corrupt`] where another process has replaced the matrix since this snapshot: the
    /// next one has it.
    pub fn has_lost_matrix(&self, model: &ModelRow) -> Result<bool> {
        let mut matrices = DocumentKind::ALL
            .into_iter()
            .map(|kind| self.matrix(model, kind));
        match matrices.find_map(|matrix| matrix.err()) {
            None => Ok(false),
            Some(error @ StoreError::Corrupt { .. }) => {
                if self.is_current_model(model)? {
                    Ok(true)
                } else {
                    Err(error)
                }
            }
            Some(error) => Err(error),
        }
    }

    /// Returns true if a model's matrices are of the same generation for who opens the index now.
    fn is_current_model(&self, model: &ModelRow) -> Result<bool> {
        let now = Self::open(self.root())?.model(&model.fingerprint)?;
        let generations = |model: &ModelRow| DocumentKind::ALL.map(|kind| model.generation(kind));
        Ok(now.is_some_and(|now| generations(&now) == generations(model)))
    }

    /// Compares blocks with the rows that they repeat, and those with them.
    fn verify_blocks(&self) -> Result<()> {
        let found = self.sessions()?.len();
        let wanted = self.count_sessions()?;
        if found != wanted {
            return Err(self.corrupt(format!("{found} of {wanted} sessions are in its blocks")));
        }
        let columns = self.turn_columns()?;
        let mut turns = self.db.prepare("SELECT id, session FROM turns")?;
        let mut turns = turns.query([])?;
        let mut found = 0;
        while let Some(row) = turns.next()? {
            let (turn, session): (TurnId, SessionId) = (row.get(0)?, row.get(1)?);
            if columns.session_of(turn) != Some(session) {
                return Err(self.corrupt("a turn is missing in its blocks"));
            }
            found += 1;
        }
        match columns.count() {
            wanted if wanted == found => Ok(()),
            wanted => Err(self.corrupt(format!("it has {found} of {wanted} turns"))),
        }
    }

    /// Compares the word index with the turns: it has one entry for each that is no copy, but for those without words.
    fn verify_words(&self) -> Result<()> {
        let stray = "SELECT EXISTS(SELECT 1 FROM words_docsize d
            WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.id = d.id AND owner IS NULL))";
        let has_stray: bool = self.db.query_row(stray, [], |row| row.get(0))?;
        let unindexed = "SELECT id FROM turns t WHERE owner IS NULL AND start < stop
            AND NOT EXISTS (SELECT 1 FROM words_docsize d WHERE d.id = t.id)";
        let unindexed: Vec<TurnId> = self.db.rows(unindexed, [], |row| row.get(0))?;
        let columns = self.turn_columns()?;
        let has_words = |turn: &TurnId| columns.tokens(turn.as_index()) > 0;
        if has_stray || unindexed.iter().any(has_words) {
            return Err(self.corrupt("its word index has other turns than it"));
        }
        Ok(())
    }

    /// Compares the owners of a model's vectors with the lists of sessions' vectors, which they repeat.
    fn verify_owners(&self, model: &ModelRow) -> Result<()> {
        let owners = DocumentKind::ALL.map(|kind| self.vector_owners(model.id, kind));
        let owners = owners.into_iter().collect::<Result<Vec<_>>>()?;
        let owned: usize = owners.iter().map(VectorOwners::count).sum();
        let (mut listed, mut agreed) = (0, 0);
        for session in self.sessions_with_vectors(model.id)? {
            let entries = self.vector_entries(model, session)?;
            listed += entries.len();
            for (owners, kind) in owners.iter().zip(DocumentKind::ALL) {
                let entries = entries.iter().filter(|entry| entry.row.kind == kind);
                agreed += entries
                    .filter(|entry| owners.is_owner(session, entry))
                    .count();
            }
        }
        if agreed == listed && agreed == owned {
            Ok(())
        } else {
            Err(self.corrupt(format!(
                "{agreed} of {} vectors of `{}` have one owner",
                listed.max(owned),
                model.name
            )))
        }
    }

    fn verify_matrices(&self, model: &ModelRow) -> Result<()> {
        for kind in DocumentKind::ALL {
            let matrix = self.matrix(model, kind)?;
            let vectors = format!("the {} vectors of `{}`", kind.name(), model.name);
            if let Some(row) = matrix.first_damaged_row() {
                return Err(self.corrupt(format!("row {row} of {vectors}")));
            }
            if !self.has_matrix_of_checksum(model, kind, &matrix)? {
                return Err(self.corrupt(format!("{vectors} differ from their checksum")));
            }
        }
        Ok(())
    }
}
