//! Products with the weights of linear layers, which are read where they lie.
//!
//! A product goes by panels of 32 columns. The weights of a panel are packed
//! for the product into a small buffer, once for all rows of a batch: that
//! costs a few hundredths of the product, and no copy of the weights is kept.

use super::activations::{Activations, QuantizedBlock, quantize_strip};
use super::integer::{self, PanelBlock};
use super::isa::{Isa, per_isa};
use super::lanes::{COLUMNS, Lanes, ROWS, TileRow, tile};
use super::threads::min_tasks;
use crate::stored_matrix::StoredMatrix;
use candle_core::quantized::GgmlDType;
use ndarray::parallel::prelude::*;
use ndarray::{Array2, ArrayViewMut2, Axis, s};
use std::mem::MaybeUninit;
use std::ops::Range;

/// Rows whose products are passed on at once. They fit in the fastest cache.
const STRIP: usize = 16 * ROWS;
/// Rows that go through all panels together, more or less: enough for packing to
/// cost little, few enough for them to stay in the cache.
const PASS: usize = 1024;

/// The weights of a linear layer, a row an output, and its bias.
#[derive(Debug, Clone)]
pub(crate) struct MappedLinear {
    isa: Isa,
    /// The matrices whose rows the outputs come from, one after the other.
    weights: Vec<StoredMatrix>,
    inputs: usize,
    bias: Vec<f32>,
}

/// The place of a strip of a product: some rows of 32 columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputStrip {
    /// The first row.
    pub row: usize,
    /// The first column.
    pub column: usize,
}

/// Buffers that are kept from panel to panel.
struct PanelBuffers {
    integer: Vec<PanelBlock>,
    float: Vec<TileRow>,
    row: Vec<f32>,
    products: Vec<TileRow>,
}

impl PanelBuffers {
    fn new() -> Self {
        Self {
            integer: Vec::new(),
            float: Vec::new(),
            row: Vec::new(),
            products: vec![[0.0; COLUMNS]; STRIP],
        }
    }
}

/// Multiplies `rows` rows with the weights of layers of one size, on all
/// threads. `activations` gives a range of them. `epilogue` gets the products of
/// each layer, bias added, for each strip, and leaves what is returned in the
/// first.
pub(crate) fn multiply<'a, const N: usize>(
    layers: [&MappedLinear; N],
    rows: usize,
    activations: impl Fn(Range<usize>) -> Activations<'a>,
    epilogue: impl Fn(OutputStrip, [&mut [TileRow]; N]) + Sync,
) -> Vec<f32> {
    let outputs = layers.first().map_or(0, |layer| layer.outputs());
    let mut out = Array2::<f32>::uninit((rows, outputs));
    let passes = (rows + PASS / 2).div_euclid(PASS).max(1);
    let step = rows.div_ceil(passes).next_multiple_of(STRIP);
    for (pass, mut out) in out.axis_chunks_iter_mut(Axis(0), step).enumerate() {
        let first = pass * step;
        let x = activations(first..first + out.nrows());
        let epilogue = |strip: OutputStrip, products: [&mut [TileRow]; N]| {
            let row = first + strip.row;
            epilogue(OutputStrip { row, ..strip }, products);
        };
        for_each_strip(layers, &x, &mut out, epilogue, copy_products);
    }
    // SAFETY: the passes have all rows, the panels of each all columns.
    unsafe { out.assume_init() }.into_raw_vec_and_offset().0
}

fn copy_products(products: &[TileRow], mut out: ArrayViewMut2<'_, MaybeUninit<f32>>) {
    for (out, products) in out.outer_iter_mut().zip(products) {
        let out = out.into_slice().unwrap_or_default();
        out.copy_from_slice(&products.map(MaybeUninit::new));
    }
}

/// Multiplies as [`multiply`], for a layer `next`: its rows are quantized while they are
/// in the cache, if it multiplies whole numbers.
pub(crate) fn multiply_for<const N: usize>(
    next: &MappedLinear,
    layers: [&MappedLinear; N],
    x: &Activations<'_>,
    epilogue: impl Fn(OutputStrip, [&mut [TileRow]; N]) + Sync,
) -> Activations<'static> {
    let (isa, rows, width) = (next.isa, x.rows(), next.inputs);
    if !next.is_integer() {
        let mut out = Array2::uninit((rows, width));
        for_each_strip(layers, x, &mut out.view_mut(), epilogue, copy_products);
        // SAFETY: the panels have all columns, and the strips of each all rows.
        let numbers = unsafe { out.assume_init() }.into_raw_vec_and_offset().0;
        let numbers = numbers.into();
        return Activations::Float { width, numbers };
    }
    let width = width / COLUMNS;
    let shape = (rows.next_multiple_of(ROWS), width);
    let mut blocks = Array2::from_elem(shape, QuantizedBlock::default());
    let mut out = blocks.slice_mut(s![..rows, ..]);
    for_each_strip(layers, x, &mut out, epilogue, |products, out| {
        quantize_strip(isa, products, out);
    });
    let (blocks, _) = blocks.into_raw_vec_and_offset();
    Activations::Integer {
        rows,
        width,
        blocks,
    }
}

