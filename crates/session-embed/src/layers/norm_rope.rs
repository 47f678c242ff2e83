//! The norms of queries and keys, and rotary positions.

use super::op::{InplaceRowsOp, f32_slice};
use super::{Backend, LayerReader};
use crate::EmbedError;
use crate::kernel::attention::AttentionShape;
use crate::kernel::isa::Isa;
use crate::kernel::norm_rope::{HeadNorm, RopeAngles, norm_rope};
use crate::kernel::threads::min_tasks;
use candle_core::{Device, Result, Tensor};
use candle_nn::rotary_emb::rope_thd;
use rayon::prelude::*;

/// Rows that a thread rotates at once.
const ROWS_PER_TASK: usize = 16;

/// Angles of positions (Su et al. 2021).
#[derive(Debug, Clone)]
pub(crate) struct RotaryEmbedding {
    /// Angle of each pair from a position to the next, in radians.
    frequencies: Vec<f32>,
    device: Device,
}

/// Cosines and sines of the positions of a batch's tokens, a row each.
#[derive(Debug, Clone)]
pub(crate) struct RopeTensors {
    cos: Tensor,
    sin: Tensor,
}

impl RotaryEmbedding {
    /// Creates the embedding of heads of `head_dim` numbers.
    pub(crate) fn new(head_dim: usize, theta: f32, backend: &Backend) -> Self {
        let frequency = |pair: usize| 1.0 / theta.powf((2 * pair) as f32 / head_dim as f32);
        Self {
            frequencies: (0..head_dim / 2).map(frequency).collect(),
            device: backend.device.clone(),
        }
    }

    /// Computes the cosines and sines of texts of these lengths.
    pub(crate) fn angles(&self, lengths: &[usize]) -> Result<RopeTensors> {
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let half = self.frequencies.len();
        let positions = (0..longest).into_par_iter().with_min_len(64);
        let table: Vec<(f32, f32)> = positions
            .flat_map_iter(|position| {
                let angles = self.frequencies.iter();
                angles.map(move |frequency| (position as f32 * frequency).sin_cos())
            })
            .collect();
        let rows = |of: fn(&(f32, f32)) -> f32| {
            let rows = lengths.iter().flat_map(|len| &table[..len * half]);
            let rows: Vec<f32> = rows.map(of).collect();
            let shape = (rows.len() / half.max(1), half);
            Tensor::from_vec(rows, shape, &self.device)
        };
        Ok(RopeTensors {
            cos: rows(|(_, cos)| *cos)?,
            sin: rows(|(sin, _)| *sin)?,
        })
    }
}

/// The norms of the heads of queries and keys, then their rotation by the
/// token's position.
#[derive(Debug, Clone)]
pub(crate) struct NormRope {
    q_norm: Vec<f32>,
    k_norm: Vec<f32>,
    epsilon: f32,
    shape: AttentionShape,
    kernels: Option<Isa>,
}

impl LayerReader<'_> {
    /// Reads the norms `q_name.weight` and `k_name.weight`.
    ///
    /// # Errors
    /// [`EmbedError::File`] when the file lacks one, or it has another size.
    pub(crate) fn norm_rope(
        &self,
        [q_name, k_name]: [&str; 2],
        shape: AttentionShape,
        epsilon: f32,
    ) -> std::result::Result<NormRope, EmbedError> {
        let norm = |name: &str| self.file.vector(&format!("{name}.weight"), shape.head_dim);
        Ok(NormRope {
            q_norm: norm(q_name)?,
            k_norm: norm(k_name)?,
            epsilon,
            shape,
            kernels: self.backend.kernels,
        })
    }
}

impl NormRope {
    /// Normalizes and rotates queries and keys in rows of queries, keys and
    /// values; in place, by our kernel.
    pub(crate) fn forward(&self, qkv: Tensor, angles: &RopeTensors) -> Result<Tensor> {
        let Some(isa) = self.kernels else {
            return self.forward_candle(&qkv, angles);
        };
        let (cos, sin) = (
            angles.cos.storage_and_layout(),
            angles.sin.storage_and_layout(),
        );
        let (cos, sin) = (f32_slice(&cos)?, f32_slice(&sin)?);
        let stride = self.shape.qkv_dim();
        let norms = self.head_norms();
        let forward = |rows: &mut [f32]| {
            let step = ROWS_PER_TASK * self.shape.head_dim / 2;
            let angles = cos.par_chunks(step).zip(sin.par_chunks(step));
            let rows = rows.par_chunks_mut(ROWS_PER_TASK * stride).zip(angles);
            let rows = rows.with_min_len(min_tasks());
            rows.for_each(|(rows, (cos, sin))| {
                let angles = RopeAngles { cos, sin };
                let norms = norms.iter();
                norms.for_each(|norm| norm_rope(isa, rows, stride, norm, angles));
            });
        };
        let name = "norm-rope";
        qkv.inplace_op1(&InplaceRowsOp { name, forward })?;
        Ok(qkv)
    }

    /// Returns the norms of queries and keys by their columns.
    fn head_norms(&self) -> [HeadNorm<'_>; 2] {
        let query_dim = self.shape.query_dim();
        let queries = 0..query_dim;
        let keys = query_dim..query_dim + self.shape.kv_dim();
        [(queries, &self.q_norm), (keys, &self.k_norm)].map(|(columns, weight)| HeadNorm {
            columns,
            weight,
            epsilon: self.epsilon,
        })
    }

    fn forward_candle(&self, qkv: &Tensor, angles: &RopeTensors) -> Result<Tensor> {
        let [q, k, v] = self.shape.split(qkv)?;
        let (count, head_dim) = (qkv.dim(0)?, self.shape.head_dim);
        let norm_rope = |rows: &Tensor, norm: &[f32]| {
            let width = rows.dim(1)?;
            let heads = rows.reshape((1, count, width / head_dim, head_dim))?;
            let norm = Tensor::new(norm, rows.device())?;
            let heads = candle_nn::ops::rms_norm(&heads, &norm, self.epsilon)?;
            rope_thd(&heads, &angles.cos, &angles.sin)?.reshape((count, width))
        };
        let (q, k) = (norm_rope(&q, &self.q_norm)?, norm_rope(&k, &self.k_norm)?);
        Tensor::cat(&[&q, &k, &v], 1)
    }
}
