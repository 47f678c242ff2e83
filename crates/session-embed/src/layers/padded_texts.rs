//! Attention by candle's operations: texts of about the same length together, as one padded tensor.

use crate::kernel::attention::AttentionShape;
use candle_core::{Device, Result, Tensor};
use candle_nn::ops::softmax_last_dim;

/// Queries of a text whose logits are held at once: what bounds the memory.
const QUERIES: usize = 256;
/// Tokens that a text may be shorter than the longest beside it, however short they are.
const PADDING: usize = 16;

/// The texts of a batch, in groups.
#[derive(Debug)]
pub(crate) struct PaddedTexts {
    groups: Vec<PaddedGroup>,
    /// The row in the groups of each token of the batch.
    batch_rows: Tensor,
    /// Added to the logits of causal attention: the last [`QUERIES`] of as many more columns as the
    /// longest text has tokens hide what comes after each query.
    causal_mask: Option<Tensor>,
}

/// Texts of about the same length.
#[derive(Debug)]
struct PaddedGroup {
    /// Rows of the batch's tokens, text by text. Behind a text's end they are its last one.
    rows: Tensor,
    texts: usize,
    /// Tokens of the longest text.
    longest: usize,
    /// Added to logits: hides what is behind each text's end. In causal attention only such rows see it.
    padding: Option<Tensor>,
}

impl PaddedTexts {
    /// Divides texts of such lengths into groups, the longest first.
    pub(crate) fn new(lengths: &[usize], is_causal: bool, device: &Device) -> Result<Self> {
        let mut starts = Vec::with_capacity(lengths.len());
        let mut tokens = 0;
        for len in lengths {
            starts.push(tokens);
            tokens += len;
        }
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|&text| std::cmp::Reverse(lengths[text]));
        let mut batch_rows = vec![0; tokens];
        let (mut groups, mut used) = (Vec::new(), 0);
        for texts in group_by_length(&order, lengths) {
            let spans: Vec<(usize, usize)> =
                texts.iter().map(|&t| (starts[t], lengths[t])).collect();
            let longest = lengths[texts[0]];
            for (start, len) in &spans {
                (0..*len).for_each(|at| batch_rows[start + at] = (used + at) as u32);
                used += longest;
            }
            groups.push(PaddedGroup::new(&spans, is_causal, device)?);
        }
        let longest = lengths.iter().copied().max().unwrap_or(0);
        Ok(Self {
            groups,
            batch_rows: Tensor::from_vec(batch_rows, tokens, device)?,
            causal_mask: if is_causal {
                Some(causal_mask(longest, device)?)
            } else {
                None
            },
        })
    }

    /// Returns the weighted values of each token. A row has a token's queries, keys and values.
    pub(crate) fn attend(&self, shape: AttentionShape, qkv: &Tensor) -> Result<Tensor> {
        let groups = self.groups.iter();
        let groups = groups.map(|group| group.attend(shape, qkv, self.causal_mask.as_ref()));
        Tensor::cat(&groups.collect::<Result<Vec<_>>>()?, 0)?.index_select(&self.batch_rows, 0)
    }
}

/// Divides texts, the longest first, into parts in which none is much shorter than the first.
fn group_by_length<'a>(
    mut texts: &'a [usize],
    lengths: &'a [usize],
) -> impl Iterator<Item = &'a [usize]> {
    std::iter::from_fn(move || {
        let longest = lengths[*texts.first()?];
        let least = (longest - longest / 4).min(longest.saturating_sub(PADDING));
        let end = texts.iter().position(|&text| lengths[text] < least);
        let (part, rest) = texts.split_at(end.unwrap_or(texts.len()));
        texts = rest;
        Some(part)
    })
}

impl PaddedGroup {
    /// Makes a group of texts, by where they begin and how many tokens they have.
    fn new(spans: &[(usize, usize)], is_causal: bool, device: &Device) -> Result<Self> {
        let longest = spans.first().map_or(0, |(_, len)| *len);
        let row = |(start, len): &(usize, usize)| {
            let (start, len) = (*start, *len);
            (0..longest).map(move |at| (start + at.min(len - 1)) as u32)
        };
        let rows: Vec<u32> = spans.iter().flat_map(row).collect();
        let is_padded = spans.iter().any(|(_, len)| *len < longest);
        Ok(Self {
            rows: Tensor::from_vec(rows, spans.len() * longest, device)?,
            texts: spans.len(),
            longest,
            padding: if is_padded && !is_causal {
                Some(padding_mask(spans, longest, device)?)
            } else {
                None
            },
        })
    }

