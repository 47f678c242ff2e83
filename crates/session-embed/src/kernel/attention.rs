//! Softmax attention within each text of a batch (Vaswani et al. 2017).
//!
//! Keys are taken in blocks that stay in the cache, with a running maximum and
//! sum for each query, as in FlashAttention (Dao et al. 2022). Blocks start at
//! the text's first token, so that a text's output depends on no other.

use super::functions::{exp, exp_in_place, max_of};
use super::isa::{Isa, per_isa};
#[cfg(target_arch = "x86_64")]
use super::lanes::{Bf16Pair, Bf16x32};
use super::lanes::{COLUMNS, LaneWord, Lanes, MAX_NUMBERS, ROWS, TileRow, tile};
use super::threads::min_tasks;
use ndarray::{Array2, ArrayViewMut2, Axis};
use rayon::prelude::*;
use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Keys of a block.
const KEYS: usize = 256;
/// Queries that go through the blocks together.
const QUERIES: usize = 32 * ROWS;

/// Heads and mask of an attention layer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttentionShape {
    /// Query heads.
    pub heads: usize,
    /// Heads of keys and values, each for as many query heads.
    pub kv_heads: usize,
    /// Width of a head, a multiple of 32.
    pub head_dim: usize,
    /// True when a token attends to none after it.
    pub is_causal: bool,
}

impl AttentionShape {
    /// Returns the width of all query heads of a token.
    pub(crate) fn query_dim(&self) -> usize {
        self.heads * self.head_dim
    }

    /// Returns the width of all key heads, or of all value heads, of a token.
    pub(crate) fn kv_dim(&self) -> usize {
        self.kv_heads * self.head_dim
    }

    /// Returns the width of a token's queries, keys and values together.
    pub(crate) fn qkv_dim(&self) -> usize {
        self.query_dim() + 2 * self.kv_dim()
    }
}

/// The query heads that share a head of keys and values, in a text.
#[derive(Clone, Copy)]
struct HeadTask<'a> {
    shape: AttentionShape,
    qkv: &'a [f32],
    kv_head: usize,
    /// The row of the text's first token.
    row: usize,
    /// Tokens of the text.
    len: usize,
}

/// Some rows of the columns of a head.
type HeadRows<'a> = ArrayViewMut2<'a, MaybeUninit<f32>>;

/// Returns the weighted values that each token attends to, on all threads. A
/// row of `qkv` has a token's heads of queries, of keys and of values after each
/// other; `lengths` are the tokens of each text. The width of a head is a multiple of [`COLUMNS`].
pub(crate) fn attention(
    isa: Isa,
    shape: AttentionShape,
    qkv: &[f32],
    lengths: &[usize],
) -> Vec<f32> {
    // Else numbers would be left that nobody wrote.
    assert!(shape.head_dim.is_multiple_of(COLUMNS), "{shape:?}");
    let mut out = Array2::uninit((lengths.iter().sum(), shape.query_dim()));
    let mut tasks = Vec::new();
    let width = shape.query_dim() / shape.kv_heads;
    for (kv_head, mut rest) in out.axis_chunks_iter_mut(Axis(1), width).enumerate() {
        let mut row = 0;
        for &len in lengths {
            let (out, after) = rest.split_at(Axis(0), len);
            let task = HeadTask {
                shape,
                qkv,
                kv_head,
                row,
                len,
            };
            tasks.push((task, out));
            (row, rest) = (row + len, after);
        }
    }
    let tasks = tasks.into_par_iter().with_min_len(min_tasks());
    tasks.for_each(|(task, out)| attend(isa, task, out));
    // SAFETY: each task wrote its part, whole panels of columns, and the parts are all of it.
    unsafe { out.assume_init() }.into_raw_vec_and_offset().0
}

thread_local! {
    static SCRATCH: RefCell<AttentionScratch<f32>> = RefCell::default();
}

/// Buffers that are kept from task to task. Factors of products are words.
#[derive(Default)]
struct AttentionScratch<W> {
    /// The keys of each 32 tokens: a row a word of their numbers, a column a token.
    keys: Vec<[W; COLUMNS]>,
    /// The values of each 32 numbers: a row a word of tokens.
    values: Vec<[W; COLUMNS]>,
    /// A row a query, divided by the root of the width.
    queries: Vec<W>,
    /// Logits of a tile, then their exponentials; `KEYS` a query.
    scores: Vec<f32>,
    /// The exponentials.
    weights: Vec<W>,
    tiles: Vec<QueryTile>,
    /// Weighted values of each tile, for each 32 numbers.
    sums: Vec<[TileRow; ROWS]>,
}

/// Softmax of a tile of queries over the blocks before.
#[derive(Clone, Copy)]
struct QueryTile {
    /// The largest logit of each.
    largest: [f32; ROWS],
    /// The sum of exponentials of each.
    totals: [f32; ROWS],
}

impl QueryTile {
    const EMPTY: Self = Self {
        largest: [f32::MIN; ROWS],
        totals: [0.0; ROWS],
    };
}

