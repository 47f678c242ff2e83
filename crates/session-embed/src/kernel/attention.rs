//! What a tile of tokens heeds: the products that attention is made of.

use super::function::exp_all;
use super::lanes::{COLUMNS, Lanes, ROWS, TileRow, tile};

/// How much each token of a tile heeds each token before it or after it.
#[derive(Debug, Default)]
pub struct Scores {
    /// A row a token of the tile, a multiple of 32 numbers long.
    numbers: Vec<f32>,
    padded: usize,
}

impl Scores {
    /// Compares the queries of a tile (rows of `width` numbers) with keys, which
    /// come transposed: for each 32 tokens a row a number of the key.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    pub unsafe fn compare<V: Lanes>(&mut self, queries: &[f32], keys: &[TileRow], width: usize) {
        self.padded = keys.len() / width * COLUMNS;
        self.numbers.resize(ROWS * self.padded, 0.0);
        let queries = std::array::from_fn(|row| &queries[row * width..][..width]);
        let mut out = [[0.0; COLUMNS]; ROWS];
        for (at, keys) in keys.chunks_exact(width).enumerate() {
            // SAFETY: the caller's CPU has the instructions of `V`.
            unsafe { tile::<V>(queries, keys, &[0.0; COLUMNS], &mut out) };
            for (row, out) in out.iter().enumerate() {
                let scores = &mut self.numbers[row * self.padded + at * COLUMNS..];
                scores[..COLUMNS].copy_from_slice(out);
            }
        }
    }

    /// Makes shares of the comparisons, but for a factor a row, which is the
    /// outcome. `seen` says how many tokens a row heeds.
    #[inline(always)]
    pub fn soften(&mut self, seen: impl Fn(usize) -> usize) -> [f32; ROWS] {
        let mut factors = [0.0; ROWS];
        let rows = self.numbers.chunks_exact_mut(self.padded);
        for (at, (row, factor)) in rows.zip(&mut factors).enumerate() {
            row[seen(at)..].fill(f32::MIN);
            *factor = 1.0 / exp_all(row);
        }
        factors
    }

    /// Sums 32 columns of the values of the first tokens by their shares.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    pub unsafe fn gather<V: Lanes>(
        &self,
        values: &[TileRow],
        factors: [f32; ROWS],
        sums: &mut [TileRow; ROWS],
    ) {
        let shares = std::array::from_fn(|row| &self.numbers[row * self.padded..][..self.padded]);
        // SAFETY: the caller's CPU has the instructions of `V`.
        unsafe { tile::<V>(shares, values, &[0.0; COLUMNS], sums) };
        for (sums, factor) in sums.iter_mut().zip(factors) {
            sums.iter_mut().for_each(|sum| *sum *= factor);
        }
    }
}
