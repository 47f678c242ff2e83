//! Inputs of linear layers: rows of numbers, as products take them.

use super::functions::{max, reduce};
use super::isa::{Isa, per_isa};
use super::lanes::ROWS;
use super::threads::min_tasks;
use crate::stored_matrix::BLOCK;
use ndarray::ArrayViewMut2;
use rayon::prelude::*;
use std::borrow::Cow;

/// Rows that a thread quantizes at once.
const ROWS_PER_TASK: usize = 8;

/// A quantized block: the numbers of a row that share a scale, each `scale * quant`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct QuantizedBlock {
    /// 32 numbers of −127 to 127, four in each, the first in the lowest bits.
    pub quants: [i32; BLOCK / 4],
    /// The largest magnitude, by 127.
    pub scale: f32,
    /// −128 times the sum of the quants: what a product with weights that were
    /// raised by 128, to be without sign, has too much.
    pub correction: i32,
}

/// Rows of numbers of one length.
#[derive(Debug)]
pub(crate) enum Activations<'a> {
    /// Rows in `f32`.
    Float {
        /// Length of a row.
        width: usize,
        /// The rows.
        numbers: Cow<'a, [f32]>,
    },
    /// Quantized.
    Integer {
        /// The number of rows.
        rows: usize,
        /// Blocks of a row.
        width: usize,
        /// The rows, and as many of zeros as fill a tile.
        blocks: Vec<QuantizedBlock>,
    },
}

impl<'a> Activations<'a> {
    /// Creates activations of `width` numbers a row, quantized on all threads if the product is one
    /// of whole numbers.
    pub(crate) fn new(isa: Isa, numbers: &'a [f32], width: usize, is_integer: bool) -> Self {
        if !is_integer {
            let numbers = Cow::Borrowed(numbers);
            return Self::Float { width, numbers };
        }
        let rows = numbers.len() / width.max(1);
        let width = width / BLOCK;
        let mut blocks = vec![QuantizedBlock::default(); rows.next_multiple_of(ROWS) * width];
        let tasks = blocks
            .par_chunks_mut(ROWS_PER_TASK * width)
            .with_min_len(min_tasks());
        let (numbers, _) = numbers.as_chunks();
        tasks
            .zip(numbers.par_chunks(ROWS_PER_TASK * width))
            .for_each(|(blocks, numbers)| quantize(isa, numbers, blocks));
        Self::Integer {
            rows,
            width,
            blocks,
        }
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Float { width, numbers } => numbers.len() / width,
            Self::Integer { rows, .. } => *rows,
        }
    }
}

per_isa! {
    /// Quantizes 32 columns of some rows, a block each.
    pub(crate) fn quantize_strip(numbers: &[[f32; BLOCK]], out: ArrayViewMut2<'_, QuantizedBlock>) = quantize_strip_anywhere
}

#[inline(always)]
fn quantize_strip_anywhere(numbers: &[[f32; BLOCK]], mut out: ArrayViewMut2<'_, QuantizedBlock>) {
    for (numbers, out) in numbers.iter().zip(out.iter_mut()) {
        *out = quantize_block(numbers);
    }
}

per_isa! {
    /// Quantizes blocks.
    fn quantize(numbers: &[[f32; BLOCK]], out: &mut [QuantizedBlock]) = quantize_anywhere
}

/// Quantizes blocks in a loop: a closure would not get the instructions of the caller.
#[inline(always)]
fn quantize_anywhere(numbers: &[[f32; BLOCK]], out: &mut [QuantizedBlock]) {
    for (numbers, out) in numbers.iter().zip(out) {
        *out = quantize_block(numbers);
    }
}

/// Adding this to a small number rounds it; the sum's lowest bits are it.
pub(crate) const ROUND: f32 = 12_582_912.0;

/// Returns the nearest whole number of one from −127 to 127.
#[inline(always)]
pub(crate) fn round_to_i8(x: f32) -> i8 {
    (x + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32 as i8
}

/// Quantizes numbers; to zeros where they are so small that the inverse of
/// their scale could overflow.
#[inline(always)]
fn quantize_block(numbers: &[f32; BLOCK]) -> QuantizedBlock {
    let largest = largest_magnitude(numbers);
    let inverse = if largest > 1e-30 {
        127.0 / largest
    } else {
        0.0
    };
    let mut bytes = [0_i8; BLOCK];
    let mut sum = 0;
    for (byte, x) in bytes.iter_mut().zip(numbers) {
        *byte = round_to_i8(x * inverse);
        sum += i32::from(*byte);
    }
    let (fours, _) = bytes.as_chunks::<4>();
    QuantizedBlock {
        quants: std::array::from_fn(|at| i32::from_le_bytes(fours[at].map(|x| x as u8))),
        scale: largest / 127.0,
        correction: -128 * sum,
    }
}

/// Returns the largest magnitude of a block's numbers.
#[inline(always)]
pub(crate) fn largest_magnitude(numbers: &[f32; BLOCK]) -> f32 {
    let mut largest = [0.0; 16];
    for sixteen in numbers.as_chunks::<16>().0 {
        for (largest, x) in largest.iter_mut().zip(sixteen) {
            *largest = max(*largest, x.abs());
        }
    }
    reduce(largest, max)
}