impl HeadTask<'_> {
    /// Returns the number of keys that the `query`th token attends to.
    #[inline(always)]
    fn visible(&self, query: usize) -> usize {
        if self.shape.is_causal {
            self.len.min(query + 1)
        } else {
            self.len
        }
    }

    /// Returns a head of a token of the text, of all those of queries, keys and values.
    #[inline(always)]
    fn head(&self, token: usize, head: usize) -> &[f32] {
        let (width, stride) = (self.shape.head_dim, self.shape.qkv_dim());
        &self.qkv[(self.row + token) * stride + head * width..][..width]
    }
}

fn attend(isa: Isa, task: HeadTask<'_>, out: HeadRows<'_>) {
    #[cfg(target_arch = "x86_64")]
    if isa.has_bf16() {
        thread_local! {
            static SCRATCH: RefCell<AttentionScratch<Bf16Pair>> = RefCell::default();
        }
        // SAFETY: an `Isa` is one that the CPU has.
        return SCRATCH.with_borrow_mut(|scratch| unsafe { attend_bf16(task, scratch, out) });
    }
    SCRATCH.with_borrow_mut(|scratch| attend_f32(isa, task, scratch, out));
}

per_isa! {
    fn attend_f32(task: HeadTask<'_>, scratch: &mut AttentionScratch<f32>, out: HeadRows<'_>) = lanes attend_with
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bf16,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma")]
fn attend_bf16(task: HeadTask<'_>, scratch: &mut AttentionScratch<Bf16Pair>, out: HeadRows<'_>) {
    // SAFETY: this is compiled for BF16 and runs where the CPU has it.
    unsafe { attend_with::<Bf16x32>(task, scratch, out) };
}

/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn attend_with<V: Lanes>(
    task: HeadTask<'_>,
    scratch: &mut AttentionScratch<V::Word>,
    mut out: HeadRows<'_>,
) {
    scratch.pack_keys_values(&task);
    let first_head = task.kv_head * (task.shape.heads / task.shape.kv_heads);
    let heads = out.axis_chunks_iter_mut(Axis(1), task.shape.head_dim);
    for (head, out) in heads.enumerate() {
        // SAFETY: the caller's CPU has the instructions of `V`.
        unsafe { scratch.attend_head::<V>(&task, first_head + head, out) };
    }
}

impl<W: LaneWord> AttentionScratch<W> {
    /// Packs keys and values. The columns beyond the last token keep what was there: no query sees
    /// them. A word of values beyond it is filled with zeros.
    #[inline(always)]
    fn pack_keys_values(&mut self, task: &HeadTask<'_>) {
        let (width, len) = (task.shape.head_dim, task.len);
        let AttentionShape {
            heads, kv_heads, ..
        } = task.shape;
        let (words, rows) = (width / W::NUMBERS, len.div_ceil(W::NUMBERS));
        let key_head = heads + task.kv_head;
        let empty = [W::default(); COLUMNS];
        self.keys.resize(len.div_ceil(COLUMNS) * words, empty);
        self.values.resize(width / COLUMNS * rows, empty);
        for token in 0..len {
            let key = task.head(token, key_head);
            let panel = &mut self.keys[token / COLUMNS * words..][..words];
            for (to, x) in panel.iter_mut().zip(key.chunks_exact(W::NUMBERS)) {
                to[token % COLUMNS] = W::new(|at| x[at]);
            }
        }
        for (row, panel) in (0..rows).flat_map(|row| (0..width / COLUMNS).map(move |at| (row, at)))
        {
            let mut numbers = [[0.0; COLUMNS]; MAX_NUMBERS];
            for (token, numbers) in (row * W::NUMBERS..len).zip(&mut numbers[..W::NUMBERS]) {
                let value = task.head(token, key_head + kv_heads);
                numbers.copy_from_slice(&value[panel * COLUMNS..][..COLUMNS]);
            }
            let words = &mut self.values[panel * rows + row];
            for (column, word) in words.iter_mut().enumerate() {
                *word = W::new(|at| numbers[at][column]);
            }
        }
    }

    #[inline(always)]
    fn pack_queries(&mut self, task: &HeadTask<'_>, head: usize, queries: Range<usize>) {
        let width = task.shape.head_dim;
        let tiles = queries.len().div_ceil(ROWS);
        let scale = 1.0 / (width as f32).sqrt();
        let words = width / W::NUMBERS;
        self.queries.resize(tiles * ROWS * words, W::default());
        for (query, out) in queries.zip(self.queries.chunks_exact_mut(words)) {
            let query = task.head(query, head).chunks_exact(W::NUMBERS);
            for (out, x) in out.iter_mut().zip(query) {
                *out = W::new(|at| x[at] * scale);
            }
        }
        self.scores.resize(ROWS * KEYS, 0.0);
        self.weights.resize(ROWS * KEYS / W::NUMBERS, W::default());
        self.tiles.clear();
        self.tiles.resize(tiles, QueryTile::EMPTY);
        self.sums.clear();
        self.sums
            .resize(tiles * width / COLUMNS, [[0.0; COLUMNS]; ROWS]);
    }

    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn attend_head<V: Lanes<Word = W>>(
        &mut self,
        task: &HeadTask<'_>,
        head: usize,
        mut out: HeadRows<'_>,
    ) {
        for (chunk, out) in out.axis_chunks_iter_mut(Axis(0), QUERIES).enumerate() {
            let (first, end) = (chunk * QUERIES, chunk * QUERIES + out.nrows());
            self.pack_queries(task, head, first..end);
            for start in (0..task.visible(end - 1)).step_by(KEYS) {
                for at in 0..self.tiles.len() {
                    let last = end.min(first + (at + 1) * ROWS) - 1;
                    let keys = start..task.visible(last).min(start + KEYS);
                    if !keys.is_empty() {
                        // SAFETY: the caller's CPU has the instructions of `V`.
                        unsafe { self.add_block::<V>(task, first, at, keys) };
                    }
                }
            }
            self.write(out);
        }
    }

    /// Adds what the `at`th tile of queries attends to among some keys. `first`
    /// is the position of the first tile's first query.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`.
    #[inline(always)]
    unsafe fn add_block<V: Lanes<Word = W>>(
        &mut self,
        task: &HeadTask<'_>,
        first: usize,
        at: usize,
        keys: Range<usize>,
    ) {
        let (width, padded) = (task.shape.head_dim, keys.len().next_multiple_of(COLUMNS));
        let words = width / W::NUMBERS;
        let queries = &self.queries[at * ROWS * words..];
        let queries = std::array::from_fn(|row| &queries[row * words..][..words]);
        let panels = self.keys[keys.start / COLUMNS * words..].chunks_exact(words);
        for (panel, keys) in (0..padded).step_by(COLUMNS).zip(panels) {
            // SAFETY: the caller's CPU has the instructions of `V`.
            unsafe { tile::<V, false>(queries, keys, &mut self.scores[panel..], KEYS) };
        }
        let visible = |row| task.visible(first + at * ROWS + row).min(keys.end);
        let visible = |row| visible(row).saturating_sub(keys.start);
        let sums = &mut self.sums[at * width / COLUMNS..][..width / COLUMNS];
        softmax(&mut self.scores, padded, visible, &mut self.tiles[at], sums);
        let numbers = self.scores.chunks_exact(W::NUMBERS);
        for (weight, x) in self.weights.iter_mut().zip(numbers) {
            *weight = W::new(|at| x[at]);
        }
        let weights = self.weights.chunks_exact(KEYS / W::NUMBERS);
        let mut weights = weights.map(|row| &row[..padded / W::NUMBERS]);
        let weights = std::array::from_fn(|_| weights.next().unwrap_or_default());
        let rows = task.len.div_ceil(W::NUMBERS);
        for (panel, sums) in sums.iter_mut().enumerate() {
            let values = &self.values[panel * rows + keys.start / W::NUMBERS..];
            let values = &values[..keys.len().div_ceil(W::NUMBERS)];
            // SAFETY: the caller's CPU has the instructions of `V`.
            unsafe { tile::<V, true>(weights, values, sums.as_flattened_mut(), COLUMNS) };
        }
    }

    /// Writes the sums, divided by the totals.
    #[inline(always)]
    fn write(&self, mut out: HeadRows<'_>) {
        let panels = self.sums.len() / self.tiles.len();
        for (row, out) in out.outer_iter_mut().enumerate() {
            let (at, row) = (row / ROWS, row % ROWS);
            let inverse = 1.0 / self.tiles[at].totals[row];
            let Some(out) = out.into_slice() else {
                unreachable!("the columns of a head stand side by side");
            };
            let panels = self.sums[at * panels..].iter();
            for (out, sums) in out.chunks_exact_mut(COLUMNS).zip(panels) {
                let numbers = out.iter_mut().zip(&sums[row]);
                numbers.for_each(|(out, sum)| *out = MaybeUninit::new(sum * inverse));
            }
        }
    }
}

/// Makes exponentials of the logits of a tile, of which the `r`th query sees
/// `visible(r)`, and scales what was summed before to the new largest one.
#[inline(always)]
fn softmax(
    scores: &mut [f32],
    padded: usize,
    visible: impl Fn(usize) -> usize,
    tile: &mut QueryTile,
    sums: &mut [[TileRow; ROWS]],
) {
    for (row, scores) in scores.chunks_exact_mut(KEYS).enumerate() {
        let scores = &mut scores[..padded];
        scores[visible(row)..].fill(f32::MIN);
        let before = tile.largest[row];
        let largest = max_of(scores, before);
        tile.largest[row] = largest;
        if largest > before && before > f32::MIN {
            let factor = exp(before - largest);
            tile.totals[row] *= factor;
            for sums in sums.iter_mut() {
                sums[row].iter_mut().for_each(|sum| *sum *= factor);
            }
        }
        tile.totals[row] += exp_in_place(scores, largest);
    }
}
