//! Self-attention within a text, a head at a time.

use crate::kernel::attention::Scores;
use crate::kernel::isa::per_isa;
use crate::kernel::lanes::{COLUMNS, Lanes, ROWS, TileRow};

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
    scores: Scores,
}

per_isa! {
    /// Attends within one text. `rows` has queries, keys and values of each
    /// token; the outcome of each token goes to `out`.
    pub fn attend(heads: Heads, rows: &[f32], head: &mut Head, out: &mut [f32]) = lanes attend_with
}

/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn attend_with<V: Lanes>(heads: Heads, rows: &[f32], head: &mut Head, out: &mut [f32]) {
    let hidden = heads.hidden();
    let len = out.len() / hidden;
    for at in 0..heads.count {
        head.lay_out(heads, rows, at);
        for token in (0..len).step_by(ROWS) {
            let queries = &head.queries[token * heads.width..];
            // SAFETY: the caller's CPU has the instructions of `V`.
            unsafe { head.scores.compare::<V>(queries, &head.keys, heads.width) };
            let out = &mut out[token * hidden + at * heads.width..];
            // SAFETY: the caller's CPU has the instructions of `V`.
            unsafe { head.gather::<V>(heads, len, out) };
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

    /// Gathers the values of what the tokens of a tile heed.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn gather<V: Lanes>(&mut self, heads: Heads, len: usize, out: &mut [f32]) {
        let factors = self.scores.soften(|_| len);
        let mut sums = [[0.0; COLUMNS]; ROWS];
        for (panel, values) in self.values.chunks_exact(len).enumerate() {
            // SAFETY: the caller's CPU has the instructions of `V`.
            unsafe { self.scores.gather::<V>(values, factors, &mut sums) };
            for (out, sums) in out.chunks_mut(heads.hidden()).zip(&sums) {
                out[panel * COLUMNS..][..COLUMNS].copy_from_slice(sums);
            }
        }
    }
}
