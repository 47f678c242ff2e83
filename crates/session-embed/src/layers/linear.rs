//! Linear layers, and what is computed with them in one pass.

use super::LayerReader;
use super::op::{RowsOp, f32_slice};
use crate::EmbedError;
use crate::kernel::activations::Activations;
use crate::kernel::functions::{gelu_rows, silu_mul};
use crate::kernel::lanes::{COLUMNS, TileRow};
use crate::kernel::linear::{MappedLinear, multiply, multiply_for};
use candle_core::{DType, Result, Tensor};
use std::ops::Range;

/// `x Wᵀ + b`.
#[derive(Debug, Clone)]
pub(crate) enum Linear {
    /// Computed by our kernel, with weights where they lie.
    Mapped(MappedLinear),
    /// Computed by candle, with weights on its device.
    Tensor(candle_nn::Linear),
}

impl LayerReader<'_> {
    /// Reads the layer `name.weight` and, if there is one, `name.bias`. Of
    /// several names of as many outputs each, the outputs stand beside each
    /// other.
    ///
    /// # Errors
    /// [`EmbedError::File`] when the file lacks it, or it has another size.
    pub(crate) fn linear(
        &self,
        names: &[(String, usize)],
        inputs: usize,
        has_bias: bool,
    ) -> std::result::Result<Linear, EmbedError> {
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for (name, outputs) in names {
            weights.push(
                self.file
                    .matrix(&format!("{name}.weight"), *outputs, inputs)?,
            );
            if has_bias {
                bias.extend(self.file.vector(&format!("{name}.bias"), *outputs)?)
            } else {
                bias.resize(bias.len() + outputs, 0.0)
            }
        }
        if let Some(isa) = self.backend.kernels {
            let weights = weights.into_iter().map(|matrix| self.mapped(isa, matrix));
            let layer = MappedLinear::new(isa, weights.collect(), bias);
            return Ok(Linear::Mapped(layer.ok_or(EmbedError::File {
                file: self.file.kind(),
                reason: "a layer's size is no multiple of 32",
            })?));
        }
        let weights = weights.iter().map(|matrix| self.tensor(matrix));
        let weights = Tensor::cat(&weights.collect::<Result<Vec<_>>>()?, 0)?;
        let bias = if has_bias {
            Some(Tensor::new(bias, &self.backend.device)?)
        } else {
            None
        };
        Ok(Linear::Tensor(candle_nn::Linear::new(weights, bias)))
    }
}

impl Linear {
    /// Applies the layer to rows.
    pub(crate) fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Mapped(layer) => x.apply_op1_no_bwd(&RowsOp {
                name: "linear",
                width: layer.outputs(),
                forward: |x: &[f32]| {
                    let (rows, activations) = split_rows(layer, x, |x| layer.activations(x));
                    multiply([layer], rows, activations, |_, _| {})
                },
            }),
            Self::Tensor(layer) => {
                // The bias is in `f32`, as activations are.
                let product = x.to_dtype(layer.weight().dtype())?;
                let product = product.matmul(&layer.weight().t()?)?.to_dtype(DType::F32)?;
                match layer.bias() {
                    Some(bias) => product.broadcast_add(bias),
                    None => Ok(product),
                }
            }
        }
    }

    /// Applies the layer, and adds the output to a residual.
    pub(crate) fn forward_add(&self, x: &Tensor, residual: &Tensor) -> Result<Tensor> {
        match self {
            Self::Mapped(layer) => {
                let residual = residual.storage_and_layout();
                let residual = f32_slice(&residual)?;
                x.apply_op1_no_bwd(&RowsOp {
                    name: "linear-add",
                    width: layer.outputs(),
                    forward: |x: &[f32]| {
                        let (rows, activations) = split_rows(layer, x, |x| layer.activations(x));
                        multiply_add(layer, rows, activations, residual)
                    },
                })
            }
            Self::Tensor(_) => residual + self.forward(x)?,
        }
    }
}