/// Passes the strips of a product to `write`, each with its part of `out`.
fn for_each_strip<const N: usize, T: Send + Sync>(
    layers: [&MappedLinear; N],
    x: &Activations<'_>,
    out: &mut ArrayViewMut2<'_, T>,
    epilogue: impl Fn(OutputStrip, [&mut [TileRow]; N]) + Sync,
    write: impl Fn(&[TileRow], ArrayViewMut2<'_, T>) + Sync,
) {
    let count = layers.first().map_or(0, |layer| layer.outputs()) / COLUMNS;
    let width = (out.ncols() / count.max(1)).max(1);
    let panels = out.axis_chunks_iter_mut(Axis(1), width).into_par_iter();
    panels.with_min_len(min_tasks()).enumerate().for_each_init(
        || layers.map(|_| PanelBuffers::new()),
        |buffers, (at, mut out)| {
            for (layer, buffers) in layers.iter().zip(buffers.iter_mut()) {
                layer.pack(at, x, buffers);
            }
            let strips = out.axis_chunks_iter_mut(Axis(0), STRIP);
            for (strip, out) in strips.enumerate() {
                let (row, column) = (strip * STRIP, at * COLUMNS);
                let rows = row..row + out.nrows();
                for (layer, buffers) in layers.iter().zip(buffers.iter_mut()) {
                    layer.multiply(at, x, rows.clone(), buffers);
                }
                let products = buffers.each_mut().map(|b| &mut b.products[..rows.len()]);
                epilogue(OutputStrip { row, column }, products);
                let products = buffers.first().map_or(&[][..], |b| &b.products);
                write(products, out);
            }
        },
    );
}

impl MappedLinear {
    /// Creates a layer of matrices with as many columns each, and a multiple of 32
    /// rows, under each other; `None` for others, or another length of `bias`.
    pub(crate) fn new(isa: Isa, weights: Vec<StoredMatrix>, bias: Vec<f32>) -> Option<Self> {
        let inputs = weights.first()?.columns();
        let fits = |matrix: &StoredMatrix| {
            matrix.columns() == inputs && matrix.rows().is_multiple_of(COLUMNS)
        };
        let outputs: usize = weights.iter().map(StoredMatrix::rows).sum();
        (weights.iter().all(fits) && bias.len() == outputs).then_some(Self {
            isa,
            weights,
            inputs,
            bias,
        })
    }

    /// Returns the instructions that its products use.
    pub(crate) fn isa(&self) -> Isa {
        self.isa
    }

    /// Returns the length of a row of the output.
    pub(crate) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Returns the length of a row of the input.
    pub(crate) fn inputs(&self) -> usize {
        self.inputs
    }

    /// Returns rows in the format that products with these weights take.
    pub(crate) fn activations<'a>(&self, rows: &'a [f32]) -> Activations<'a> {
        Activations::new(self.isa, rows, self.inputs, self.is_integer())
    }

    /// Returns true when its products are of whole numbers.
    pub(crate) fn is_integer(&self) -> bool {
        let is_q8_0 = |matrix: &StoredMatrix| matrix.dtype() == GgmlDType::Q8_0;
        self.weights.iter().all(is_q8_0) && integer::is_fast(self.isa)
    }

    /// Returns the matrix of the `at`th panel, and its first row there.
    fn panel(&self, at: usize) -> Option<(&StoredMatrix, usize)> {
        let mut row = at * COLUMNS;
        self.weights.iter().find_map(|matrix| {
            let before = row;
            row = row.wrapping_sub(matrix.rows());
            (before < matrix.rows()).then_some((matrix, before))
        })
    }

    /// Packs the weights of the `at`th panel for such rows.
    fn pack(&self, at: usize, x: &Activations<'_>, buffers: &mut PanelBuffers) {
        let Some((matrix, first)) = self.panel(at) else {
            return;
        };
        match x {
            Activations::Integer { .. } => {
                let rows = (first..first + COLUMNS).map(|row| matrix.row(row));
                integer::pack(self.isa, rows, &mut buffers.integer);
            }
            Activations::Float { width, .. } => {
                buffers.float.resize(*width, [0.0; COLUMNS]);
                buffers.row.resize(*width, 0.0);
                for column in 0..COLUMNS {
                    matrix.read_row(first + column, &mut buffers.row);
                    let panel = buffers.float.iter_mut().zip(&buffers.row);
                    panel.for_each(|(to, x)| to[column] = *x);
                }
            }
        }
    }

    /// Multiplies some rows with the panel that was packed last.
    fn multiply(
        &self,
        at: usize,
        x: &Activations<'_>,
        rows: Range<usize>,
        buffers: &mut PanelBuffers,
    ) {
        let out = &mut buffers.products[..rows.len().next_multiple_of(ROWS)];
        let bias = &self.bias.as_chunks().0[at];
        match x {
            Activations::Integer { width, blocks, .. } => {
                let rows = &blocks[rows.start * width..];
                integer::multiply(self.isa, rows, &buffers.integer, bias, out);
            }
            Activations::Float { width, numbers } => {
                let rows = &numbers[rows.start * width..rows.end * width];
                multiply_floats(self.isa, rows, &buffers.float, bias, out);
            }
        }
    }
}

per_isa! {
    /// Multiplies as [`integer::multiply`], for `f32`. The last tile may
    /// lack rows.
    fn multiply_floats(rows: &[f32], panel: &[TileRow], bias: &TileRow, out: &mut [TileRow]) = lanes multiply_floats_with
}

/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn multiply_floats_with<V: Lanes<Word = f32>>(
    rows: &[f32],
    panel: &[TileRow],
    bias: &TileRow,
    out: &mut [TileRow],
) {
    let width = panel.len().max(1);
    let tiles = rows.chunks(ROWS * width);
    for (rows, out) in tiles.zip(out.as_chunks_mut::<ROWS>().0) {
        let last = rows.len() / width - 1;
        let rows = std::array::from_fn(|row| &rows[row.min(last) * width..][..width]);
        out.fill(*bias);
        // SAFETY: the caller's CPU has the instructions of `V`.
        unsafe { tile::<V, true>(rows, panel, out.as_flattened_mut(), COLUMNS) };
    }
}
