//! Qwen3, the decoder, as an encoder: token ids in, a vector a text out.
//!
//! As in BERT, the tokens of a batch follow each other without padding. Here
//! all threads share a batch, so that one long text keeps them busy: what goes
//! from part to part lies in panels of 32 columns, and a thread makes a panel.

mod attention;
mod config;
#[cfg(any(target_os = "macos", test))]
mod on_device;
mod rope;
#[cfg(test)]
mod tests;

pub use config::Config;
#[cfg(any(target_os = "macos", test))]
pub use on_device::OnDevice;

use crate::EmbedError;
use crate::device::Decoder;
use crate::kernel::activations::Activations;
use crate::kernel::function::{RmsNorm, gate_rows};
use crate::kernel::isa::{Isa, per_isa};
use crate::kernel::lanes::{COLUMNS, TileRow};
use crate::kernel::linear::{Linear, Panels, STRIP};
use crate::tensor::{Tensor, Weights};
use attention::{Heeded, Turn, attend, key_rows, lay_out, read_row};
use rayon::prelude::*;
use rope::Rope;

/// A decoder over open weights, named as llama.cpp names those of Qwen3.
#[derive(Debug, Clone)]
pub struct Qwen3 {
    config: Config,
    isa: Isa,
    words: Tensor,
    layers: Vec<Layer>,
    norm: RmsNorm,
}

#[derive(Debug, Clone)]
struct Layer {
    norm: RmsNorm,
    /// Queries, keys, values.
    seen: [Linear; 3],
    query_norm: RmsNorm,
    key_norm: RmsNorm,
    attended: Linear,
    inner_norm: RmsNorm,
    gate: Linear,
    up: Linear,
    down: Linear,
}

/// The buffers of a batch.
#[derive(Debug)]
struct Scratch {
    rope: Rope,
    /// What is known of each token.
    hidden: Vec<TileRow>,
    /// Queries, which become the outcome of attention, keys and values; then
    /// what is between the halves of the feed-forward part.
    seen: Vec<TileRow>,
    /// Keys, laid out.
    keys: Vec<TileRow>,
    narrow: Activations,
    attended: Activations,
    wide: Activations,
}

impl Qwen3 {
    /// A decoder.
    ///
    /// # Errors
    /// [`EmbedError::File`] when the weights lack something of it.
    pub fn open(
        weights: &dyn Weights,
        config: Config,
        linear: &dyn Fn(Tensor) -> Tensor,
        isa: Isa,
    ) -> Result<Self, EmbedError> {
        let open = Opened {
            weights,
            config,
            linear,
        };
        Ok(Self {
            words: words(weights, &config)?,
            layers: (0..config.layers)
                .map(|at| open.layer(at))
                .collect::<Result<_, _>>()?,
            norm: open.norm("output_norm", config.hidden)?,
            config,
            isa,
        })
    }

    /// Empty buffers.
    fn scratch(&self) -> Scratch {
        let Config { hidden, inner, .. } = self.config;
        let all = |of: fn(&Layer) -> &[Linear]| {
            let mut linears = self.layers.iter().flat_map(of);
            linears.all(|linear| linear.is_integer(self.isa))
        };
        let into_inner = |layer: &Layer| {
            let linears = layer.seen.iter().chain([&layer.gate, &layer.up]);
            linears.clone().all(|linear| linear.is_integer(self.isa))
        };
        Scratch {
            rope: Rope::new(self.config.width, self.config.theta),
            hidden: Vec::new(),
            seen: Vec::new(),
            keys: Vec::new(),
            narrow: Activations::new(hidden, self.layers.iter().all(into_inner)),
            attended: Activations::new(
                self.config.asked(),
                all(|layer| std::slice::from_ref(&layer.attended)),
            ),
            wide: Activations::new(inner, all(|layer| std::slice::from_ref(&layer.down))),
        }
    }

    fn look_up(&self, ids: &[u32], hidden: &mut [TileRow]) {
        let mut row = vec![0.0; self.config.hidden];
        for (at, &id) in ids.iter().enumerate() {
            self.words.read_row(id as usize, &mut row);
            let panels = hidden.chunks_exact_mut(ids.len());
            let parts = panels.zip(row.as_chunks().0);
            parts.for_each(|(panel, part)| panel[at] = *part);
        }
    }

