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
use crate::gguf::{BLOCK, Form, Gguf, Tensor, blocks, floats};

/// Rows whose products are given on at once. They fit in the fastest cache.
const STRIP: usize = 16 * ROWS;

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
        file: &Gguf,
        name: &str,
        outputs: usize,
        inputs: usize,
    ) -> Result<Self, EmbedError> {
        Ok(Self {
            weights: file.tensor(&format!("{name}.weight"), outputs, inputs)?,
            bias: file.vector(&format!("{name}.bias"), outputs)?,
        })
    }

    /// True when rows should come quantised.
    pub fn is_integer(&self, isa: Isa) -> bool {
        self.weights.form == Form::Q8_0 && integer::is_fast(isa)
    }

    /// Multiplies the first `count` rows of `input`, and gives the outcome on in
    /// strips.
    pub fn apply(
        &self,
        (file, isa): (&Gguf, Isa),
        input: &Activations,
        count: usize,
        panels: &mut Panels,
        mut sink: impl FnMut(Strip<'_>),
    ) {
        for (at, bias) in self.bias.as_chunks().0.iter().enumerate() {
            let column = at * COLUMNS;
            self.pack((file, isa), column, input, panels);
            for row in (0..count).step_by(STRIP) {
                panels.multiply(isa, input, row, bias);
                let rows = &mut panels.strip[..STRIP.min(count - row)];
                sink(Strip { row, column, rows });
            }
        }
    }

    /// Lays the weights of the columns from `column` out for such rows.
    fn pack(
        &self,
        (file, isa): (&Gguf, Isa),
        column: usize,
        input: &Activations,
        panels: &mut Panels,
    ) {
        let rows = (column..column + COLUMNS).map(|row| file.row(&self.weights, row));
        match input {
            Activations::Integer { .. } => integer::pack(isa, rows, &mut panels.integer),
            Activations::Float { width, .. } => {
                panels.float.resize(*width, [0.0; COLUMNS]);
                rows.enumerate()
                    .for_each(|(at, row)| self.unpack(row, at, &mut panels.float));
            }
        }
    }

    /// Writes a row of weights over a column of a panel.
    fn unpack(&self, row: &[u8], column: usize, panel: &mut [TileRow]) {
        match self.weights.form {
            Form::F32 => panel
                .iter_mut()
                .zip(floats(row))
                .for_each(|(to, x)| to[column] = x),
            Form::Q8_0 => {
                panel
                    .chunks_mut(BLOCK)
                    .zip(blocks(row))
                    .for_each(|(to, (scale, quants))| {
                        to.iter_mut()
                            .zip(quants)
                            .for_each(|(to, &byte)| to[column] = scale * f32::from(byte as i8));
                    })
            }
        }
    }
}

impl Panels {
    /// Fills the strip with the products of the rows from `row` on.
    fn multiply(&mut self, isa: Isa, input: &Activations, row: usize, bias: &TileRow) {
        match input {
            Activations::Integer { width, blocks } => {
                let rows = blocks.get(row * width..).unwrap_or_default();
                integer::multiply(isa, rows, &self.integer, bias, &mut self.strip);
            }
            Activations::Float { width, numbers } => {
                let rows = numbers.get(row * width..).unwrap_or_default();
                multiply_floats(isa, rows, &self.float, bias, &mut self.strip);
            }
        }
    }
}

per_isa! {
    /// As [`integer::multiply`], for numbers as they are.
    fn multiply_floats(rows: &[f32], panel: &[TileRow], bias: &TileRow, out: &mut [TileRow]) = lanes multiply_floats_with
}

#[inline(always)]
fn multiply_floats_with<V: Lanes>(
    rows: &[f32],
    panel: &[TileRow],
    bias: &TileRow,
    out: &mut [TileRow],
) {
    let width = panel.len();
    let tiles = rows.chunks_exact(ROWS * width.max(1));
    for (rows, out) in tiles.zip(out.as_chunks_mut().0) {
        let rows = std::array::from_fn(|row| &rows[row * width..][..width]);
        tile::<V>(rows, panel, bias, out);
    }
}
