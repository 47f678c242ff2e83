//! Products of quantized rows and quantized weights: whole numbers within a
//! block, `f32` across blocks. The CPU must multiply bytes in vectors for it to
//! pay off; where it does not, weights are made `f32` instead.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::activations::QuantizedBlock;
use super::isa::{Isa, IsaLevel};
use super::lanes::{COLUMNS, ROWS, TileRow};
use crate::stored_matrix::{BLOCK, BLOCK_BYTES};

/// The same block of 32 columns of a product: of as many rows of weights.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct PanelBlock {
    /// Four numbers each, as in [`QuantizedBlock`], of each column.
    quants: [[i32; COLUMNS]; BLOCK / 4],
    scales: [f32; COLUMNS],
}

impl PanelBlock {
    const ZERO: Self = Self {
        quants: [[0; COLUMNS]; BLOCK / 4],
        scales: [0.0; COLUMNS],
    };
}

/// Returns true when there is a product of whole numbers for the CPU.
pub(crate) fn is_fast(isa: Isa) -> bool {
    isa.level() != IsaLevel::Portable
}

/// Packs 32 rows of `Q8_0` for [`multiply`].
pub(crate) fn pack<'a>(
    isa: Isa,
    rows: impl Iterator<Item = &'a [u8]>,
    panel: &mut Vec<PanelBlock>,
) {
    let mut packed: [&[[u8; BLOCK_BYTES]]; COLUMNS] = [&[]; COLUMNS];
    for (to, row) in packed.iter_mut().zip(rows) {
        *to = row.as_chunks().0;
    }
    panel.resize(packed[0].len(), PanelBlock::ZERO);
    match isa.level() {
        IsaLevel::Portable => {}
        #[cfg(target_arch = "aarch64")]
        IsaLevel::Dotprod => neon::pack_blocks(&packed, panel),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a CPU of these levels has AVX2.
        IsaLevel::Avx2 | IsaLevel::AvxVnni | IsaLevel::Avx512 => unsafe {
            x86::pack_blocks(isa, &packed, panel);
        },
    }
}

/// Writes the products of rows (as many blocks each as the panel has) with a
/// panel, plus `bias` in each row, over `out`, a whole tile of rows at a time.
pub(crate) fn multiply(
    isa: Isa,
    rows: &[QuantizedBlock],
    panel: &[PanelBlock],
    bias: &TileRow,
    out: &mut [TileRow],
) {
    let tiles = rows.chunks_exact(ROWS * panel.len().max(1));
    for (rows, out) in tiles.zip(out.as_chunks_mut::<ROWS>().0) {
        multiply_tile(isa, rows, panel, bias, out);
    }
}

fn multiply_tile(
    isa: Isa,
    rows: &[QuantizedBlock],
    panel: &[PanelBlock],
    bias: &TileRow,
    out: &mut [TileRow; ROWS],
) {
    match isa.level() {
        IsaLevel::Portable => {}
        #[cfg(target_arch = "aarch64")]
        // SAFETY: an `Isa` is one that the CPU has.
        IsaLevel::Dotprod => unsafe { neon::multiply_tile(rows, panel, bias, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        IsaLevel::Avx2 | IsaLevel::AvxVnni => unsafe {
            x86::tile_avx2(isa, rows, panel, bias, out);
        },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        IsaLevel::Avx512 => unsafe { x86::tile_avx512(rows, panel, bias, out) },
    }
}
