//! BERT, the encoder: token ids in, a vector a text out.
//!
//! The tokens of a batch follow each other without padding: linear layers do
//! not care which text a token is of, and attention goes text by text. So a
//! token's numbers are the same, to the last bit, whatever else is in the batch.

mod attention;
#[cfg(test)]
mod tests;

use crate::EmbedError;
use crate::gguf::Gguf;
use crate::kernel::activations::{Activations, resize_zeroed};
use crate::kernel::function::{Norm, add_and_normalise, gelu_rows};
use crate::kernel::isa::Isa;
use crate::kernel::lanes::COLUMNS;
use crate::kernel::linear::{Linear, Panels, Strip};
use crate::tensor::{Tensor, Weights};
use attention::{Head, Heads, attend};

/// An encoder over an open file, whose tensors are named as llama.cpp names
/// those of BERT.
#[derive(Debug, Clone)]
pub struct Bert {
    isa: Isa,
    heads: Heads,
    inner: usize,
    words: Tensor,
    positions: Tensor,
    /// What the first of the token types adds to each token.
    kind: Tensor,
    norm: Norm,
    layers: Vec<Layer>,
}

#[derive(Debug, Clone)]
struct Layer {
    /// Queries, keys, values.
    seen: [Linear; 3],
    attended: Linear,
    attended_norm: Norm,
    up: Linear,
    down: Linear,
    norm: Norm,
}

/// Buffers that are kept from batch to batch.
#[derive(Debug)]
pub struct Scratch {
    /// What is known of each token, a row each.
    hidden: Vec<f32>,
    /// Queries, keys and values.
    seen: Vec<f32>,
    /// The outcome of attention, then of a linear layer.
    next: Vec<f32>,
    narrow: Activations,
    wide: Activations,
    panels: Panels,
    head: Head,
}

impl Bert {
    /// An encoder of `vocabulary` tokens that reads up to `positions` of them.
    ///
    /// # Errors
    /// [`EmbedError::File`] when the file lacks something of it, or its sizes
    /// are not multiples of 32.
    pub fn open(
        file: &Gguf,
        vocabulary: usize,
        positions: usize,
        isa: Isa,
    ) -> Result<Self, EmbedError> {
        let size = |name: &str| Ok::<_, EmbedError>(file.number(name)? as usize);
        let hidden = size("bert.embedding_length")?;
        let inner = size("bert.feed_forward_length")?;
        let heads = heads(hidden, size("bert.attention.head_count")?)?;
        if inner == 0 || !inner.is_multiple_of(COLUMNS) {
            return Err(odd());
        }
        let epsilon = file.number("bert.attention.layer_norm_epsilon")? as f32;
        let layers = (0..size("bert.block_count")?)
            .map(|at| Layer::open(file, at, [hidden, inner], epsilon))
            .collect::<Result<_, _>>()?;
        let context = size("bert.context_length")?;
        if positions > context {
            return Err(odd());
        }
        Ok(Self {
            words: file.tensor("token_embd.weight", vocabulary, hidden)?,
            positions: file.tensor("position_embd.weight", context, hidden)?,
            kind: file.tensor("token_types.weight", size("bert.token_type_count")?, hidden)?,
            norm: norm(file, "token_embd_norm", hidden, epsilon)?,
            layers,
            heads,
            inner,
            isa,
        })
    }

    /// Length of a vector.
    pub fn hidden(&self) -> usize {
        self.heads.hidden()
    }

    /// Empty buffers for [`Bert::embed`].
    pub fn scratch(&self) -> Scratch {
        let integer = |layer: &Linear| layer.is_integer(self.isa);
        let attended = self.layers.iter().all(|layer| integer(&layer.attended));
        let seen = self
            .layers
            .iter()
            .flat_map(|layer| &layer.seen)
            .all(integer);
        let up = self.layers.iter().all(|layer| integer(&layer.up));
        let down = self.layers.iter().all(|layer| integer(&layer.down));
        Scratch {
            hidden: Vec::new(),
            seen: Vec::new(),
            next: Vec::new(),
            narrow: Activations::new(self.hidden(), attended && seen && up),
            wide: Activations::new(self.inner, down),
            panels: Panels::new(),
            head: Head::default(),
        }
    }

    /// Writes the mean of each text's tokens over a row of `vectors`. `ids` are
    /// the tokens of the texts, one after the other, as `lengths` says.
    pub fn embed(
        &self,
        ids: &[u32],
        lengths: &[usize],
        scratch: &mut Scratch,
        vectors: &mut [f32],
    ) {
        scratch.resize(ids.len(), self.hidden());
        self.look_up(ids, lengths, &mut scratch.hidden);
        for layer in &self.layers {
            self.attend(layer, lengths, scratch);
            self.think(layer, scratch);
        }
        let rows = vectors.chunks_exact_mut(self.hidden());
        for (vector, tokens) in rows.zip(split(&scratch.hidden, lengths, self.hidden())) {
            mean(tokens, vector);
        }
    }

    /// Embeds words and positions.
    fn look_up(&self, ids: &[u32], lengths: &[usize], rows: &mut [f32]) {
        let positions = lengths.iter().flat_map(|&len| 0..len);
        let tokens = ids.iter().zip(positions);
        for (row, (&id, position)) in rows.chunks_exact_mut(self.hidden()).zip(tokens) {
            self.words.add_row(id as usize, row);
            self.positions.add_row(position, row);
            self.kind.add_row(0, row);
        }
        let zeros = vec![0.0; rows.len()];
        add_and_normalise(self.isa, rows, &zeros, &self.norm);
    }

