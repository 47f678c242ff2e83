//! The token table at rest.
//!
//! After the [header](crate::header) (sizes: rows, dims, half-life) come
//!
//! 1. `rows` × `f32`, the scale of each row;
//! 2. `rows` × `dims` × `i8`, the rows in the order of token ids.
//!
//! A token's vector is its scale times its row. How much a token counts in a
//! sum of tokens is part of the scale; special tokens have a scale of zero.
//! The half-life says after how many tokens of a text a token counts half.

use crate::EmbedError;
use crate::header::{self, FileFormat};
use std::borrow::Cow;

const FORMAT: FileFormat = FileFormat {
    name: "token table",
    magic: b"SSTABLE\0",
    version: 1,
};

/// A table, used where its bytes are.
#[derive(Debug, Clone)]
pub struct TokenTable {
    bytes: Cow<'static, [u8]>,
    rows: usize,
    dims: usize,
    half_life: usize,
}

/// The row of a token.
#[derive(Debug, Clone, Copy)]
pub struct TableRow<'a> {
    /// The scale of its numbers.
    pub scale: f32,
    /// The numbers divided by the scale; the bytes are `i8`.
    pub quants: &'a [u8],
}

impl TokenTable {
    /// Makes the file of a table of `dims` columns from its rows, quantising
    /// each so that its greatest number becomes 127. `half_life` is in tokens.
    pub fn compile(dims: usize, half_life: usize, rows: &[Vec<f32>]) -> Vec<u8> {
        let scales = rows.iter().map(|row| row_scale(row));
        let mut body: Vec<u8> = scales.clone().flat_map(f32::to_le_bytes).collect();
        for (row, scale) in rows.iter().zip(scales) {
            body.extend((0..dims).map(|at| quantize_number(row.get(at).copied(), scale) as u8));
        }
        FORMAT.write([rows.len() as u32, dims as u32, half_life as u32], &body)
    }

    /// Opens a file that [`TokenTable::compile`] made. Looks at its header and
    /// length alone.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not such a file.
    pub fn open(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, EmbedError> {
        let bytes = bytes.into();
        let [rows, dims, half_life] = FORMAT.read(&bytes)?;
        let len = rows
            .checked_mul(dims + 4)
            .and_then(|len| len.checked_add(header::LEN));
        if len != Some(bytes.len()) || half_life == 0 {
            return Err(FORMAT.error("its sizes are wrong"));
        }
        Ok(Self {
            bytes,
            rows,
            dims,
            half_life,
        })
    }

    /// Reads the whole file and compares its checksum.
    ///
    /// # Errors
    /// [`EmbedError::File`] when they differ.
    pub fn verify(&self) -> Result<(), EmbedError> {
        FORMAT.verify(&self.bytes)
    }

    /// Returns the number of tokens that have vectors.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the length of a vector.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Returns the number of tokens of a text after which a token counts half.
    pub fn half_life(&self) -> usize {
        self.half_life
    }

    /// Returns the row of a token; `None` for a token without a vector.
    #[inline]
    pub fn row(&self, id: u32) -> Option<TableRow<'_>> {
        let id = id as usize;
        if id >= self.rows {
            return None;
        }
        let body = self.bytes.get(header::LEN..)?;
        let scale = f32::from_le_bytes(*body.get(4 * id..)?.first_chunk()?);
        let at = 4 * self.rows + id * self.dims;
        let quants = body.get(at..at + self.dims)?;
        (scale != 0.0).then_some(TableRow { scale, quants })
    }
}

fn row_scale(row: &[f32]) -> f32 {
    row.iter().fold(0.0_f32, |most, x| most.max(x.abs())) / 127.0
}

fn quantize_number(number: Option<f32>, scale: f32) -> i8 {
    match number {
        Some(x) if scale > 0.0 => (x / scale).round() as i8,
        _ => 0,
    }
}
