//! The models whose vectors the index holds.

use crate::directory;
use crate::directory_ownership::is_fingerprint;
use crate::embeddings::matrix::{self, MatrixId, VectorMatrix};
use crate::error::Result;
use crate::id::ModelId;
use crate::reader::Reader;
use crate::sql::Statements;
use crate::writer::Writer;
use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};
use session_core::MAX_DIMS;
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

/// The kind of a document, and of the matrix with its vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentKind {
    /// A chunk of all prompts of a session.
    #[serde(rename = "session")]
    Chunk,
    /// A turn: a prompt with all that follows until the next one.
    Turn,
}

impl DocumentKind {
    /// Both kinds, in the order of their numbers.
    pub const ALL: [Self; 2] = [Self::Chunk, Self::Turn];

    /// Returns the name in files and columns, which is older than the type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chunk => "session",
            Self::Turn => "turn",
        }
    }

    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Chunk => 0,
            Self::Turn => 1,
        }
    }

    pub(crate) fn from_number(number: i64) -> Self {
        match number {
            0 => Self::Chunk,
            _ => Self::Turn,
        }
    }
}

/// A model with vectors in the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ModelRow {
    /// Number in the index.
    pub id: ModelId,
    /// Hash of all that determines the vectors.
    pub fingerprint: String,
    /// Name.
    pub name: String,
    /// Components of a vector.
    pub dims: usize,
    /// Its vectors are found by their texts in all sessions: see [`Writer::index_texts`].
    #[serde(skip)]
    pub(crate) finds_texts: bool,
    rows: [u64; 2],
    generations: [u64; 2],
}

impl ModelRow {
    /// Returns the number of rows of the matrix of a kind.
    pub fn rows(&self, kind: DocumentKind) -> usize {
        usize::try_from(self.rows[kind as usize]).unwrap_or(usize::MAX)
    }

    /// Returns how often the matrix of a kind was replaced by a new file, compacted or empty: part of its file's name.
    pub fn generation(&self, kind: DocumentKind) -> u64 {
        self.generations[kind as usize]
    }

    /// Returns the bytes of its vectors: a scale of four, and one a component.
    pub fn vector_bytes(&self) -> u64 {
        let row_bytes = self.dims as u64 + 4;
        self.rows
            .iter()
            .map(|rows| rows.saturating_mul(row_bytes))
            .fold(0, u64::saturating_add)
    }

    /// Returns true if no matrix has a row.
    pub(crate) fn is_without_rows(&self) -> bool {
        self.rows == [0; 2]
    }

    pub(crate) fn matrix_id(&self, kind: DocumentKind) -> MatrixId {
        MatrixId {
            model: self.id,
            kind,
        }
    }

    /// Returns the model with the next generation of the matrix of a kind, empty.
    pub(crate) fn next_generation(&self, kind: DocumentKind) -> Self {
        let mut next = self.clone();
        next.generations[kind as usize] += 1;
        next.rows[kind as usize] = 0;
        next
    }
}

const COLUMNS: &str = "id, fingerprint, name, dims, session_rows, turn_rows, session_generation, turn_generation, finds_texts";

/// Most rows of a matrix: more is damage.
const MAX_ROWS: i64 = 1 << 40;

fn model_row(row: &Row<'_>) -> rusqlite::Result<ModelRow> {
    let within = |i: usize, limit: i64| match row.get::<_, i64>(i)? {
        number if (0..=limit).contains(&number) => Ok(number.cast_unsigned()),
        number => Err(rusqlite::Error::IntegralValueOutOfRange(i, number)),
    };
    let number = |i| within(i, MAX_ROWS);
    Ok(ModelRow {
        id: row.get(0)?,
        fingerprint: row.get(1)?,
        name: row.get(2)?,
        dims: usize::try_from(within(3, MAX_DIMS.cast_signed() as i64)?).unwrap_or_default(),
        rows: [number(4)?, number(5)?],
        generations: [number(6)?, number(7)?],
        finds_texts: row.get(8)?,
    })
}

impl Reader {
    /// Returns the model with this fingerprint, if the index has it.
    ///
    /// # Errors
    /// When the database fails.
    pub fn model(&self, fingerprint: &str) -> Result<Option<ModelRow>> {
        let query = format!("SELECT {COLUMNS} FROM models WHERE fingerprint = ?1");
        self.db.first(&query, [fingerprint], model_row)
    }

