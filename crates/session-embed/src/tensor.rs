//! Matrices, read where they lie.

use crate::EmbedError;
use bytes::Bytes;

/// Numbers in a block of `Q8_0`.
pub const BLOCK: usize = 32;
/// Bytes of a block of `Q8_0`: a scale, which is an `f16`, and an `i8` a number.
pub const BLOCK_BYTES: usize = 2 + BLOCK;

/// How numbers are stored, little endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `f32`.
    F32,
    /// `f16`.
    F16,
    /// The upper half of an `f32`.
    Bf16,
    /// Blocks of 32 `i8` with a scale.
    Q8_0,
}

/// A matrix. A vector is a matrix of one row.
#[derive(Debug, Clone)]
pub struct Tensor {
    form: Form,
    rows: usize,
    columns: usize,
    bytes: Bytes,
}

/// A file of named tensors.
pub trait Weights {
    /// The tensor of this name.
    ///
    /// # Errors
    /// [`EmbedError::File`] when there is none.
    fn find(&self, name: &str) -> Result<Tensor, EmbedError>;

    /// How an error calls such a file.
    fn kind(&self) -> &'static str;

    /// A tensor of this size.
    ///
    /// # Errors
    /// [`EmbedError::File`] when there is none of this name, or it has another
    /// size.
    fn tensor(&self, name: &str, rows: usize, columns: usize) -> Result<Tensor, EmbedError> {
        let tensor = self.find(name)?;
        if (tensor.rows, tensor.columns) != (rows, columns) {
            return Err(EmbedError::File {
                file: self.kind(),
                reason: "a tensor has another size than the model's",
            });
        }
        Ok(tensor)
    }

    /// The numbers of a tensor of one row, copied.
    ///
    /// # Errors
    /// [`EmbedError::File`] as for [`Weights::tensor`].
    fn vector(&self, name: &str, columns: usize) -> Result<Vec<f32>, EmbedError> {
        let tensor = self.tensor(name, 1, columns)?;
        let mut vector = vec![0.0; columns];
        tensor.read_row(0, &mut vector);
        Ok(vector)
    }
}

impl Tensor {
    /// A matrix in `bytes`, which must be as many as it takes.
    pub fn new(form: Form, rows: usize, columns: usize, bytes: Bytes) -> Option<Self> {
        let len = form.row_bytes(columns)?.checked_mul(rows)?;
        (len == bytes.len()).then_some(Self {
            form,
            rows,
            columns,
            bytes,
        })
    }

    /// What its bytes mean.
    pub fn form(&self) -> Form {
        self.form
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Length of a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The bytes of a row; none beyond the end.
    #[inline]
    pub fn row(&self, row: usize) -> &[u8] {
        let len = self.form.row_bytes(self.columns).unwrap_or(0);
        let at = row.saturating_mul(len);
        let row = self.bytes.get(at..at.saturating_add(len));
        row.unwrap_or_default()
    }

    /// Writes the numbers of a row.
    pub fn read_row(&self, row: usize, out: &mut [f32]) {
        self.form.read(self.row(row), out);
    }

    /// Adds the numbers of a row to `sum`.
    pub fn add_row(&self, row: usize, sum: &mut [f32]) {
        let mut sum = sum.iter_mut();
        self.form.each(self.row(row), |x| {
            if let Some(sum) = sum.next() {
                *sum += x;
            }
        });
    }
}

impl Form {
    /// Bytes of a row of as many numbers; none where rows cannot be that long.
    pub fn row_bytes(self, columns: usize) -> Option<usize> {
        match self {
            Self::F32 => columns.checked_mul(4),
            Self::F16 | Self::Bf16 => columns.checked_mul(2),
            Self::Q8_0 if columns.is_multiple_of(BLOCK) => {
                (columns / BLOCK).checked_mul(BLOCK_BYTES)
            }
            Self::Q8_0 => None,
        }
    }

    /// Writes the numbers of a row.
    #[inline(always)]
    pub fn read(self, row: &[u8], out: &mut [f32]) {
        match self {
            Self::F32 => floats(row).zip(out).for_each(|(x, out)| *out = x),
            Self::F16 => halves(row)
                .zip(out)
                .for_each(|(x, out)| *out = f16_to_f32(x)),
            Self::Bf16 => halves(row)
                .zip(out)
                .for_each(|(x, out)| *out = bf16_to_f32(x)),
            Self::Q8_0 => {
                for ((scale, quants), out) in blocks(row).zip(out.chunks_mut(BLOCK)) {
                    let quants = quants.iter().map(|&byte| f32::from(byte as i8));
                    quants.zip(out).for_each(|(q, out)| *out = scale * q);
                }
            }
        }
    }

    /// Gives on the numbers of a row.
    #[inline(always)]
    pub fn each(self, row: &[u8], mut sink: impl FnMut(f32)) {
        match self {
            Self::F32 => floats(row).for_each(sink),
            Self::F16 => halves(row).for_each(|x| sink(f16_to_f32(x))),
            Self::Bf16 => halves(row).for_each(|x| sink(bf16_to_f32(x))),
            Self::Q8_0 => blocks(row).for_each(|(scale, quants)| {
                quants
                    .iter()
                    .for_each(|&byte| sink(scale * f32::from(byte as i8)));
            }),
        }
    }
}

fn floats(row: &[u8]) -> impl Iterator<Item = f32> {
    let (fours, _) = row.as_chunks();
    fours.iter().map(|four| f32::from_le_bytes(*four))
}

fn halves(row: &[u8]) -> impl Iterator<Item = u16> {
    let (pairs, _) = row.as_chunks();
    pairs.iter().map(|pair| u16::from_le_bytes(*pair))
}

fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

/// Scale and numbers (`i8`) of each block of a row of `Q8_0`.
pub fn blocks(row: &[u8]) -> impl Iterator<Item = (f32, &[u8; BLOCK])> {
    let (blocks, _) = row.as_chunks::<BLOCK_BYTES>();
    blocks.iter().filter_map(|block| {
        let (scale, quants) = block.split_first_chunk()?;
        Some((
            f16_to_f32(u16::from_le_bytes(*scale)),
            quants.first_chunk()?,
        ))
    })
}

/// The value of an `f16`, subnormal ones included, but for infinities and NaN,
/// which become large numbers. No branches.
#[inline(always)]
pub fn f16_to_f32(bits: u16) -> f32 {
    /// 2¹¹², the difference of the exponents' offsets.
    const REBIAS: f32 = f32::from_bits((127 + 112) << 23);
    let magnitude = f32::from_bits(u32::from(bits & 0x7fff) << 13) * REBIAS;
    f32::from_bits(magnitude.to_bits() | u32::from(bits & 0x8000) << 16)
}
