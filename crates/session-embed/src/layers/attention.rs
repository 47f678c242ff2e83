//! Attention within each text of a batch.

use super::LayerReader;
use super::op::RowsOp;
use super::padded_texts::PaddedTexts;
use crate::device::Precision;
use crate::kernel::attention::{AttentionShape, attention};
use crate::kernel::isa::Isa;
use candle_core::{Device, Result, Tensor};

/// Softmax attention within each text, with shared keys and values where there are fewer heads
/// of them (Ainslie et al. 2023).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attention {
    shape: AttentionShape,
    kernels: Option<Isa>,
}

/// The attention of all layers to the texts of a batch.
#[derive(Debug)]
pub(crate) struct BatchAttention<'a> {
    shape: AttentionShape,
    texts: BatchLayout<'a>,
}

#[derive(Debug)]
enum BatchLayout<'a> {
    /// Their lengths, for our kernel.
    Packed(Isa, &'a [usize]),
    /// Padded texts for candle's operations.
    Padded(PaddedTexts),
}

impl AttentionShape {
    /// Divides rows into those of queries, keys and values.
    pub(super) fn split(&self, qkv: &Tensor) -> Result<[Tensor; 3]> {
        let (query_dim, kv_dim) = (self.query_dim(), self.kv_dim());
        Ok([
            qkv.narrow(1, 0, query_dim)?,
            qkv.narrow(1, query_dim, kv_dim)?,
            qkv.narrow(1, query_dim + kv_dim, kv_dim)?,
        ])
    }
}

impl LayerReader<'_> {
    /// Creates the attention of a layer; in `bf16`, where the CPU has it, if weights
    /// are quantized.
    pub(crate) fn attention(&self, shape: AttentionShape) -> Attention {
        let kernels = self.backend.kernels.map(|isa| match self.precision {
            Precision::Q8_0 => isa,
            Precision::Stored => isa.without_bf16(),
        });
        Attention { shape, kernels }
    }
}

impl Attention {
    /// Returns the attention of all layers to texts of these lengths.
    pub(crate) fn for_batch<'a>(
        &self,
        lengths: &'a [usize],
        device: &Device,
    ) -> Result<BatchAttention<'a>> {
        let shape = self.shape;
        let texts = match self.kernels {
            Some(isa) => BatchLayout::Packed(isa, lengths),
            None => BatchLayout::Padded(PaddedTexts::new(lengths, shape.is_causal, device)?),
        };
        Ok(BatchAttention { shape, texts })
    }
}

impl BatchAttention<'_> {
    /// Returns the weighted values of each token, as many heads as queries. A
    /// row has a token's queries, keys and values.
    pub(crate) fn forward(&self, qkv: &Tensor) -> Result<Tensor> {
        match &self.texts {
            BatchLayout::Padded(texts) => texts.attend(self.shape, qkv),
            BatchLayout::Packed(isa, lengths) => qkv.apply_op1_no_bwd(&RowsOp {
                name: "attention",
                width: self.shape.query_dim(),
                forward: |qkv: &[f32]| attention(*isa, self.shape, qkv, lengths),
            }),
        }
    }
}
