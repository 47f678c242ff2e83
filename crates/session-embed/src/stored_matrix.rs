//! Matrices of a model's file, read where they lie.

use crate::EmbedError;
use bytes::Bytes;
use candle_core::quantized::GgmlDType;

/// Numbers in a block of `Q8_0`.
pub(crate) const BLOCK: usize = 32;
/// Bytes of a block of `Q8_0`: a scale, which is an `f16`, and an `i8` a number.
pub(crate) const BLOCK_BYTES: usize = 2 + BLOCK;

/// A matrix of `F32`, `F16`, `BF16` or `Q8_0`, little endian. A vector is a
/// matrix of one row.
#[derive(Debug, Clone)]
pub(crate) struct StoredMatrix {
    dtype: GgmlDType,
    rows: usize,
    columns: usize,
    bytes: Bytes,
}

/// A file of named matrices.
pub(crate) trait WeightFile: Sync {
    /// Returns the matrix of this name.
    ///
    /// # Errors
    /// [`EmbedError::File`] when there is none.
    fn find(&self, name: &str) -> Result<StoredMatrix, EmbedError>;

    /// Returns the name of such a file in errors.
    fn kind(&self) -> &'static str;

    /// Returns a matrix of this size.
    ///
    /// # Errors
    /// [`EmbedError::File`] when there is none of this name, or it has another
    /// size.
    fn matrix(&self, name: &str, rows: usize, columns: usize) -> Result<StoredMatrix, EmbedError> {
        let matrix = self.find(name)?;
        if (matrix.rows, matrix.columns) != (rows, columns) {
            return Err(EmbedError::File {
                file: self.kind(),
                reason: "a tensor has another size than the model's",
            });
        }
        Ok(matrix)
    }

    /// Copies a vector.
    ///
    /// # Errors
    /// [`EmbedError::File`] as for [`WeightFile::matrix`].
    fn vector(&self, name: &str, len: usize) -> Result<Vec<f32>, EmbedError> {
        Ok(self.matrix(name, 1, len)?.to_f32())
    }
}

impl StoredMatrix {
    /// Creates a matrix over `bytes`; `None` when it takes another number of them.
    pub(crate) fn new(dtype: GgmlDType, rows: usize, columns: usize, bytes: Bytes) -> Option<Self> {
        let len = row_bytes(dtype, columns)?.checked_mul(rows)?;
        (len == bytes.len()).then_some(Self {
            dtype,
            rows,
            columns,
            bytes,
        })
    }

    /// Returns the type of its numbers.
    pub(crate) fn dtype(&self) -> GgmlDType {
        self.dtype
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the length of a row.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the bytes of a row; none beyond the end.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[u8] {
        let len = row_bytes(self.dtype, self.columns).unwrap_or(0);
        let at = row.saturating_mul(len);
        let row = self.bytes.get(at..at.saturating_add(len));
        row.unwrap_or_default()
    }

    /// Writes the numbers of a row over `out`.
    pub(crate) fn read_row(&self, row: usize, out: &mut [f32]) {
        dequantize(self.dtype, self.row(row), out);
    }

    /// Copies all its numbers, row by row.
    pub(crate) fn to_f32(&self) -> Vec<f32> {
        let mut numbers = vec![0.0; self.rows * self.columns];
        let rows = numbers.chunks_exact_mut(self.columns.max(1)).enumerate();
        rows.for_each(|(row, out)| self.read_row(row, out));
        numbers
    }
}

/// The size of a tensor as a matrix: all its dimensions but the last are rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MatrixSize {
    /// The number of rows.
    pub rows: usize,
    /// The length of a row.
    pub columns: usize,
}

/// Returns the size of a tensor of such a shape; `None` for a scalar.
pub(crate) fn matrix_size(shape: &[usize]) -> Option<MatrixSize> {
    let (&columns, rows) = shape.split_last()?;
    let rows = rows
        .iter()
        .try_fold(1_usize, |all, &n| all.checked_mul(n))?;
    Some(MatrixSize { rows, columns })
}

/// Returns the bytes of a row; `None` if rows cannot have that length, or numbers are
/// of a type that is not read here.
pub(crate) fn row_bytes(dtype: GgmlDType, columns: usize) -> Option<usize> {
    match dtype {
        GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 | GgmlDType::Q8_0
            if columns.is_multiple_of(dtype.block_size()) =>
        {
            (columns / dtype.block_size()).checked_mul(dtype.type_size())
        }
        _ => None,
    }
}

/// Writes the numbers of a row over `out`.
#[inline(always)]
pub(crate) fn dequantize(dtype: GgmlDType, row: &[u8], out: &mut [f32]) {
    match dtype {
        GgmlDType::F32 => {
            let (fours, _) = row.as_chunks();
            let numbers = fours.iter().map(|four| f32::from_le_bytes(*four));
            numbers.zip(out).for_each(|(x, out)| *out = x);
        }
        GgmlDType::F16 => halves(row)
            .zip(out)
            .for_each(|(x, out)| *out = f16_to_f32(x)),
        GgmlDType::BF16 => halves(row)
            .zip(out)
            .for_each(|(x, out)| *out = f32::from_bits(u32::from(x) << 16)),
        GgmlDType::Q8_0 => {
            for (Q8Block { scale, quants }, out) in q8_0_blocks(row).zip(out.chunks_mut(BLOCK)) {
                let quants = quants.iter().map(|&byte| f32::from(byte as i8));
                quants.zip(out).for_each(|(q, out)| *out = scale * q);
            }
        }
        _ => {}
    }
}

fn halves(row: &[u8]) -> impl Iterator<Item = u16> {
    let (pairs, _) = row.as_chunks();
    pairs.iter().map(|pair| u16::from_le_bytes(*pair))
}

/// A block of `Q8_0`: 32 numbers with one scale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Q8Block<'a> {
    /// The scale of its numbers.
    pub scale: f32,
    /// The numbers divided by the scale; the bytes are `i8`.
    pub quants: &'a [u8; BLOCK],
}

/// Iterates over the blocks of a row of `Q8_0`.
pub(crate) fn q8_0_blocks(row: &[u8]) -> impl Iterator<Item = Q8Block<'_>> {
    let (blocks, _) = row.as_chunks::<BLOCK_BYTES>();
    blocks.iter().filter_map(|block| {
        let (scale, quants) = block.split_first_chunk()?;
        Some(Q8Block {
            scale: f16_to_f32(u16::from_le_bytes(*scale)),
            quants: quants.first_chunk()?,
        })
    })
}

/// Returns the value of an `f16`, subnormal ones included, but for infinities and NaN,
/// which become large numbers. No branches: `half` asks for the CPU's
/// instruction at each call.
#[inline(always)]
pub(crate) fn f16_to_f32(bits: u16) -> f32 {
    /// 2¹¹², the difference of the exponents' offsets.
    const REBIAS: f32 = f32::from_bits((127 + 112) << 23);
    let magnitude = f32::from_bits(u32::from(bits & 0x7fff) << 13) * REBIAS;
    f32::from_bits(magnitude.to_bits() | u32::from(bits & 0x8000) << 16)
}
