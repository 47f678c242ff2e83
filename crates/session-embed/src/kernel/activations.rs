//! What goes into a linear layer: rows of numbers, as its product wants them.

use super::function::{at_least, fold};
use super::isa::{Isa, per_isa};
use super::lanes::{COLUMNS, ROWS, TileRow};
use crate::tensor::BLOCK;
use rayon::prelude::*;

/// As many numbers of a row as share a scale, quantised: `scale * quant`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Block {
    /// 32 numbers of −127 to 127, four in each, the first in the lowest bits.
    pub quants: [i32; BLOCK / 4],
    /// The greatest of the numbers, by 127.
    pub scale: f32,
    /// −128 times the sum of the quants: what a product with weights that were
    /// raised by 128, to be without sign, has too much.
    pub correction: i32,
}

const _: () = assert!(
    BLOCK == COLUMNS,
    "a strip of a product is a block of the next"
);

/// Rows of numbers. After the last come as many of zeros as fill a tile.
#[derive(Debug)]
pub enum Activations {
    /// As they are.
    Float {
        /// Length of a row.
        width: usize,
        /// The rows.
        numbers: Vec<f32>,
    },
    /// Quantised.
    Integer {
        /// Blocks of a row.
        width: usize,
        /// The rows.
        blocks: Vec<Block>,
    },
}

impl Activations {
    /// No rows, of `width` numbers.
    pub fn new(width: usize, integer: bool) -> Self {
        match integer {
            true => Self::Integer {
                width: width / BLOCK,
                blocks: Vec::new(),
            },
            false => Self::Float {
                width,
                numbers: Vec::new(),
            },
        }
    }

    /// Makes room for as many rows.
    pub fn resize(&mut self, rows: usize) {
        let rows = rows.next_multiple_of(ROWS);
        match self {
            Self::Float { width, numbers } => resize_zeroed(numbers, rows * *width),
            Self::Integer { width, blocks } => {
                blocks.clear();
                blocks.resize(rows * *width, Block::default());
            }
        }
    }

    /// Takes whole rows, from the first on.
    pub fn set_rows(&mut self, isa: Isa, rows: &[f32]) {
        match self {
            Self::Float { numbers, .. } => numbers[..rows.len()].copy_from_slice(rows),
            Self::Integer { blocks, .. } => quantise(isa, rows.as_chunks().0, 1, blocks),
        }
    }

    /// Takes `count` whole rows, on all threads: `write` writes the row of a
    /// place.
    pub fn fill(&mut self, isa: Isa, count: usize, write: impl Fn(usize, &mut [f32]) + Sync) {
        match self {
            Self::Float { width, numbers } => {
                let rows = numbers.par_chunks_mut(*width).take(count).enumerate();
                rows.for_each(|(at, row)| write(at, row));
            }
            Self::Integer { width, blocks } => {
                let buffer = || vec![0.0; *width * BLOCK];
                let rows = blocks.par_chunks_mut(*width).take(count).enumerate();
                let rows = rows.with_min_len(ROWS);
                rows.for_each_init(buffer, |numbers, (at, row)| {
                    write(at, numbers);
                    quantise(isa, numbers.as_chunks().0, 1, row);
                });
            }
        }
    }

    /// Takes the 32 columns from `column` of some rows, from `row` on.
    pub fn set_strip(&mut self, isa: Isa, row: usize, column: usize, strip: &[TileRow]) {
        match self {
            Self::Float { width, numbers } => {
                let rows = numbers[row * *width..].chunks_mut(*width);
                rows.zip(strip)
                    .for_each(|(row, strip)| row[column..][..COLUMNS].copy_from_slice(strip));
            }
            Self::Integer { width, blocks } => {
                let at = row * *width + column / BLOCK;
                quantise(isa, strip, *width, &mut blocks[at..]);
            }
        }
    }
}

/// As many zeros; what was there is of no use.
pub fn resize_zeroed(numbers: &mut Vec<f32>, len: usize) {
    numbers.clear();
    numbers.resize(len, 0.0);
}

per_isa! {
    /// Quantises blocks, to every `step`th of `out`.
    fn quantise(numbers: &[[f32; BLOCK]], step: usize, out: &mut [Block]) = quantise_anywhere
}

#[inline(always)]
fn quantise_anywhere(numbers: &[[f32; BLOCK]], step: usize, out: &mut [Block]) {
    for (numbers, out) in numbers.iter().zip(out.iter_mut().step_by(step)) {
        *out = quantised(numbers);
    }
}

/// Adding this to a small number rounds it; the sum's lowest bits are it.
pub const ROUND: f32 = 12_582_912.0;

/// The nearest whole number of one from −127 to 127.
#[inline(always)]
pub fn nearest(x: f32) -> i8 {
    (x + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32 as i8
}

#[inline(always)]
fn quantised(numbers: &[f32; BLOCK]) -> Block {
    let most = greatest(numbers);
    let inverse = if most > 0.0 { 127.0 / most } else { 0.0 };
    let mut bytes = [0_i8; BLOCK];
    let mut sum = 0;
    for (byte, x) in bytes.iter_mut().zip(numbers) {
        *byte = nearest(x * inverse);
        sum += i32::from(*byte);
    }
    let (fours, _) = bytes.as_chunks::<4>();
    Block {
        quants: std::array::from_fn(|at| i32::from_le_bytes(fours[at].map(|x| x as u8))),
        scale: most / 127.0,
        correction: -128 * sum,
    }
}

/// The greatest size of a number of a block.
#[inline(always)]
pub fn greatest(numbers: &[f32; BLOCK]) -> f32 {
    let mut most = [0.0; 16];
    for sixteen in numbers.as_chunks::<16>().0 {
        for (most, x) in most.iter_mut().zip(sixteen) {
            *most = at_least(*most, x.abs());
        }
    }
    fold(most, at_least)
}