    fn attend(&self, layer: &Layer, lengths: &[usize], scratch: &mut Scratch) {
        let Config { width, .. } = self.config;
        let isa = self.isa;
        let count = lengths.iter().sum();
        let Scratch { hidden, seen, .. } = scratch;
        scratch.narrow.fill(isa, count, |row, out| {
            read_normal(isa, &layer.norm, hidden, row, out);
        });
        let (queries, rest) = seen.split_at_mut(self.config.asked() / COLUMNS * count);
        let (keys, values) = rest.split_at_mut(self.config.answered() / COLUMNS * count);
        let values = &mut values[..keys.len()];
        for (linear, out) in layer.seen.iter().zip([&mut *queries, keys, values]) {
            linear.spread(isa, &scratch.narrow, count, out, write);
        }
        let head_rows = width / COLUMNS * count;
        let laid = key_rows(lengths, width);
        let turn = |norm| Turn {
            norm,
            rope: &scratch.rope,
        };
        let heads = scratch.keys.par_chunks_mut(laid);
        let heads = heads.zip(keys.par_chunks(head_rows));
        heads.for_each(|(out, keys)| lay_out(isa, turn(&layer.key_norm), keys, lengths, out));
        let share = self.config.heads / self.config.key_heads;
        let heads = queries.par_chunks_mut(head_rows).enumerate();
        heads.for_each(|(head, queries)| {
            let heeded = Heeded {
                keys: &scratch.keys[head / share * laid..][..laid],
                values: &values[head / share * head_rows..][..head_rows],
            };
            attend(isa, turn(&layer.query_norm), heeded, lengths, queries);
        });
        let attended = &mut scratch.attended;
        attended.fill(isa, count, |row, out| read_row(queries, count, row, out));
        layer.attended.spread(isa, attended, count, hidden, add);
    }

    /// The feed-forward part of a layer.
    fn think(&self, layer: &Layer, count: usize, scratch: &mut Scratch) {
        let isa = self.isa;
        let Scratch { hidden, seen, .. } = scratch;
        let narrow = &mut scratch.narrow;
        narrow.fill(isa, count, |row, out| {
            read_normal(isa, &layer.inner_norm, hidden, row, out);
        });
        let inner = &mut seen[..self.config.inner / COLUMNS * count];
        let panels = inner.par_chunks_mut(count).enumerate();
        panels.for_each_init(
            || [Panels::new(), Panels::new()],
            |panels, (at, out)| layer.gate(isa, at, narrow, panels, out),
        );
        let wide = &mut scratch.wide;
        wide.fill(isa, count, |row, out| read_row(inner, count, row, out));
        layer.down.spread(isa, wide, count, hidden, add);
    }
}

impl Decoder for Qwen3 {
    fn embed(&self, ids: &[u32], lengths: &[usize], vectors: &mut [f32]) -> Result<(), EmbedError> {
        if ids.is_empty() {
            vectors.fill(0.0);
            return Ok(());
        }
        let mut scratch = self.scratch();
        scratch.resize(&self.config, lengths);
        self.look_up(ids, &mut scratch.hidden);
        for layer in &self.layers {
            self.attend(layer, lengths, &mut scratch);
            self.think(layer, ids.len(), &mut scratch);
        }
        let rows = vectors.chunks_exact_mut(self.config.hidden);
        let mut end = 0;
        for (vector, &len) in rows.zip(lengths) {
            end += len;
            match len {
                0 => vector.fill(0.0),
                _ => read_normal(self.isa, &self.norm, &scratch.hidden, end - 1, vector),
            }
        }
        Ok(())
    }
}

/// The vectors of tokens.
///
/// # Errors
/// [`EmbedError::File`] when there are none, or of another size.
pub fn words(weights: &dyn Weights, config: &Config) -> Result<Tensor, EmbedError> {
    let words = weights.find("token_embd.weight")?;
    if words.columns() == config.hidden {
        return Ok(words);
    }
    Err(EmbedError::File {
        file: weights.kind(),
        reason: "its tokens have another size than the model's",
    })
}

