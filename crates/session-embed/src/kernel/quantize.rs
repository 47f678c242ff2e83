//! Weights of other types made `Q8_0`, when a model is opened.

use super::activations::{largest_magnitude, round_to_i8};
use super::isa::{Isa, per_isa};
use crate::stored_matrix::{BLOCK, BLOCK_BYTES, StoredMatrix, dequantize, row_bytes};
use candle_core::quantized::GgmlDType;
use half::f16;
use rayon::prelude::*;

/// Returns the same matrix in `Q8_0`; as it is where it is that, or its rows
/// are no multiple of 32.
pub(crate) fn to_q8_0(isa: Isa, matrix: StoredMatrix) -> StoredMatrix {
    let len = row_bytes(GgmlDType::Q8_0, matrix.columns());
    let (Some(len), false) = (
        len.filter(|&len| len > 0),
        matrix.dtype() == GgmlDType::Q8_0,
    ) else {
        return matrix;
    };
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let mut bytes = vec![0; len * rows];
    let quantized = bytes.par_chunks_exact_mut(len).enumerate().with_min_len(16);
    quantized.for_each_init(
        || vec![0.0; columns],
        |numbers, (at, out)| quantize_row(isa, matrix.dtype(), matrix.row(at), numbers, out),
    );
    StoredMatrix::new(GgmlDType::Q8_0, rows, columns, bytes.into()).unwrap_or(matrix)
}

per_isa! {
    /// Quantizes a row, over `out`; `numbers` has room for it.
    fn quantize_row(dtype: GgmlDType, row: &[u8], numbers: &mut [f32], out: &mut [u8]) = quantize_row_anywhere
}

#[inline(always)]
fn quantize_row_anywhere(dtype: GgmlDType, row: &[u8], numbers: &mut [f32], out: &mut [u8]) {
    dequantize(dtype, row, numbers);
    let blocks = out.as_chunks_mut::<BLOCK_BYTES>().0.iter_mut();
    for (numbers, block) in numbers.as_chunks::<BLOCK>().0.iter().zip(blocks) {
        let largest = largest_magnitude(numbers);
        let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
        let (scale, quants) = block.split_at_mut(2);
        scale.copy_from_slice(&f16::from_f32(largest / 127.0).to_le_bytes());
        for (quant, x) in quants.iter_mut().zip(numbers) {
            *quant = round_to_i8(x * inverse) as u8;
        }
    }
}