/// Two linear layers with an activation between, added to a residual.
#[derive(Debug, Clone)]
pub(crate) enum FeedForward {
    /// `GELU(x W₁ᵀ + b₁) W₂ᵀ + b₂` (Vaswani et al. 2017).
    Gelu {
        /// W₁ and b₁.
        up: Linear,
        /// W₂ and b₂.
        down: Linear,
    },
    /// `(SiLU(x W₁ᵀ) ⊙ x W₂ᵀ) W₃ᵀ` (Shazeer 2020).
    Swiglu {
        /// W₁.
        gate: Linear,
        /// W₂.
        up: Linear,
        /// W₃.
        down: Linear,
    },
}

impl FeedForward {
    /// Applies the network to rows, and adds the output to a residual.
    pub(crate) fn forward_add(&self, x: &Tensor, residual: &Tensor) -> Result<Tensor> {
        let (Self::Gelu { up, down } | Self::Swiglu { up, down, .. }) = self;
        if let (Linear::Mapped(first), Linear::Mapped(down)) = (up, down) {
            let residual = residual.storage_and_layout();
            let residual = f32_slice(&residual)?;
            return x.apply_op1_no_bwd(&RowsOp {
                name: "feed-forward",
                width: down.outputs(),
                forward: |x: &[f32]| {
                    let (rows, activations) = split_rows(first, x, |x| self.compute_inner(down, x));
                    multiply_add(down, rows, activations, residual)
                },
            });
        }
        let inner = match self {
            Self::Gelu { up, .. } => up.forward(x)?.gelu_erf()?,
            Self::Swiglu { gate, up, .. } => (gate.forward(x)?.silu()? * up.forward(x)?)?,
        };
        down.forward_add(&inner, residual)
    }

    /// Computes the inputs of the last layer, which stay in the cache until they
    /// are quantized. All layers are of one kind.
    fn compute_inner(&self, down: &MappedLinear, x: &[f32]) -> Activations<'static> {
        use Linear::Mapped;
        match self {
            Self::Gelu { up: Mapped(up), .. } => {
                let gelu = |_, [rows]: [&mut [TileRow]; 1]| gelu_rows(up.isa(), rows);
                multiply_for(down, [up], &up.activations(x), gelu)
            }
            Self::Swiglu {
                gate: Mapped(gate),
                up: Mapped(up),
                ..
            } => {
                let gated = |_, [gated, ups]: [&mut [TileRow]; 2]| {
                    silu_mul(gate.isa(), gated, ups);
                };
                multiply_for(down, [gate, up], &gate.activations(x), gated)
            }
            _ => unreachable!("a backend reads all layers the same way"),
        }
    }
}

/// Returns the number of rows that `layer` takes, and a function that makes `activations`
/// of a range of them.
fn split_rows<'a>(
    layer: &MappedLinear,
    x: &'a [f32],
    activations: impl Fn(&'a [f32]) -> Activations<'a>,
) -> (usize, impl Fn(Range<usize>) -> Activations<'a>) {
    let width = layer.inputs();
    let of_range = move |rows: Range<usize>| activations(&x[rows.start * width..rows.end * width]);
    (x.len() / width, of_range)
}

/// Multiplies with a layer's weights and adds a residual.
fn multiply_add<'a>(
    layer: &MappedLinear,
    rows: usize,
    activations: impl Fn(Range<usize>) -> Activations<'a>,
    residual: &[f32],
) -> Vec<f32> {
    let outputs = layer.outputs();
    multiply([layer], rows, activations, |strip, [products]| {
        let rows = residual[strip.row * outputs..].chunks(outputs);
        for (products, row) in products.iter_mut().zip(rows) {
            let numbers = products.iter_mut().zip(&row[strip.column..][..COLUMNS]);
            numbers.for_each(|(product, x)| *product += x);
        }
    })
}
