//! Self-attention within a text, a head at a time.

use super::function::exp_all;
use super::isa::per_isa;
use super::lanes::{COLUMNS, Lanes, ROWS, TileRow, tile};

/// How a row of queries, keys and values divides.
#[derive(Debug, Clone, Copy)]
pub struct Heads {
    /// How many there are.
    pub count: usize,
    /// Numbers of a query, a multiple of 32.
    pub width: usize,
}

impl Heads {
    /// Numbers of all queries of a token.
    pub fn hidden(self) -> usize {
        self.count * self.width
    }
}

/// A head of a text, laid out for products.
#[derive(Debug, Default)]
pub struct Head {
    /// A row a token, divided by the root of the width.
    queries: Vec<f32>,
    /// For each 32 tokens: a row a number of the key, a column a token.
    keys: Vec<TileRow>,
    /// For each 32 numbers: a row a token.
    values: Vec<TileRow>,
    /// How much each of some tokens heeds each token.
    weights: Vec<f32>,
}

per_isa! {
    /// Attends within one text. `rows` has queries, keys and values of each
    /// token; the outcome of each token goes to `out`.
    pub fn attend(heads: Heads, rows: &[f32], head: &mut Head, out: &mut [f32]) = lanes attend_with
}

#[inline(always)]
fn attend_with<V: Lanes>(heads: Heads, rows: &[f32], head: &mut Head, out: &mut [f32]) {
    let hidden = heads.hidden();
    let len = out.len() / hidden;
    for at in 0..heads.count {
        head.lay_out(heads, rows, at);
        for token in (0..len).step_by(ROWS) {
            head.weigh::<V>(heads.width, len, token);
            let out = &mut out[token * hidden + at * heads.width..];
            head.gather::<V>(heads, len, out);
        }
    }
}

impl Head {
    /// Copies the `at`th head out of the rows.
    #[inline(always)]
    fn lay_out(&mut self, heads: Heads, rows: &[f32], at: usize) {
        let Heads { width, .. } = heads;
        let hidden = heads.hidden();
        let len = rows.len() / (3 * hidden);
        let padded = len.next_multiple_of(COLUMNS);
        self.queries.resize(len.next_multiple_of(ROWS) * width, 0.0);
        self.keys.resize(padded / COLUMNS * width, [0.0; COLUMNS]);
        self.values.resize(width / COLUMNS * len, [0.0; COLUMNS]);
        self.weights.resize(ROWS * padded, 0.0);
        let scale = 1.0 / (width as f32).sqrt();
        for (token, row) in rows.chunks_exact(3 * hidden).enumerate() {
            let part = |which: usize| &row[which * hidden + at * width..][..width];
            let queries = &mut self.queries[token * width..][..width];
            queries
                .iter_mut()
                .zip(part(0))
                .for_each(|(to, x)| *to = x * scale);
            let keys = &mut self.keys[token / COLUMNS * width..][..width];
            keys.iter_mut()
                .zip(part(1))
                .for_each(|(to, x)| to[token % COLUMNS] = *x);
            for (panel, some) in part(2).as_chunks().0.iter().enumerate() {
                self.values[panel * len + token] = *some;
            }
        }
    }

    /// Says how much the tokens of a tile heed each token, but for a factor.
    #[inline(always)]
    fn weigh<V: Lanes>(&mut self, width: usize, len: usize, token: usize) {
        let padded = len.next_multiple_of(COLUMNS);
        let queries = &self.queries[token * width..][..ROWS * width];
        let queries = std::array::from_fn(|row| &queries[row * width..][..width]);
        let mut out = [[0.0; COLUMNS]; ROWS];
        for (at, keys) in self.keys.chunks_exact(width).enumerate() {
            tile::<V>(queries, keys, &[0.0; COLUMNS], &mut out);
            for (row, out) in out.iter().enumerate() {
                self.weights[row * padded + at * COLUMNS..][..COLUMNS].copy_from_slice(out);
            }
        }
    }

    /// Gathers the values of what the tokens of a tile heed.
    #[inline(always)]
    fn gather<V: Lanes>(&mut self, heads: Heads, len: usize, out: &mut [f32]) {
        let padded = len.next_multiple_of(COLUMNS);
        let mut factors = [0.0; ROWS];
        for (row, factor) in self.weights.chunks_exact_mut(padded).zip(&mut factors) {
            row[len..].fill(f32::MIN);
            *factor = 1.0 / exp_all(row);
        }
        let weights = std::array::from_fn(|row| &self.weights[row * padded..][..len]);
        let mut sums = [[0.0; COLUMNS]; ROWS];
        for (panel, values) in self.values.chunks_exact(len).enumerate() {
            tile::<V>(weights, values, &[0.0; COLUMNS], &mut sums);
            let rows = out.chunks_mut(heads.hidden());
            for ((out, sums), factor) in rows.zip(&sums).zip(factors) {
                let out = &mut out[panel * COLUMNS..][..COLUMNS];
                out.iter_mut()
                    .zip(sums)
                    .for_each(|(out, sum)| *out = sum * factor);
            }
        }
    }
}