    /// Returns all models in the index, by number.
    ///
    /// # Errors
    /// When the database fails.
    pub fn models(&self) -> Result<Vec<ModelRow>> {
        let select = format!("SELECT {COLUMNS} FROM models ORDER BY id");
        self.db.rows(&select, [], model_row)
    }

    /// Returns the numbers of models that have vectors, or are noted to have embedded a session, but have no row.
    pub(crate) fn lost_models(&self) -> Result<Vec<ModelId>> {
        let select = "SELECT model FROM vectors UNION SELECT model FROM owner_blocks
            UNION SELECT model FROM embedded EXCEPT SELECT id FROM models";
        self.db.rows(select, [], |row| row.get(0))
    }

    /// Returns the numbers of models whose rows cannot be read, and of those that have vectors but no row.
    fn unreadable_models(&self) -> Result<Vec<ModelId>> {
        let mut find = self.db.prepare(&format!("SELECT {COLUMNS} FROM models"))?;
        let readable = find.query_map([], model_row)?;
        let readable: HashSet<ModelId> = readable.flatten().map(|model| model.id).collect();
        let mut unreadable: Vec<ModelId> = self
            .db
            .rows("SELECT id FROM models", [], |row| row.get(0))?;
        unreadable.retain(|model| !readable.contains(model));
        unreadable.extend(self.lost_models()?);
        Ok(unreadable)
    }

    /// Opens the matrix of a model and a kind of documents.
    ///
    /// # Errors
    /// [`crate::StoreError::Corrupt`] when the file is not what the database says.
    pub fn matrix(&self, model: &ModelRow, kind: DocumentKind) -> Result<VectorMatrix> {
        let open = || VectorMatrix::open(&self.root, model, kind);
        match &self.cache {
            Some(cache) => cache.matrix(self.version_for(cache)?, model.matrix_id(kind), open),
            None => open(),
        }
    }
}

impl Writer {
    /// Returns the model with this fingerprint, inserted if there was none. Vectors that only damage explains are deleted: those
    /// of a known model that had another number of components, and those that the number of the new model had before its
    /// row was lost.
    ///
    /// # Errors
    /// When the database fails.
    pub fn add_model(&mut self, fingerprint: &str, name: &str, dims: usize) -> Result<ModelRow> {
        let known = self.reader.model(fingerprint)?;
        if let Some(known) = known.as_ref().filter(|known| known.dims == dims) {
            return Ok(known.clone());
        }
        self.begin()?;
        for lost in self.reader.lost_models()? {
            self.clear_vectors(lost)?;
        }
        if let Some(known) = known {
            self.clear_vectors(known.id)?;
        }
        self.db().execute(
            "INSERT INTO models(fingerprint, name, dims) VALUES(?1, ?2, ?3)
               ON CONFLICT(fingerprint) DO UPDATE SET dims = excluded.dims",
            params![fingerprint, name, dims.cast_signed() as i64],
        )?;
        let query = format!("SELECT {COLUMNS} FROM models WHERE fingerprint = ?1");
        Ok(self.db().query_row(&query, [fingerprint], model_row)?)
    }

    /// Indexes a model's vectors by the hashes of their texts over all sessions, and returns the model: for a slow one,
    /// which is not to embed a text once more.
    ///
    /// # Errors
    /// When the database fails.
    pub fn index_texts(&mut self, model: &ModelRow) -> Result<ModelRow> {
        if model.finds_texts {
            return Ok(model.clone());
        }
        self.begin()?;
        self.insert_all_texts(model)?;
        let update = "UPDATE models SET finds_texts = 1 WHERE id = ?1";
        self.db().execute(update, [model.id])?;
        Ok(ModelRow {
            finds_texts: true,
            ..model.clone()
        })
    }

    /// Deletes a model's vectors and commits: its matrices begin a new generation, empty.
    ///
    /// # Errors
    /// When the database fails.
    pub fn delete_vectors(&mut self, model: ModelId) -> Result<()> {
        self.begin()?;
        self.clear_vectors(model)?;
        self.commit()
    }

