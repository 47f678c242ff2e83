//! Attention within each text of a batch.

use super::LayerReader;
use super::op::Op;
use crate::device::Precision;
use crate::kernel::attention::{AttentionShape, attention};
use crate::kernel::isa::Isa;
use candle_core::{Result, Tensor};
use candle_nn::ops::softmax_last_dim;

/// Queries whose logits candle holds at once: what bounds its memory.
const QUERIES: usize = 512;

/// Softmax attention, with shared keys and values where there are fewer heads
/// of them (Ainslie et al. 2023).
#[derive(Debug, Clone, Copy)]
pub struct Attention {
    shape: AttentionShape,
    kernels: Option<Isa>,
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
    /// An attention of such heads; in `bf16`, where the CPU has it, if weights
    /// are quantized.
    pub fn attention(&self, shape: AttentionShape) -> Attention {
        let kernels = self.backend.kernels.map(|isa| match self.precision {
            Precision::Q8_0 => isa,
            Precision::Stored => isa.in_f32(),
        });
        Attention { shape, kernels }
    }
}

impl Attention {
    /// Returns the weighted values of each token, as many heads as queries. A
    /// row has a token's queries, keys and values; `lengths` are the tokens of
    /// each text.
    pub fn forward(&self, qkv: &Tensor, lengths: &[usize]) -> Result<Tensor> {
        let Some(isa) = self.kernels else {
            return self.forward_candle(qkv, lengths);
        };
        qkv.apply_op1_no_bwd(&Op {
            name: "attention",
            width: self.shape.query_dim(),
            forward: |qkv: &[f32]| attention(isa, self.shape, qkv, lengths),
        })
    }

    fn forward_candle(&self, qkv: &Tensor, lengths: &[usize]) -> Result<Tensor> {
        let mut start = 0;
        let texts = lengths.iter().map(|&len| {
            let [q, k, v] = self.shape.split(&qkv.narrow(0, start, len)?)?;
            start += len;
            self.attend(&self.heads(&q)?, &self.heads(&k)?, &self.heads(&v)?)
        });
        Tensor::cat(&texts.collect::<Result<Vec<_>>>()?, 0)
    }

    /// The heads of each token, a matrix a head.
    fn heads(&self, rows: &Tensor) -> Result<Tensor> {
        let (count, width) = rows.dims2()?;
        let head_dim = self.shape.head_dim;
        let heads = rows.reshape((count, width / head_dim, head_dim))?;
        heads.transpose(0, 1)?.contiguous()
    }

    /// Attention within a text.
    fn attend(&self, q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor> {
        let len = q.dim(1)?;
        let tiles = (0..len).step_by(QUERIES).map(|start| {
            let end = len.min(start + QUERIES);
            let q = q.narrow(1, start, end - start)?.contiguous()?;
            let visible = if self.shape.is_causal { end } else { len };
            let k = k.narrow(1, 0, visible)?.contiguous()?;
            let v = v.narrow(1, 0, visible)?.contiguous()?;
            self.attend_tile(&q, &k, &v)
        });
        Tensor::cat(&tiles.collect::<Result<Vec<_>>>()?, 0)
    }

    /// Attention of some queries; of the last ones, if it is causal.
    fn attend_tile(&self, q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor> {
        let AttentionShape {
            heads,
            kv_heads,
            head_dim,
            is_causal,
            ..
        } = self.shape;
        let (count, visible) = (q.dim(1)?, k.dim(1)?);
        let shared = heads / kv_heads * count;
        let q = q.reshape((kv_heads, shared, head_dim))?;
        let logits = (q.matmul(&k.t()?.contiguous()?)? / (head_dim as f64).sqrt())?;
        let mut logits = logits.reshape((heads, count, visible))?;
        if is_causal {
            logits = logits.broadcast_add(&causal_mask(count, visible, q.device())?)?;
        }
        let weights = softmax_last_dim(&logits)?.reshape((kv_heads, shared, visible))?;
        let out = weights.matmul(v)?.reshape((heads, count, head_dim))?;
        let out = out.transpose(0, 1)?.contiguous()?;
        out.reshape((count, heads * head_dim))
    }
}

/// Hides from each of the last `count` tokens those after it.
fn causal_mask(count: usize, visible: usize, device: &candle_core::Device) -> Result<Tensor> {
    let is_hidden = |at: usize| at % visible > at / visible + visible - count;
    let mask = (0..count * visible).map(|at| {
        if is_hidden(at) {
            f32::NEG_INFINITY
        } else {
            0.0
        }
    });
    Tensor::from_iter(mask, device)?.reshape((1, count, visible))
}
