//! The same decoder through candle, for devices that candle knows. A text at a
//! time, without padding; products in the numbers of the weights, the rest in
//! `f32`.

use super::Config;
use crate::EmbedError;
use crate::device::Decoder;
use crate::tensor::{self, Weights};
use candle_core::{DType, Device, Result, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};
use candle_nn::rotary_emb::rope;

/// Tokens whose attention is computed at once: what bounds its memory.
const TILE: usize = 512;

/// A decoder on a device.
#[derive(Debug)]
pub struct OnDevice {
    config: Config,
    device: Device,
    /// These stay where they lie; few of them are read.
    words: tensor::Tensor,
    layers: Vec<Layer>,
    norm: Tensor,
}

#[derive(Debug)]
struct Layer {
    norm: Tensor,
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    query_norm: Tensor,
    key_norm: Tensor,
    attended: Tensor,
    inner_norm: Tensor,
    gate: Tensor,
    up: Tensor,
    down: Tensor,
}

impl From<candle_core::Error> for EmbedError {
    fn from(error: candle_core::Error) -> Self {
        Self::Device(error.to_string())
    }
}

/// What a decoder is made from.
struct Opened<'a> {
    weights: &'a dyn Weights,
    config: Config,
    device: &'a Device,
    form: DType,
}

impl Opened<'_> {
    fn norm(&self, name: &str, width: usize) -> std::result::Result<Tensor, EmbedError> {
        let numbers = self.weights.vector(&format!("{name}.weight"), width)?;
        Ok(Tensor::from_vec(numbers, width, self.device)?)
    }

    fn linear(
        &self,
        name: &str,
        outputs: usize,
        inputs: usize,
    ) -> std::result::Result<Tensor, EmbedError> {
        let name = format!("{name}.weight");
        let tensor = self.weights.tensor(&name, outputs, inputs)?;
        let mut numbers = vec![0.0; outputs * inputs];
        for (row, numbers) in numbers.chunks_exact_mut(inputs).enumerate() {
            tensor.read_row(row, numbers);
        }
        let tensor = Tensor::from_vec(numbers, (outputs, inputs), self.device)?;
        Ok(tensor.to_dtype(self.form)?)
    }

    fn layer(&self, at: usize) -> std::result::Result<Layer, EmbedError> {
        let Config { hidden, inner, .. } = self.config;
        let (asked, answered) = (self.config.asked(), self.config.answered());
        let name = |part: &str| format!("blk.{at}.{part}");
        let norm = |part: &str, width| self.norm(&name(part), width);
        let linear = |part: &str, outputs, inputs| self.linear(&name(part), outputs, inputs);
        Ok(Layer {
            norm: norm("attn_norm", hidden)?,
            queries: linear("attn_q", asked, hidden)?,
            keys: linear("attn_k", answered, hidden)?,
            values: linear("attn_v", answered, hidden)?,
            query_norm: norm("attn_q_norm", self.config.width)?,
            key_norm: norm("attn_k_norm", self.config.width)?,
            attended: linear("attn_output", hidden, asked)?,
            inner_norm: norm("ffn_norm", hidden)?,
            gate: linear("ffn_gate", inner, hidden)?,
            up: linear("ffn_up", inner, hidden)?,
            down: linear("ffn_down", hidden, inner)?,
        })
    }
}

impl OnDevice {
    /// Copies the weights to a device, the linear layers' in a form.
    pub fn open(
        weights: &dyn Weights,
        config: Config,
        device: Device,
        form: DType,
    ) -> std::result::Result<Self, EmbedError> {
        let open = Opened {
            weights,
            config,
            device: &device,
            form,
        };
        let layers = (0..config.layers).map(|at| open.layer(at));
        Ok(Self {
            words: super::words(weights, &config)?,
            layers: layers.collect::<std::result::Result<_, _>>()?,
            norm: open.norm("output_norm", config.hidden)?,
            config,
            device,
        })
    }

    /// What is known of the last token of a text.
    fn last(&self, ids: &[u32]) -> Result<Vec<f32>> {
        let turns = self.turns(ids.len())?;
        let mut hidden = self.look_up(ids)?;
        for layer in &self.layers {
            hidden = (&hidden + self.attend(layer, &hidden, &turns)?)?;
            hidden = (&hidden + self.think(layer, &hidden)?)?;
        }
        let last = hidden.narrow(0, ids.len() - 1, 1)?.contiguous()?;
        self.normal(&last, &self.norm)?.squeeze(0)?.to_vec1()
    }

    fn look_up(&self, ids: &[u32]) -> Result<Tensor> {
        let hidden = self.config.hidden;
        let mut rows = vec![0.0; ids.len() * hidden];
        for (row, &id) in rows.chunks_exact_mut(hidden).zip(ids) {
            self.words.read_row(id as usize, row);
        }
        Tensor::from_vec(rows, (ids.len(), hidden), &self.device)
    }