    /// Deletes a model's vectors, for the next commit.
    fn clear_vectors(&mut self, model: ModelId) -> Result<()> {
        self.abandon_series()?;
        self.matrices.orphans.retain(|orphan| orphan.model != model);
        self.pending
            .owner_blocks
            .forget(|matrix| matrix.model == model);
        for table in ["vectors", "vector_texts", "owner_blocks", "embedded"] {
            let delete = format!("DELETE FROM {table} WHERE model = ?1");
            self.db().execute(&delete, [model])?;
        }
        self.db().execute(
            "UPDATE models SET session_rows = 0, turn_rows = 0,
               complete = 0, session_dead = 0, turn_dead = 0,
               session_generation = session_generation + 1, turn_generation = turn_generation + 1
             WHERE id = ?1",
            [model],
        )?;
        self.matrices.has_new_generation = true;
        Ok(())
    }

    /// Deletes the other versions of a model, for the next commit: models of its name with another fingerprint to which
    /// nothing was written for `unused`.
    ///
    /// # Errors
    /// When the database fails.
    pub fn delete_other_versions(&mut self, model: &ModelRow, unused: Duration) -> Result<()> {
        for other in self.reader.models()? {
            let is_other = other.name == model.name && other.id != model.id;
            if is_other && !self.was_written_within(&other, unused) {
                self.delete_model(&other)?;
            }
        }
        Ok(())
    }

    /// Deletes a model with its vectors, for the next commit.
    ///
    /// # Errors
    /// When the database fails.
    pub fn delete_model(&mut self, model: &ModelRow) -> Result<()> {
        self.begin()?;
        self.clear_vectors(model.id)?;
        self.delete_checksums(model)?;
        let delete = "DELETE FROM models WHERE id = ?1";
        self.db().run(delete, [model.id])?;
        Ok(())
    }

    /// Deletes the models whose rows cannot be read, and the vectors of those that have no row, for the next commit. Returns
    /// true where there were any.
    pub(crate) fn delete_unreadable_models(&mut self) -> Result<bool> {
        let unreadable = self.reader.unreadable_models()?;
        if unreadable.is_empty() {
            return Ok(false);
        }
        self.begin()?;
        for model in unreadable {
            let delete = "DELETE FROM models WHERE id = ?1";
            self.db().run(delete, [model])?;
            self.clear_vectors(model)?;
        }
        self.delete_stray_checksums()?;
        Ok(true)
    }

    fn was_written_within(&self, model: &ModelRow, time: Duration) -> bool {
        let root = self.reader.root();
        let paths = DocumentKind::ALL.map(|kind| matrix::matrix_path(root, model, kind));
        let written = paths.map(|path| fs_err::metadata(path).and_then(|file| file.modified()));
        let mut ages = written.into_iter().flatten().map(|at| at.elapsed());
        ages.any(|age| age.is_ok_and(|age| age < time))
    }

    /// Updates the row count of a matrix in `models`.
    pub(crate) fn update_row_count(&self, model: ModelId, kind: DocumentKind) -> Result<()> {
        let Some(rows) = self.matrices.appenders.rows(MatrixId { model, kind }) else {
            return Ok(());
        };
        let update = format!("UPDATE models SET {}_rows = ?2 WHERE id = ?1", kind.name());
        self.db().run(&update, params![model, rows.cast_signed()])
    }

    /// Deletes matrix files of generations that are not current, and of models that the index no longer has.
    pub(crate) fn delete_old_generations(&self) -> Result<()> {
        if !self.matrices.has_new_generation {
            return Ok(());
        }
        let models = self.reader.models()?;
        let kinds = DocumentKind::ALL.into_iter();
        let current = kinds.flat_map(|kind| {
            let path = move |model| matrix::matrix_path(self.reader.root(), model, kind);
            models.iter().map(path)
        });
        let current: HashSet<PathBuf> = current.collect();
        let directories = fs_err::read_dir(directory::vectors_path(self.reader.root()));
        for directory in directories.into_iter().flatten().flatten() {
            let is_directory = directory.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory && is_fingerprint(&directory.file_name()) {
                matrix::delete_matrices_except(&directory.path(), &current);
            }
        }
        Ok(())
    }
}
