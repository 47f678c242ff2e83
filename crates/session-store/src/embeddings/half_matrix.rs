//! Matrices of formats before 9, whose rows are half floats: read once, by the migration.

use crate::embeddings::matrix::{MatrixAppenders, matrix_path};
use crate::embeddings::npy::HEADER_BYTES;
use crate::embeddings::quantized_row::quantize_row;
use crate::error::Result;
use crate::model::{DocumentKind, ModelRow};
use crate::writer::Writer;
use half::f16;
use half::slice::HalfFloatSliceExt;
use rusqlite::params;
use std::io::{self, BufReader, Read};

/// Reads the rows of a matrix of half floats in order.
struct HalfMatrixReader {
    file: BufReader<fs_err::File>,
    bytes: Vec<u8>,
}

impl HalfMatrixReader {
    fn open(writer: &Writer, model: &ModelRow, kind: DocumentKind) -> io::Result<Self> {
        let path = matrix_path(writer.reader.root(), model, kind);
        if !fs_err::metadata(&path)?.is_file() {
            return Err(io::ErrorKind::InvalidData.into()); // a FIFO would wait for a writer
        }
        let mut file = BufReader::new(fs_err::File::open(path)?);
        let mut header = [0; HEADER_BYTES];
        file.read_exact(&mut header)?;
        let text = String::from_utf8_lossy(&header);
        let dims = model.dims;
        if !text.contains("'<f2'") || !text.contains(&format!(", {dims}), }}")) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let bytes = vec![0; dims * 2];
        Ok(Self { file, bytes })
    }

    fn read_row(&mut self) -> io::Result<Vec<f32>> {
        self.file.read_exact(&mut self.bytes)?;
        let numbers = self.bytes.chunks_exact(2);
        let halves: Vec<f16> = numbers.map(|b| f16::from_le_bytes([b[0], b[1]])).collect();
        Ok(halves.to_f32_vec())
    }
}

impl Writer {
    /// Rewrites the matrices of half floats as quantized ones, of the next generation. A model one of whose
    /// matrices cannot be read loses its vectors: they are embedded again.
    pub(crate) fn quantize_matrices(&mut self) -> Result<()> {
        for model in self.reader.models()? {
            let kinds = DocumentKind::ALL.into_iter();
            let quantized = kinds.map(|kind| self.quantize_matrix(&model, kind));
            if quantized.collect::<Result<Vec<()>>>().is_err() {
                self.clear_vectors(model.id)?;
            }
        }
        self.matrices.has_new_generation = true;
        Ok(())
    }

    fn quantize_matrix(&self, model: &ModelRow, kind: DocumentKind) -> Result<()> {
        if model.rows(kind) == 0 {
            return Ok(());
        }
        let mut old = HalfMatrixReader::open(self, model, kind)?;
        let next = model.next_generation(kind);
        let mut new = MatrixAppenders::default();
        for _ in 0..model.rows(kind) {
            let row = quantize_row(&old.read_row()?);
            new.append_row(self.reader.root(), &next, kind, &row)?;
        }
        new.flush()?;
        let generation = format!("{}_generation", kind.name());
        let update = format!("UPDATE models SET {generation} = {generation} + 1 WHERE id = ?1");
        self.db().execute(&update, params![model.id])?;
        Ok(())
    }
}
