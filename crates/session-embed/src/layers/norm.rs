//! Norms of rows.

use super::LayerReader;
use super::op::{InplaceRowsOp, RowsOp, f32_slice};
use crate::EmbedError;
use crate::kernel::functions::{layer_norm, rms_norm};
use crate::kernel::isa::Isa;
use crate::kernel::threads::min_tasks;
use candle_core::{Result, Tensor};
use rayon::prelude::*;

/// Rows that a thread normalizes at once.
const ROWS_PER_TASK: usize = 16;

/// Mean 0 and variance 1, times a weight plus a bias.
#[derive(Debug, Clone)]
pub(crate) struct LayerNorm {
    weight: Tensor,
    bias: Tensor,
    epsilon: f32,
    kernels: Option<Isa>,
}

/// A mean of squares of 1, times a weight.
#[derive(Debug, Clone)]
pub(crate) struct RmsNorm {
    weight: Tensor,
    epsilon: f32,
    kernels: Option<Isa>,
}

impl LayerReader<'_> {
    /// Reads the norm `name.weight` and `name.bias`.
    ///
    /// # Errors
    /// [`EmbedError::File`] when the file lacks it, or it has another size.
    pub(crate) fn layer_norm(
        &self,
        name: &str,
        width: usize,
        epsilon: f32,
    ) -> std::result::Result<LayerNorm, EmbedError> {
        Ok(LayerNorm {
            weight: self.vector(&format!("{name}.weight"), width)?,
            bias: self.vector(&format!("{name}.bias"), width)?,
            epsilon,
            kernels: self.backend.kernels,
        })
    }

    /// Reads the norm `name.weight`.
    ///
    /// # Errors
    /// As [`LayerReader::layer_norm`].
    pub(crate) fn rms_norm(
        &self,
        name: &str,
        width: usize,
        epsilon: f32,
    ) -> std::result::Result<RmsNorm, EmbedError> {
        Ok(RmsNorm {
            weight: self.vector(&format!("{name}.weight"), width)?,
            epsilon,
            kernels: self.backend.kernels,
        })
    }
}

impl LayerNorm {
    /// Normalizes rows; in place, by our kernel.
    pub(crate) fn forward(&self, rows: Tensor) -> Result<Tensor> {
        let Some(isa) = self.kernels else {
            return candle_nn::ops::layer_norm(&rows, &self.weight, &self.bias, self.epsilon);
        };
        let [weight, bias] = [&self.weight, &self.bias].map(Tensor::storage_and_layout);
        let (weight, bias) = (f32_slice(&weight)?, f32_slice(&bias)?);
        let forward = |rows: &mut [f32]| {
            let tasks = rows.par_chunks_mut(ROWS_PER_TASK * weight.len());
            let tasks = tasks.with_min_len(min_tasks());
            tasks.for_each(|rows| layer_norm(isa, rows, weight, bias, self.epsilon));
        };
        let name = "layer-norm";
        rows.inplace_op1(&InplaceRowsOp { name, forward })?;
        Ok(rows)
    }
}

impl RmsNorm {
    /// Normalizes rows.
    pub(crate) fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        let Some(isa) = self.kernels else {
            return candle_nn::ops::rms_norm(rows, &self.weight, self.epsilon);
        };
        let weight = self.weight.storage_and_layout();
        let weight = f32_slice(&weight)?;
        let forward = |rows: &[f32]| {
            let mut out = vec![0.0; rows.len()];
            let step = ROWS_PER_TASK * weight.len();
            let tasks = out.par_chunks_mut(step).zip(rows.par_chunks(step));
            let tasks = tasks.with_min_len(min_tasks());
            tasks.for_each(|(out, rows)| rms_norm(isa, rows, weight, self.epsilon, out));
            out
        };
        rows.apply_op1_no_bwd(&RowsOp {
            name: "rms-norm",
            width: weight.len(),
            forward,
        })
    }
}