    fn attend(&self, layer: &Layer, lengths: &[usize], scratch: &mut Scratch) {
        let (isa, hidden) = (self.isa, self.hidden());
        scratch.narrow.set_rows(isa, &scratch.hidden);
        for (part, linear) in layer.seen.iter().enumerate() {
            let place = Place {
                from: part * hidden,
                width: 3 * hidden,
            };
            self.apply(
                linear,
                &scratch.narrow,
                &mut scratch.panels,
                place,
                &mut scratch.seen,
            );
        }
        let mut out = scratch.next.as_mut_slice();
        for rows in split(&scratch.seen, lengths, 3 * hidden) {
            let (text, rest) = out.split_at_mut(rows.len() / 3);
            attend(isa, self.heads, rows, &mut scratch.head, text);
            out = rest;
        }
        scratch.narrow.set_rows(isa, &scratch.next);
        let place = Place {
            from: 0,
            width: hidden,
        };
        self.apply(
            &layer.attended,
            &scratch.narrow,
            &mut scratch.panels,
            place,
            &mut scratch.next,
        );
        add_and_normalise(
            isa,
            &mut scratch.hidden,
            &scratch.next,
            &layer.attended_norm,
        );
    }

    /// The feed-forward part of a layer.
    fn think(&self, layer: &Layer, scratch: &mut Scratch) {
        let (isa, hidden) = (self.isa, self.hidden());
        let Scratch {
            narrow,
            wide,
            panels,
            ..
        } = scratch;
        let count = scratch.hidden.len() / hidden;
        narrow.set_rows(isa, &scratch.hidden);
        layer.up.apply(isa, narrow, count, panels, |strip| {
            gelu_rows(isa, strip.rows);
            wide.set_strip(isa, strip.row, strip.column, strip.rows);
        });
        let place = Place {
            from: 0,
            width: hidden,
        };
        self.apply(&layer.down, wide, panels, place, &mut scratch.next);
        add_and_normalise(isa, &mut scratch.hidden, &scratch.next, &layer.norm);
    }

    /// Writes a product to columns of the rows `out`.
    fn apply(
        &self,
        linear: &Linear,
        input: &Activations,
        panels: &mut Panels,
        place: Place,
        out: &mut [f32],
    ) {
        let count = out.len() / place.width;
        linear.apply(self.isa, input, count, panels, |strip| {
            place.write(&strip, out)
        });
    }
}

/// Which columns of which rows a product goes to.
#[derive(Clone, Copy)]
struct Place {
    from: usize,
    width: usize,
}

impl Place {
    fn write(self, strip: &Strip<'_>, out: &mut [f32]) {
        let rows = out.chunks_exact_mut(self.width).skip(strip.row);
        for (out, row) in rows.zip(strip.rows.iter()) {
            out[self.from + strip.column..][..COLUMNS].copy_from_slice(row);
        }
    }
}

impl Layer {
    fn open(
        file: &Gguf,
        at: usize,
        [hidden, inner]: [usize; 2],
        epsilon: f32,
    ) -> Result<Self, EmbedError> {
        let name = |part: &str| format!("blk.{at}.{part}");
        let linear = |part: &str| Linear::open(file, &name(part), hidden, hidden);
        Ok(Self {
            seen: [linear("attn_q")?, linear("attn_k")?, linear("attn_v")?],
            attended: linear("attn_output")?,
            attended_norm: norm(file, &name("attn_output_norm"), hidden, epsilon)?,
            up: Linear::open(file, &name("ffn_up"), inner, hidden)?,
            down: Linear::open(file, &name("ffn_down"), hidden, inner)?,
            norm: norm(file, &name("layer_output_norm"), hidden, epsilon)?,
        })
    }
}

impl Scratch {
    fn resize(&mut self, tokens: usize, hidden: usize) {
        resize_zeroed(&mut self.hidden, tokens * hidden);
        resize_zeroed(&mut self.seen, tokens * 3 * hidden);
        resize_zeroed(&mut self.next, tokens * hidden);
        self.narrow.resize(tokens);
        self.wide.resize(tokens);
    }
}

fn heads(hidden: usize, count: usize) -> Result<Heads, EmbedError> {
    let width = hidden.checked_div(count).unwrap_or(0);
    if width == 0 || !width.is_multiple_of(COLUMNS) || width * count != hidden {
        return Err(odd());
    }
    Ok(Heads { count, width })
}

fn norm(file: &Gguf, name: &str, width: usize, epsilon: f32) -> Result<Norm, EmbedError> {
    Ok(Norm {
        weight: file.vector(&format!("{name}.weight"), width)?,
        bias: file.vector(&format!("{name}.bias"), width)?,
        epsilon,
    })
}

fn odd() -> EmbedError {
    EmbedError::File {
        file: "GGUF file",
        reason: "it is not of a BERT whose sizes are known here",
    }
}

/// The rows of each text.
fn split<'a>(
    rows: &'a [f32],
    lengths: &'a [usize],
    width: usize,
) -> impl Iterator<Item = &'a [f32]> {
    lengths.iter().scan(rows, move |rest, &len| {
        let (text, after) = rest.split_at(len * width);
        *rest = after;
        Some(text)
    })
}

fn mean(rows: &[f32], out: &mut [f32]) {
    let width = out.len();
    let count = rows.len() / width;
    out.fill(0.0);
    for row in rows.chunks_exact(width) {
        out.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
    out.iter_mut().for_each(|sum| *sum /= count as f32);
}
