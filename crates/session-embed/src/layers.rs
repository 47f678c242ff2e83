//! Layers that architectures are made of. Each computes by a kernel of ours,
//! as an operation of candle's, where the [`Backend`] has kernels, else by
//! candle's own operations, on any device.

mod attention;
mod embedding;
mod linear;
mod norm;
mod norm_rope;
mod op;
mod padded_texts;
mod pooling;
#[cfg(test)]
mod tests;

pub(crate) use attention::{Attention, BatchAttention};
pub(crate) use embedding::TokenEmbedding;
pub(crate) use linear::{FeedForward, Linear};
pub(crate) use norm::{LayerNorm, RmsNorm};
pub(crate) use norm_rope::{NormRope, RopeTensors, RotaryEmbedding};
pub(crate) use pooling::{first_pool, last_pool, mean_pool};

use crate::EmbedError;
use crate::device::Precision;
use crate::kernel::isa::Isa;
use crate::kernel::quantize::to_q8_0;
use crate::stored_matrix::{StoredMatrix, WeightFile};
use candle_core::{DType, Device, Result, Tensor};

/// The device of layers, and the code that computes there.
#[derive(Debug, Clone)]
pub(crate) struct Backend {
    /// The device of tensors.
    pub device: Device,
    /// Our kernels, on a CPU; candle's own operations without.
    pub kernels: Option<Isa>,
}

/// The tokens of some texts, one text after the other without padding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackedBatch<'a> {
    /// Ids of all tokens.
    pub ids: &'a [u32],
    /// Tokens of each text, at least one.
    pub lengths: &'a [usize],
}

/// An architecture with its weights.
pub(crate) trait Encoder: std::fmt::Debug + Send + Sync {
    /// Embeds each text; a row a text, before it is cut and normalized.
    ///
    /// # Errors
    /// When a device fails.
    fn forward(&self, batch: &PackedBatch<'_>) -> Result<Tensor>;

    /// Returns the length of a row.
    fn hidden_size(&self) -> usize;
}

/// Reads layers from a file.
#[derive(Clone, Copy)]
pub(crate) struct LayerReader<'a> {
    /// The file.
    pub file: &'a dyn WeightFile,
    /// The device and code of the layers.
    pub backend: &'a Backend,
    /// The number format of the weights of linear layers.
    pub precision: Precision,
}

impl LayerReader<'_> {
    fn vector(&self, name: &str, len: usize) -> std::result::Result<Tensor, EmbedError> {
        let numbers = self.file.vector(name, len)?;
        Ok(Tensor::from_vec(numbers, len, &self.backend.device)?)
    }

    /// Returns the weights of a linear layer, quantized if need be.
    fn mapped(&self, isa: Isa, matrix: StoredMatrix) -> StoredMatrix {
        match self.precision {
            Precision::Q8_0 => to_q8_0(isa, matrix),
            Precision::Stored => matrix,
        }
    }

    /// Returns the weights of a linear layer on a device: in `BF16` on a GPU.
    fn tensor(&self, matrix: &StoredMatrix) -> Result<Tensor> {
        let device = &self.backend.device;
        let shape = (matrix.rows(), matrix.columns());
        let dtype = if device.is_cpu() {
            DType::F32
        } else {
            DType::BF16
        };
        Tensor::from_vec(matrix.to_f32(), shape, device)?.to_dtype(dtype)
    }
}
