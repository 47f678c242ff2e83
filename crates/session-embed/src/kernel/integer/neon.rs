//! Products of whole numbers on arm64.

use super::{BLOCK_BYTES, COLUMNS, PanelBlock, QuantizedBlock, ROWS, TileRow};
use crate::stored_matrix::f16_to_f32;
use std::arch::aarch64::*;
use std::arch::asm;

/// Columns that are computed at once.
const EIGHT: usize = 8;

/// Packs block by block, so that what is written stays in the fastest cache.
pub(crate) fn pack_blocks(rows: &[&[[u8; BLOCK_BYTES]]; COLUMNS], panel: &mut [PanelBlock]) {
    let rows = rows.map(|row| &row[..panel.len()]);
    for (at, block) in panel.iter_mut().enumerate() {
        for (column, row) in rows.iter().enumerate() {
            let [low, high, quants @ ..] = &row[at];
            block.scales[column] = f16_to_f32(u16::from_le_bytes([*low, *high]));
            for (to, four) in block.quants.iter_mut().zip(quants.as_chunks().0) {
                to[column] = i32::from_le_bytes(*four);
            }
        }
    }
}

/// Computes a tile, eight columns at once: there are but 32 registers.
#[target_feature(enable = "neon,dotprod")]
pub(crate) fn multiply_tile(
    rows: &[QuantizedBlock],
    panel: &[PanelBlock],
    bias: &TileRow,
    out: &mut [TileRow; ROWS],
) {
    for (eighth, bias) in bias.as_chunks::<EIGHT>().0.iter().enumerate() {
        let sums = multiply_eighth(rows, panel, eighth, bias);
        for (out, sums) in out.iter_mut().zip(sums) {
            let (fours, _) = out.as_chunks_mut::<EIGHT>().0[eighth].as_chunks_mut();
            for (out, sum) in fours.iter_mut().zip(sums) {
                store_f32(sum, out);
            }
        }
    }
}

/// Computes eight columns by products of signed bytes, four to a sum.
#[target_feature(enable = "neon,dotprod")]
fn multiply_eighth(
    rows: &[QuantizedBlock],
    panel: &[PanelBlock],
    eighth: usize,
    bias: &[f32; EIGHT],
) -> [[float32x4_t; 2]; ROWS] {
    let mut sums = [load_f32x8(bias); ROWS];
    for (at, weights) in panel.iter().enumerate() {
        let rows: [&QuantizedBlock; ROWS] =
            std::array::from_fn(|row| &rows[row * panel.len() + at]);
        let mut whole = [[vdupq_n_s32(0); 2]; ROWS];
        for (half, groups) in weights.quants.as_chunks::<4>().0.iter().enumerate() {
            let quants = rows.map(|row| load_i32(&row.quants.as_chunks().0[half]));
            let [a, b, c, d] = groups
                .each_ref()
                .map(|group| load_i32x8(&group.as_chunks().0[eighth]));
            add_products::<0>(&mut whole, a, quants);
            add_products::<1>(&mut whole, b, quants);
            add_products::<2>(&mut whole, c, quants);
            add_products::<3>(&mut whole, d, quants);
        }
        let scales = load_f32x8(&weights.scales.as_chunks().0[eighth]);
        for ((sums, whole), row) in sums.iter_mut().zip(whole).zip(rows) {
            for ((sum, whole), scales) in sums.iter_mut().zip(whole).zip(scales) {
                let scale = vmulq_n_f32(scales, row.scale);
                *sum = vfmaq_f32(*sum, vcvtq_f32_s32(whole), scale);
            }
        }
    }
    sums
}

/// Adds the products of four numbers of each column with those of each row, the `GROUP`th of `quants`.
#[inline]
#[target_feature(enable = "neon,dotprod")]
fn add_products<const GROUP: usize>(
    whole: &mut [[int32x4_t; 2]; ROWS],
    weights: [int32x4_t; 2],
    quants: [int32x4_t; ROWS],
) {
    for (whole, quants) in whole.iter_mut().zip(quants) {
        for (whole, weights) in whole.iter_mut().zip(weights) {
            // The intrinsic for it (`vdotq_laneq_s32`) is newer than the oldest Rust that builds this.
            // SAFETY: the CPU has the instruction, which reads and writes these registers alone.
            unsafe {
                asm!(
                    "sdot {whole:v}.4s, {weights:v}.16b, {quants:v}.4b[{group}]",
                    whole = inout(vreg) *whole,
                    weights = in(vreg) weights,
                    quants = in(vreg) quants,
                    group = const GROUP,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
        }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn load_i32(from: &[i32; 4]) -> int32x4_t {
    // SAFETY: there are four numbers.
    unsafe { vld1q_s32(from.as_ptr()) }
}

#[inline]
#[target_feature(enable = "neon")]
fn load_i32x8(from: &[i32; EIGHT]) -> [int32x4_t; 2] {
    // SAFETY: there are eight numbers.
    unsafe { [vld1q_s32(from.as_ptr()), vld1q_s32(from.as_ptr().add(4))] }
}

#[inline]
#[target_feature(enable = "neon")]
fn load_f32x8(from: &[f32; EIGHT]) -> [float32x4_t; 2] {
    // SAFETY: as above.
    unsafe { [vld1q_f32(from.as_ptr()), vld1q_f32(from.as_ptr().add(4))] }
}

#[inline]
#[target_feature(enable = "neon")]
fn store_f32(x: float32x4_t, to: &mut [f32; 4]) {
    // SAFETY: there is room for four numbers.
    unsafe { vst1q_f32(to.as_mut_ptr(), x) }
}