impl Layer {
    /// The `at`th panel of what is between the halves of the feed-forward part.
    fn gate(
        &self,
        isa: Isa,
        at: usize,
        input: &Activations,
        [gates, ups]: &mut [Panels; 2],
        out: &mut [TileRow],
    ) {
        self.gate.pack(isa, at, input, gates);
        self.up.pack(isa, at, input, ups);
        let count = out.len();
        for (strip, out) in out.chunks_mut(STRIP).enumerate() {
            let rows = strip * STRIP..count;
            let gate = self.gate.strip(isa, at, input, rows.clone(), gates);
            let up = self.up.strip(isa, at, input, rows, ups);
            gate_rows(isa, gate, up, out);
        }
    }
}

/// Writes rows over others.
fn write(from: &[TileRow], to: &mut [TileRow]) {
    to.copy_from_slice(from);
}

/// Adds rows to others.
fn add(from: &[TileRow], to: &mut [TileRow]) {
    for (x, sum) in from.as_flattened().iter().zip(to.as_flattened_mut()) {
        *sum += x;
    }
}

per_isa! {
    /// Reads a row of a batch, normalised.
    fn read_normal(norm: &RmsNorm, panels: &[TileRow], row: usize, out: &mut [f32]) = read_normal_anywhere
}

#[inline(always)]
fn read_normal_anywhere(norm: &RmsNorm, panels: &[TileRow], row: usize, out: &mut [f32]) {
    read_row(panels, panels.len() / (out.len() / COLUMNS), row, out);
    norm.apply(out);
}

impl Scratch {
    fn resize(&mut self, config: &Config, lengths: &[usize]) {
        let count: usize = lengths.iter().sum();
        let seen = config.asked() + 2 * config.answered();
        let rows = |columns: usize| columns / COLUMNS * count;
        let resize = |rows: &mut Vec<TileRow>, len| rows.resize(len, [0.0; COLUMNS]);
        resize(&mut self.hidden, rows(config.hidden));
        resize(&mut self.seen, rows(seen.max(config.inner)));
        let laid = key_rows(lengths, config.width);
        resize(&mut self.keys, config.key_heads * laid);
        self.rope.reach(lengths.iter().copied().max().unwrap_or(0));
        self.narrow.resize(count);
        self.attended.resize(count);
        self.wide.resize(count);
    }
}

/// What a decoder is made from.
struct Opened<'a> {
    weights: &'a dyn Weights,
    config: Config,
    /// What is done to the weights of linear layers.
    linear: &'a dyn Fn(Tensor) -> Tensor,
}

impl Opened<'_> {
    fn norm(&self, name: &str, width: usize) -> Result<RmsNorm, EmbedError> {
        Ok(RmsNorm {
            weight: self.weights.vector(&format!("{name}.weight"), width)?,
            epsilon: self.config.epsilon,
        })
    }

    fn layer(&self, at: usize) -> Result<Layer, EmbedError> {
        let config = &self.config;
        let Config { hidden, inner, .. } = *config;
        let name = |part: &str| format!("blk.{at}.{part}");
        let norm = |part: &str, width| self.norm(&name(part), width);
        let linear = |part: &str, outputs, inputs| {
            let name = format!("{}.weight", name(part));
            let tensor = self.weights.tensor(&name, outputs, inputs)?;
            Ok::<_, EmbedError>(Linear::without_bias((self.linear)(tensor)))
        };
        Ok(Layer {
            norm: norm("attn_norm", hidden)?,
            seen: [
                linear("attn_q", config.asked(), hidden)?,
                linear("attn_k", config.answered(), hidden)?,
                linear("attn_v", config.answered(), hidden)?,
            ],
            query_norm: norm("attn_q_norm", config.width)?,
            key_norm: norm("attn_k_norm", config.width)?,
            attended: linear("attn_output", hidden, config.asked())?,
            inner_norm: norm("ffn_norm", hidden)?,
            gate: linear("ffn_gate", inner, hidden)?,
            up: linear("ffn_up", inner, hidden)?,
            down: linear("ffn_down", hidden, inner)?,
        })
    }
}
