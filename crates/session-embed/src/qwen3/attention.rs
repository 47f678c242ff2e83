//! Causal self-attention, a head at a time, over rows in panels: the columns of
//! a panel come after those of another, a row a token of the batch.

use super::rope::Rope;
use crate::kernel::attention::Scores;
use crate::kernel::function::RmsNorm;
use crate::kernel::isa::per_isa;
use crate::kernel::lanes::{COLUMNS, Lanes, ROWS, TileRow};

/// What is done to each query or key before they are compared.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// Over the numbers of a head.
    pub norm: &'a RmsNorm,
    /// By the token's position.
    pub rope: &'a Rope,
}

impl Turn<'_> {
    fn width(self) -> usize {
        self.norm.weight.len()
    }

    /// A head of a token: the `row`th of the batch, at a position of its text.
    #[inline(always)]
    fn read(self, panels: &[TileRow], row: usize, position: usize, out: &mut [f32]) {
        read_row(panels, panels.len() / (self.width() / COLUMNS), row, out);
        self.norm.apply(out);
        self.rope.turn(position, out);
    }
}

/// Reads a row of a batch of `count` tokens.
#[inline(always)]
pub fn read_row(panels: &[TileRow], count: usize, row: usize, out: &mut [f32]) {
    let parts = out.as_chunks_mut().0.iter_mut();
    for (panel, part) in panels.chunks_exact(count).zip(parts) {
        *part = panel[row];
    }
}

/// Rows that the keys of a head take when they are laid out.
pub fn key_rows(lengths: &[usize], width: usize) -> usize {
    let panels = lengths.iter().map(|len| len.div_ceil(COLUMNS));
    panels.sum::<usize>() * width
}

per_isa! {
    /// Lays the keys of a head out for products: text by text, for each 32
    /// tokens a row a number, a column a token.
    pub fn lay_out(turn: Turn<'_>, keys: &[TileRow], lengths: &[usize], out: &mut [TileRow]) = lay_out_anywhere
}

#[inline(always)]
fn lay_out_anywhere(turn: Turn<'_>, keys: &[TileRow], lengths: &[usize], out: &mut [TileRow]) {
    let mut key = vec![0.0; turn.width()];
    let (mut row, mut out) = (0, out.chunks_exact_mut(turn.width()));
    for &len in lengths {
        for start in (0..len).step_by(COLUMNS) {
            let panel = out.next().unwrap_or_default();
            for position in start..len.min(start + COLUMNS) {
                turn.read(keys, row, position, &mut key);
                let column = panel.iter_mut().zip(&key);
                column.for_each(|(to, x)| to[position - start] = *x);
                row += 1;
            }
        }
    }
}

/// What the tokens of a batch may heed: the keys and values of a head.
#[derive(Clone, Copy)]
pub struct Heeded<'a> {
    /// As [`lay_out`] leaves them.
    pub keys: &'a [TileRow],
    /// In panels.
    pub values: &'a [TileRow],
}

per_isa! {
    /// Writes what a head of each token gathers over its queries.
    pub fn attend(turn: Turn<'_>, heeded: Heeded<'_>, lengths: &[usize], queries: &mut [TileRow]) = lanes attend_with
}

/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn attend_with<V: Lanes>(
    turn: Turn<'_>,
    heeded: Heeded<'_>,
    lengths: &[usize],
    queries: &mut [TileRow],
) {
    let mut head = Head {
        turn,
        tile: vec![0.0; ROWS * turn.width()],
        scores: Scores::default(),
    };
    let (mut start, mut keys) = (0, heeded.keys);
    for &len in lengths {
        for token in (0..len).step_by(ROWS) {
            let seen = len.min(token + ROWS);
            let place = Place { start, token, seen };
            // SAFETY: the caller's CPU has the instructions of `V`.
            unsafe { head.compare::<V>(place, keys, queries) };
            // SAFETY: the caller's CPU has the instructions of `V`.
            unsafe { head.gather::<V>(place, heeded.values, queries) };
        }
        start += len;
        keys = &keys[key_rows(&[len], turn.width())..];
    }
}

/// Where a tile of tokens stands.
#[derive(Clone, Copy)]
struct Place {
    /// The row of the text's first token.
    start: usize,
    /// The first token of the tile, in the text.
    token: usize,
    /// Tokens that the last of the tile heeds.
    seen: usize,
}

/// A head that asks, and its buffers.
struct Head<'a> {
    turn: Turn<'a>,
    tile: Vec<f32>,
    scores: Scores,
}

impl Head<'_> {
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn compare<V: Lanes>(&mut self, place: Place, keys: &[TileRow], queries: &[TileRow]) {
        let width = self.turn.width();
        let scale = 1.0 / (width as f32).sqrt();
        for (token, query) in (place.token..place.seen).zip(self.tile.chunks_exact_mut(width)) {
            self.turn.read(queries, place.start + token, token, query);
            query.iter_mut().for_each(|x| *x *= scale);
        }
        let keys = &keys[..key_rows(&[place.seen], width)];
        // SAFETY: the caller's CPU has the instructions of `V`.
        unsafe { self.scores.compare::<V>(&self.tile, keys, width) };
    }

    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn gather<V: Lanes>(&mut self, place: Place, values: &[TileRow], out: &mut [TileRow]) {
        let seen = |row: usize| place.seen.min(place.token + row + 1);
        let factors = self.scores.soften(seen);
        let count = out.len() / (self.turn.width() / COLUMNS);
        let mut sums = [[0.0; COLUMNS]; ROWS];
        for (values, out) in values.chunks_exact(count).zip(out.chunks_exact_mut(count)) {
            let values = &values[place.start..][..place.seen];
            // SAFETY: the caller's CPU has the instructions of `V`.
            unsafe { self.scores.gather::<V>(values, factors, &mut sums) };
            let out = &mut out[place.start..][place.token..place.seen];
            out.copy_from_slice(&sums[..out.len()]);
        }
    }
}