    /// Cosines and sines of the first positions, a row each.
    fn turns(&self, len: usize) -> Result<[Tensor; 2]> {
        let half = self.config.width / 2;
        let angle = |pair: usize| {
            let power = (2 * pair) as f32 / self.config.width as f32;
            1.0 / self.config.theta.powf(power)
        };
        let angles = Tensor::from_iter((0..half).map(angle), &self.device)?;
        let places = Tensor::from_iter((0..len).map(|at| at as f32), &self.device)?;
        let angles = places.unsqueeze(1)?.broadcast_mul(&angles.unsqueeze(0)?)?;
        Ok([angles.cos()?, angles.sin()?])
    }

    fn normal(&self, rows: &Tensor, norm: &Tensor) -> Result<Tensor> {
        rms_norm(rows, norm, self.config.epsilon)
    }

    /// The heads of each token, a matrix a head.
    fn heads(&self, rows: &Tensor, weights: &Tensor) -> Result<Tensor> {
        let rows = linear(rows, weights)?;
        let width = self.config.width;
        let heads = rows.reshape((rows.dim(0)?, rows.dim(1)? / width, width))?;
        heads.transpose(0, 1)?.contiguous()
    }

    fn turned(
        &self,
        heads: &Tensor,
        norm: &Tensor,
        [cosines, sines]: &[Tensor; 2],
    ) -> Result<Tensor> {
        let heads = self.normal(heads, norm)?.unsqueeze(0)?;
        rope(&heads, cosines, sines)?.squeeze(0)
    }

    fn attend(&self, layer: &Layer, hidden: &Tensor, turns: &[Tensor; 2]) -> Result<Tensor> {
        let rows = self.normal(hidden, &layer.norm)?;
        let queries = self.heads(&rows, &layer.queries)?;
        let queries = self.turned(&queries, &layer.query_norm, turns)?;
        let keys = self.heads(&rows, &layer.keys)?;
        let keys = self.turned(&keys, &layer.key_norm, turns)?;
        let values = self.heads(&rows, &layer.values)?;
        let len = hidden.dim(0)?;
        let tiles = (0..len).step_by(TILE).map(|start| {
            let end = len.min(start + TILE);
            let queries = queries.narrow(1, start, end - start)?.contiguous()?;
            let keys = keys.narrow(1, 0, end)?.contiguous()?;
            let values = values.narrow(1, 0, end)?.contiguous()?;
            self.gather(&queries, &keys, &values)
        });
        let tiles = tiles.collect::<Result<Vec<_>>>()?;
        linear(&Tensor::cat(&tiles, 0)?, &layer.attended)
    }

    /// What the last tokens gather from all up to each.
    fn gather(&self, queries: &Tensor, keys: &Tensor, values: &Tensor) -> Result<Tensor> {
        let Config {
            heads,
            key_heads,
            width,
            ..
        } = self.config;
        let (count, seen) = (queries.dim(1)?, keys.dim(1)?);
        let shared = (key_heads, heads / key_heads * count, width);
        let scores = queries.reshape(shared)?.matmul(&keys.t()?.contiguous()?)?;
        let scores = (scores / (width as f64).sqrt())?.reshape((heads, count, seen))?;
        let shares = softmax_last_dim(&scores.broadcast_add(&self.mask(count, seen)?)?)?;
        let shares = shares.reshape((key_heads, heads / key_heads * count, seen))?;
        let out = shares.matmul(values)?.reshape((heads, count, width))?;
        out.transpose(0, 1)?
            .contiguous()?
            .reshape((count, heads * width))
    }

    /// Hides from each of the last `count` tokens those after it.
    fn mask(&self, count: usize, seen: usize) -> Result<Tensor> {
        let hides = |at: usize| at % seen > at / seen + seen - count;
        let mask = (0..count * seen).map(|at| if hides(at) { f32::NEG_INFINITY } else { 0.0 });
        Tensor::from_iter(mask, &self.device)?.reshape((1, count, seen))
    }

    fn think(&self, layer: &Layer, hidden: &Tensor) -> Result<Tensor> {
        let rows = self.normal(hidden, &layer.inner_norm)?;
        let gate = silu(&linear(&rows, &layer.gate)?)?;
        linear(&(gate * linear(&rows, &layer.up)?)?, &layer.down)
    }
}

fn linear(rows: &Tensor, weights: &Tensor) -> Result<Tensor> {
    let rows = rows.to_dtype(weights.dtype())?;
    rows.matmul(&weights.t()?)?.to_dtype(DType::F32)
}

impl Decoder for OnDevice {
    fn embed(
        &self,
        mut ids: &[u32],
        lengths: &[usize],
        vectors: &mut [f32],
    ) -> std::result::Result<(), EmbedError> {
        let rows = vectors.chunks_exact_mut(self.config.hidden);
        for (row, &len) in rows.zip(lengths) {
            let (text, rest) = ids.split_at(len);
            match len {
                0 => row.fill(0.0),
                _ => row.copy_from_slice(&self.last(text)?),
            }
            ids = rest;
        }
        Ok(())
    }
}
