//! Checksums of matrices, by which flipped bits are noticed: a row of flipped bits mostly is a unit vector, too.
//! The table `settings` holds them.

use crate::embeddings::matrix::{MatrixId, VectorMatrix, matrix_path};
use crate::embeddings::npy;
use crate::error::Result;
use crate::model::{DocumentKind, ModelRow};
use crate::reader::Reader;
use crate::writer::Writer;
use crc32fast::Hasher;
use std::fmt;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes of a matrix that are read at once.
const READ_BYTES: usize = 1 << 18;

/// The CRC-32 of the first rows of a generation of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct MatrixChecksum {
    generation: u64,
    rows: usize,
    crc: u32,
}

impl fmt::Display for MatrixChecksum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {:08x}", self.generation, self.rows, self.crc)
    }
}

impl MatrixChecksum {
    fn parse(value: &str) -> Option<Self> {
        let mut parts = value.split(' ');
        let mut next = || parts.next();
        Some(Self {
            generation: next()?.parse().ok()?,
            rows: next()?.parse().ok()?,
            crc: u32::from_str_radix(next()?, 16).ok()?,
        })
    }

    /// Returns the checksum of the first `rows` of a matrix, of which `self` has that of fewer. They are read, not mapped:
    /// mapped, all that a large commit appends would be in memory at once.
    fn extend(self, path: &Path, dims: usize, rows: usize) -> Result<Self> {
        // A matrix without rows may have no file.
        if rows == self.rows {
            return Ok(self);
        }
        let [start, end] = [self.rows, rows].map(|row| npy::row_offset(row as u64, dims));
        let mut file = fs_err::File::open(path)?;
        file.seek(SeekFrom::Start(start))?;
        let appended = file.take(end.saturating_sub(start));
        let mut appended = BufReader::with_capacity(READ_BYTES, appended);
        let mut hasher = Hasher::new_with_initial(self.crc);
        loop {
            let read = appended.fill_buf()?;
            if read.is_empty() {
                break;
            }
            hasher.update(read);
            let length = read.len();
            appended.consume(length);
        }
        Ok(Self {
            rows,
            crc: hasher.finalize(),
            ..self
        })
    }
}

/// Returns the key of a matrix's checksum in `settings`.
fn setting_key(model: &ModelRow, kind: DocumentKind) -> String {
    format!("checksum {} {}", model.fingerprint, kind.name())
}

impl Reader {
    /// Returns the checksum of the rows that have one; of none at first.
    fn matrix_checksum(&self, model: &ModelRow, kind: DocumentKind) -> Result<MatrixChecksum> {
        let noted = self.setting(&setting_key(model, kind))?;
        let noted = noted.as_deref().and_then(MatrixChecksum::parse);
        let generation = model.generation(kind);
        let is_of_rows = |noted: &MatrixChecksum| {
            noted.generation == generation && noted.rows <= model.rows(kind)
        };
        Ok(noted.filter(is_of_rows).unwrap_or(MatrixChecksum {
            generation,
            rows: 0,
            crc: 0,
        }))
    }

    /// Returns true if the rows of a matrix that have a checksum are as they were written.
    pub(crate) fn has_matrix_of_checksum(
        &self,
        model: &ModelRow,
        kind: DocumentKind,
        matrix: &VectorMatrix,
    ) -> Result<bool> {
        let noted = self.matrix_checksum(model, kind)?;
        // The file may be deleted by now, and the map stays: it is not read again, as a commit does.
        let crc = crc32fast::hash(matrix.rows_bytes(0..noted.rows));
        Ok(crc == noted.crc)
    }
}

impl Writer {
    /// Notes the checksums of matrices whose files were written, for the commit that counts their rows.
    pub(crate) fn note_checksums(&mut self, written: &[MatrixId]) -> Result<()> {
        if written.is_empty() {
            return Ok(());
        }
        for model in self.reader.models()? {
            for matrix in written.iter().filter(|matrix| matrix.model == model.id) {
                self.note_checksum(&model, matrix.kind)?;
            }
        }
        Ok(())
    }

    /// Notes the checksum of a matrix whose file was written.
    pub(crate) fn note_checksum(&mut self, model: &ModelRow, kind: DocumentKind) -> Result<()> {
        let root = self.reader.root();
        let rows = VectorMatrix::open(root, model, kind)?.rows();
        let noted = self.reader.matrix_checksum(model, kind)?;
        let path = matrix_path(root, model, kind);
        let checksum = noted.extend(&path, model.dims, rows)?.to_string();
        self.set_setting(&setting_key(model, kind), &checksum)
    }

    /// Deletes the checksums of a model's matrices.
    pub(crate) fn delete_checksums(&self, model: &ModelRow) -> Result<()> {
        let mut kinds = DocumentKind::ALL.into_iter();
        kinds.try_for_each(|kind| self.delete_setting(&setting_key(model, kind)))
    }

    /// Deletes the checksums of models that the index no longer has.
    pub(crate) fn delete_stray_checksums(&self) -> Result<()> {
        let delete = "DELETE FROM settings WHERE key GLOB 'checksum *'
             AND NOT EXISTS (SELECT 1 FROM models WHERE key GLOB 'checksum ' || fingerprint || ' *')";
        self.db().execute(delete, [])?;
        Ok(())
    }
}