    fn attend(
        &self,
        shape: AttentionShape,
        qkv: &Tensor,
        causal: Option<&Tensor>,
    ) -> Result<Tensor> {
        let [q, k, v] = shape.split(&qkv.index_select(&self.rows, 0)?)?;
        let heads = |rows: &Tensor| self.gather_heads(rows, shape.head_dim);
        let (q, k, v) = (heads(&q)?, heads(&k)?, heads(&v)?);
        let tiles = (0..self.longest).step_by(QUERIES).map(|start| {
            let count = QUERIES.min(self.longest - start);
            let q = q.narrow(2, start, count)?;
            let Some(causal) = causal else {
                return attend_tile(&q, &k, &v, self.padding.as_ref());
            };
            let visible = start + count;
            let from = causal.dim(1)? - QUERIES - start;
            let mask = causal.narrow(0, 0, count)?.narrow(1, from, visible)?;
            let (k, v) = (k.narrow(2, 0, visible)?, v.narrow(2, 0, visible)?);
            attend_tile(&q, &k, &v, Some(&mask))
        });
        let out = Tensor::cat(&tiles.collect::<Result<Vec<_>>>()?, 1)?;
        out.reshape((self.texts * self.longest, shape.query_dim()))
    }

    /// Returns the heads of each text, `texts × heads × longest × head_dim`.
    fn gather_heads(&self, rows: &Tensor, head_dim: usize) -> Result<Tensor> {
        let heads = rows.dim(1)? / head_dim;
        let heads = rows.reshape((self.texts, self.longest, heads, head_dim))?;
        heads.transpose(1, 2)?.contiguous()
    }
}

/// Computes the attention of some queries of each text, of `texts × heads × count × head_dim`. Heads that share keys
/// and values follow each other.
fn attend_tile(q: &Tensor, k: &Tensor, v: &Tensor, mask: Option<&Tensor>) -> Result<Tensor> {
    let (texts, heads, count, head_dim) = q.dims4()?;
    let (_, kv_heads, visible, _) = k.dims4()?;
    let shared = heads / kv_heads * count;
    let of_keys = |x: &Tensor| {
        x.contiguous()?
            .reshape((texts * kv_heads, visible, head_dim))
    };
    let (k, v) = (of_keys(k)?, of_keys(v)?);
    let q = (q / (head_dim as f64).sqrt())?.contiguous()?.reshape((
        texts * kv_heads,
        shared,
        head_dim,
    ))?;
    let logits = q.matmul(&k.t()?)?;
    let mut logits = logits.reshape((texts, heads, count, visible))?;
    if let Some(mask) = mask {
        logits = logits.broadcast_add(mask)?;
    }
    let weights = softmax_last_dim(&logits)?.reshape((texts * kv_heads, shared, visible))?;
    let out = weights
        .matmul(&v)?
        .reshape((texts, heads, count, head_dim))?;
    out.transpose(1, 2)?
        .contiguous()?
        .reshape((texts, count, heads * head_dim))
}

/// Hides from each of the first queries what comes after it: `QUERIES × (longest + QUERIES)`, of which a
/// tile that begins at a query takes the columns from as many before the last [`QUERIES`].
fn causal_mask(longest: usize, device: &Device) -> Result<Tensor> {
    let columns = longest + QUERIES;
    let row = |query: usize| (0..columns).map(move |column| mask_value(column > longest + query));
    Tensor::from_iter((0..QUERIES).flat_map(row), device)?.reshape((QUERIES, columns))
}

/// Hides what is behind the end of each text.
fn padding_mask(spans: &[(usize, usize)], longest: usize, device: &Device) -> Result<Tensor> {
    let row = |(_, len): &(usize, usize)| {
        let len = *len;
        (0..longest).map(move |at| mask_value(at >= len))
    };
    let mask = Tensor::from_iter(spans.iter().flat_map(row), device)?;
    mask.reshape((spans.len(), 1, 1, longest))
}

fn mask_value(is_hidden: bool) -> f32 {
    if is_hidden { f32::NEG_INFINITY } else { 0.0 }
}
