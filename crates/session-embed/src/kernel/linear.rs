//! Linear layers, their weights read where they lie.
//!
//! A product goes by panels of 32 columns. The weights of a panel are laid out
//! for the product in a small buffer, once for all rows of a batch: that costs
//! a few hundredths of the product, and no copy of the weights is kept.

use super::activations::Activations;
use super::integer::{self, PanelBlock};
use super::isa::{Isa, per_isa};
use super::lanes::{COLUMNS, Lanes, ROWS, TileRow, tile};
use crate::EmbedError;
use crate::tensor::{Form, Tensor, Weights};
use rayon::prelude::*;
use std::ops::Range;

/// Rows whose products are given on at once. They fit in the fastest cache.
pub const STRIP: usize = 16 * ROWS;

/// Weights and bias.
#[derive(Debug, Clone)]
pub struct Linear {
    /// A row an output.
    weights: Tensor,
    bias: Vec<f32>,
}

/// Buffers that are kept from product to product.
#[derive(Debug)]
pub struct Panels {
    integer: Vec<PanelBlock>,
    float: Vec<TileRow>,
    strip: Vec<TileRow>,
}

impl Panels {
    /// Empty ones.
    pub fn new() -> Self {
        Self {
            integer: Vec::new(),
            float: Vec::new(),
            strip: vec![[0.0; COLUMNS]; STRIP],
        }
    }
}

/// A part of a product: some rows of 32 columns.
pub struct Strip<'a> {
    /// The first row.
    pub row: usize,
    /// The first column.
    pub column: usize,
    /// The products, bias added.
    pub rows: &'a mut [TileRow],
}

impl Linear {
    /// The layer `name.weight` and `name.bias`.
    pub fn open(
        file: &dyn Weights,
        name: &str,
        outputs: usize,
        inputs: usize,
    ) -> Result<Self, EmbedError> {
        Ok(Self {
            weights: file.tensor(&format!("{name}.weight"), outputs, inputs)?,
            bias: file.vector(&format!("{name}.bias"), outputs)?,
        })
    }

    /// A layer that adds nothing.
    pub fn without_bias(weights: Tensor) -> Self {
        Self {
            bias: vec![0.0; weights.rows()],
            weights,
        }
    }

    /// True when rows should come quantised.
    pub fn is_integer(&self, isa: Isa) -> bool {
        self.weights.form() == Form::Q8_0 && integer::is_fast(isa)
    }

    /// Multiplies the first `count` rows of `input`, and gives the outcome on in
    /// strips.
    pub fn apply(
        &self,
        isa: Isa,
        input: &Activations,
        count: usize,
        panels: &mut Panels,
        mut sink: impl FnMut(Strip<'_>),
    ) {
        for at in 0..self.bias.len() / COLUMNS {
            self.pack(isa, at, input, panels);
            for row in (0..count).step_by(STRIP) {
                let rows = self.strip(isa, at, input, row..count, panels);
                let column = at * COLUMNS;
                sink(Strip { row, column, rows });
            }
        }
    }

    /// As [`Linear::apply`], on all threads. `out` has the columns of a panel
    /// after those of another, `count` rows each; `write` puts a strip into its
    /// rows of them.
    pub fn spread(
        &self,
        isa: Isa,
        input: &Activations,
        count: usize,
        out: &mut [TileRow],
        write: impl Fn(&[TileRow], &mut [TileRow]) + Sync,
    ) {
        let columns = out.par_chunks_mut(count.max(1)).enumerate();
        columns.for_each_init(Panels::new, |panels, (at, out)| {
            self.pack(isa, at, input, panels);
            for (strip, out) in out.chunks_mut(STRIP).enumerate() {
                let rows = strip * STRIP..count;
                write(self.strip(isa, at, input, rows, panels), out);
            }
        });
    }

    /// Lays the weights of the `at`th panel out for such rows.
    pub fn pack(&self, isa: Isa, at: usize, input: &Activations, panels: &mut Panels) {
        let column = at * COLUMNS;
        let rows = (column..column + COLUMNS).map(|row| self.weights.row(row));
        match input {
            Activations::Integer { .. } => integer::pack(isa, rows, &mut panels.integer),
            Activations::Float { width, .. } => {
                panels.float.resize(*width, [0.0; COLUMNS]);
                let form = self.weights.form();
                rows.enumerate()
                    .for_each(|(at, row)| unpack(form, row, at, &mut panels.float));
            }
        }
    }

    /// The products of a strip of the `rows`, from the first on, with the panel
    /// that was laid out last, which is the `at`th.
    pub fn strip<'a>(
        &self,
        isa: Isa,
        at: usize,
        input: &Activations,
        rows: Range<usize>,
        panels: &'a mut Panels,
    ) -> &'a mut [TileRow] {
        let count = rows.len().min(STRIP);
        if let Some(bias) = self.bias.as_chunks().0.get(at) {
            panels.multiply(isa, input, rows.start, count, bias);
        }
        &mut panels.strip[..count]
    }
}

/// Writes a row of weights over a column of a panel.
fn unpack(form: Form, row: &[u8], column: usize, panel: &mut [TileRow]) {
    let mut panel = panel.iter_mut();
    form.each(row, |x| {
        if let Some(to) = panel.next() {
            to[column] = x;
        }
    });
}

impl Panels {
    /// Fills the strip with the products of `count` rows from `row` on.
    fn multiply(
        &mut self,
        isa: Isa,
        input: &Activations,
        row: usize,
        count: usize,
        bias: &TileRow,
    ) {
        let out = &mut self.strip[..count.next_multiple_of(ROWS)];
        match input {
            Activations::Integer { width, blocks } => {
                let rows = blocks.get(row * width..).unwrap_or_default();
                integer::multiply(isa, rows, &self.integer, bias, out);
            }
            Activations::Float { width, numbers } => {
                let rows = numbers.get(row * width..).unwrap_or_default();
                multiply_floats(isa, rows, &self.float, bias, out);
            }
        }
    }
}

per_isa! {
    /// As [`integer::multiply`], for numbers as they are.
    fn multiply_floats(rows: &[f32], panel: &[TileRow], bias: &TileRow, out: &mut [TileRow]) = lanes multiply_floats_with
}

/// # Safety
/// The CPU has the instructions of `V`.
#[inline(always)]
unsafe fn multiply_floats_with<V: Lanes>(
    rows: &[f32],
    panel: &[TileRow],
    bias: &TileRow,
    out: &mut [TileRow],
) {
    let width = panel.len();
    let tiles = rows.chunks_exact(ROWS * width.max(1));
    for (rows, out) in tiles.zip(out.as_chunks_mut().0) {
        let rows = std::array::from_fn(|row| &rows[row * width..][..width]);
        // SAFETY: the caller's CPU has the instructions of `V`.
        unsafe { tile::<V>(rows, panel, bias, out) };
    }
}
