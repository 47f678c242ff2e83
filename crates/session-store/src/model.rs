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
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Says whether a vector embeds a turn or a chunk of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A chunk of all prompts of a session.
    Session,
    /// A turn: a prompt with all that follows until the next one.
    Turn,
}

impl Level {
    /// Both levels, in the order of their numbers.
    pub const ALL: [Self; 2] = [Self::Session, Self::Turn];

    /// Returns the name of its file and column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Turn => "turn",
        }
    }

    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Session => 0,
            Self::Turn => 1,
        }
    }

    pub(crate) fn from_number(number: i64) -> Self {
        match number {
            0 => Self::Session,
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
    /// Returns the number of rows of a level's matrix.
    pub fn rows(&self, level: Level) -> usize {
        usize::try_from(self.rows[level as usize]).unwrap_or(usize::MAX)
    }

    /// Returns how often a level's matrix was replaced by a new file, compacted or empty: part of its file's name.
    pub fn generation(&self, level: Level) -> u64 {
        self.generations[level as usize]
    }

    /// Returns true where no matrix has a row.
    pub(crate) fn is_without_rows(&self) -> bool {
        self.rows == [0; 2]
    }

    pub(crate) fn matrix_id(&self, level: Level) -> MatrixId {
        MatrixId {
            model: self.id,
            level,
        }
    }

    /// Returns the model with the next generation of this level's matrix, empty.
    pub(crate) fn next_generation(&self, level: Level) -> Self {
        let mut next = self.clone();
        next.generations[level as usize] += 1;
        next.rows[level as usize] = 0;
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

    /// Opens the matrix of a model at a level.
    ///
    /// # Errors
    /// [`crate::StoreError::Corrupt`] when the file is not what the database says.
    pub fn matrix(&self, model: &ModelRow, level: Level) -> Result<VectorMatrix> {
        let open = || VectorMatrix::open(&self.root, model, level);
        match &self.cache {
            Some(cache) => cache.matrix(self.version_for(cache)?, model.matrix_id(level), open),
            None => open(),
        }
    }
}

impl Writer {
    /// Returns the model with this fingerprint, inserted if there was none. Vectors are deleted where only damage explains
    /// them: those of a model that is known with another number of components, and those that a lost row left under the
    /// number that a new model gets.
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
    pub(crate) fn clear_vectors(&mut self, model: ModelId) -> Result<()> {
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
                self.begin()?;
                self.clear_vectors(other.id)?;
                self.delete_checksums(&other)?;
                let delete = "DELETE FROM models WHERE id = ?1";
                self.db().run(delete, [other.id])?;
            }
        }
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
        let paths = Level::ALL.map(|level| matrix::matrix_path(root, model, level));
        let written = paths.map(|path| fs_err::metadata(path).and_then(|file| file.modified()));
        let mut ages = written.into_iter().flatten().map(|at| at.elapsed());
        ages.any(|age| age.is_ok_and(|age| age < time))
    }

    /// Updates the row count of a matrix in `models`.
    pub(crate) fn update_row_count(&self, model: ModelId, level: Level) -> Result<()> {
        let Some(rows) = self.matrices.appenders.rows(MatrixId { model, level }) else {
            return Ok(());
        };
        let update = format!("UPDATE models SET {}_rows = ?2 WHERE id = ?1", level.name());
        self.db().run(&update, params![model, rows.cast_signed()])
    }

    /// Deletes matrix files of generations that are not current, and of models that the index no longer has.
    pub(crate) fn delete_old_generations(&self) -> Result<()> {
        if !self.matrices.has_new_generation {
            return Ok(());
        }
        let models = self.reader.models()?;
        let levels = Level::ALL.into_iter();
        let current = levels.flat_map(|level| {
            let path = move |model| matrix::matrix_path(self.reader.root(), model, level);
            models.iter().map(path)
        });
        let current: HashSet<PathBuf> = current.collect();
        let folders = fs_err::read_dir(directory::vectors_path(self.reader.root()));
        for folder in folders.into_iter().flatten().flatten() {
            let is_folder = folder.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && is_fingerprint(&folder.file_name()) {
                delete_matrices(&folder.path(), &current);
            }
        }
        Ok(())
    }
}

/// Deletes the matrices in a folder that are not in `kept`, then the folder if it is empty. A file that cannot be deleted,
/// as on Windows one that is mapped, stays until old generations are deleted again.
fn delete_matrices(folder: &Path, kept: &HashSet<PathBuf>) {
    for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|ext| ext == "npy") && !kept.contains(&path) {
            // An empty folder may have taken its place.
            let _ = fs_err::remove_file(&path).or_else(|_| fs_err::remove_dir(&path));
        }
    }
    let _ = std::fs::remove_dir(folder);
}
