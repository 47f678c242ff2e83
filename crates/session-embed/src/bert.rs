//! BERT (Devlin et al. 2018), the encoder.

use crate::gguf::Gguf;
use crate::kernel::attention::AttentionShape;
use crate::kernel::lanes::COLUMNS;
use crate::layers::{
    Attention, BatchAttention, Encoder, FeedForward, LayerNorm, LayerReader, Linear, PackedBatch,
    TokenEmbedding, first_pool, mean_pool,
};
use crate::safetensors_file::TensorNames;
use crate::stored_matrix::WeightFile;
use crate::{EmbedError, Pooling};
use candle_core::{Result, Tensor};
use serde::Deserialize;

/// The names of a BERT's tensors in GGUF and in safetensors.
pub const BERT_NAMES: TensorNames = TensorNames {
    prefix: "bert.",
    layers: "encoder.layer.",
    parts: &[
        ("token_embd", "embeddings.word_embeddings"),
        ("position_embd", "embeddings.position_embeddings"),
        ("token_types", "embeddings.token_type_embeddings"),
        ("token_embd_norm", "embeddings.LayerNorm"),
    ],
    layer_parts: &[
        ("attn_q", "attention.self.query"),
        ("attn_k", "attention.self.key"),
        ("attn_v", "attention.self.value"),
        ("attn_output", "attention.output.dense"),
        ("attn_output_norm", "attention.output.LayerNorm"),
        ("ffn_up", "intermediate.dense"),
        ("ffn_down", "output.dense"),
        ("layer_output_norm", "output.LayerNorm"),
    ],
};

/// Sizes of a BERT; in JSON by the names of `transformers`.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct BertConfig {
    /// Hidden size.
    pub hidden_size: usize,
    /// Inner width of the feed-forward network.
    pub intermediate_size: usize,
    /// Layers.
    #[serde(rename = "num_hidden_layers")]
    pub num_layers: usize,
    /// Attention heads.
    #[serde(rename = "num_attention_heads")]
    pub num_heads: usize,
    /// Positions that have an embedding.
    #[serde(rename = "max_position_embeddings")]
    pub max_positions: usize,
    /// Token types, of which the first is used.
    #[serde(rename = "type_vocab_size")]
    pub token_types: usize,
    /// ε of the norms.
    pub layer_norm_eps: f32,
}

/// The fields of a `config.json` beside the sizes.
#[derive(Deserialize)]
struct BertVariant {
    model_type: String,
    hidden_act: Option<String>,
    position_embedding_type: Option<String>,
}

/// An encoder whose tensors are named as llama.cpp names those of BERT.
#[derive(Debug)]
pub(crate) struct Bert {
    token_embeddings: TokenEmbedding,
    position_embeddings: TokenEmbedding,
    token_type_embeddings: TokenEmbedding,
    norm: LayerNorm,
    attention: Attention,
    layers: Vec<BertLayer>,
    hidden_size: usize,
    pooling: Pooling,
}

#[derive(Debug)]
struct BertLayer {
    qkv_proj: Linear,
    o_proj: Linear,
    attention_norm: LayerNorm,
    feed_forward: FeedForward,
    norm: LayerNorm,
}

impl Encoder for Bert {
    fn forward(&self, batch: &PackedBatch<'_>) -> Result<Tensor> {
        let positions = batch.lengths.iter().flat_map(|&len| 0..len as u32);
        let positions = positions.collect::<Vec<_>>();
        let token_types = vec![0; positions.len()];
        let others = [
            (&self.position_embeddings, &positions[..]),
            (&self.token_type_embeddings, &token_types),
        ];
        let x = self.token_embeddings.forward_add(batch.ids, &others)?;
        let mut x = self.norm.forward(x)?;
        let attention = self.attention.for_batch(batch.lengths, x.device())?;
        for layer in &self.layers {
            x = layer.forward(x, &attention)?;
        }
        match self.pooling {
            Pooling::Cls => first_pool(&x, batch.lengths),
            _ => mean_pool(&x, batch.lengths),
        }
    }

    fn hidden_size(&self) -> usize {
        self.hidden_size
    }
}

impl BertLayer {
    fn forward(&self, x: Tensor, attention: &BatchAttention<'_>) -> Result<Tensor> {
        let context = attention.forward(&self.qkv_proj.forward(&x)?)?;
        let x = self.o_proj.forward_add(&context, &x)?;
        drop(context);
        let x = self.attention_norm.forward(x)?;
        self.norm.forward(self.feed_forward.forward_add(&x, &x)?)
    }
}

impl Bert {
    /// Reads an encoder of `vocab_size` tokens, whose `pooling` is `mean` or `cls`.
    ///
    /// # Errors
    /// [`EmbedError::File`] when the file lacks something of it.
    pub(crate) fn open(
        reader: &LayerReader<'_>,
        config: &BertConfig,
        vocab_size: usize,
        pooling: Pooling,
    ) -> std::result::Result<Self, EmbedError> {
        let hidden = config.hidden_size;
        let table = |name: &str, rows| reader.file.matrix(name, rows, hidden);
        let embedding = |table| TokenEmbedding::new(table, reader.backend);
        let layers = (0..config.num_layers).map(|at| BertLayer::open(reader, config, at));
        let shape = AttentionShape {
            heads: config.num_heads,
            kv_heads: config.num_heads,
            head_dim: hidden / config.num_heads,
            is_causal: false,
        };
        Ok(Self {
            token_embeddings: embedding(table("token_embd.weight", vocab_size)?),
            position_embeddings: embedding(table("position_embd.weight", config.max_positions)?),
            token_type_embeddings: embedding(table("token_types.weight", config.token_types)?),
            norm: reader.layer_norm("token_embd_norm", hidden, config.layer_norm_eps)?,
            attention: reader.attention(shape),
            layers: layers.collect::<std::result::Result<_, _>>()?,
            hidden_size: hidden,
            pooling,
        })
    }
}

impl BertLayer {
    fn open(
        reader: &LayerReader<'_>,
        config: &BertConfig,
        at: usize,
    ) -> std::result::Result<Self, EmbedError> {
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        let name = |part: &str| format!("blk.{at}.{part}");
        let linear = |parts: &[&str], outputs, inputs| {
            let names: Vec<_> = parts.iter().map(|part| (name(part), outputs)).collect();
            reader.linear(&names, inputs, true)
        };
        let norm = |part: &str| reader.layer_norm(&name(part), hidden, config.layer_norm_eps);
        Ok(Self {
            qkv_proj: linear(&["attn_q", "attn_k", "attn_v"], hidden, hidden)?,
            o_proj: linear(&["attn_output"], hidden, hidden)?,
            attention_norm: norm("attn_output_norm")?,
            feed_forward: FeedForward::Gelu {
                up: linear(&["ffn_up"], inner, hidden)?,
                down: linear(&["ffn_down"], hidden, inner)?,
            },
            norm: norm("layer_output_norm")?,
        })
    }
}

impl BertConfig {
    /// Reads a `config.json`.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not of a BERT that is known here.
    pub(crate) fn from_json(text: &[u8]) -> std::result::Result<Self, EmbedError> {
        let variant = serde_json::from_slice::<BertVariant>(text).ok();
        let is_known = variant.is_some_and(|variant| {
            let positions = variant.position_embedding_type.as_deref();
            variant.model_type == "bert"
                && variant.hidden_act.as_deref().unwrap_or("gelu") == "gelu"
                && positions.unwrap_or("absolute") == "absolute"
        });
        let config = serde_json::from_slice::<Self>(text).ok();
        let config = config.filter(|_| is_known).and_then(Self::validate);
        config.ok_or(EmbedError::File {
            file: "config.json",
            reason: UNKNOWN,
        })
    }

    /// Reads the description in a GGUF file.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not of a BERT that is known here.
    pub(crate) fn from_gguf(file: &Gguf) -> std::result::Result<Self, EmbedError> {
        let number = |name: &str| file.number(&format!("bert.{name}"));
        let size = |name: &str| number(name).map(|number| number as usize);
        let config = Self {
            hidden_size: size("embedding_length")?,
            intermediate_size: size("feed_forward_length")?,
            num_layers: size("block_count")?,
            num_heads: size("attention.head_count")?,
            max_positions: size("context_length")?,
            token_types: size("token_type_count")?,
            layer_norm_eps: number("attention.layer_norm_epsilon")? as f32,
        };
        config.validate().ok_or(EmbedError::File {
            file: file.kind(),
            reason: UNKNOWN,
        })
    }

    /// Returns the sizes, when they are such that products need no padding.
    fn validate(self) -> Option<Self> {
        /// More than any model has; products of two do not overflow.
        const MOST: usize = 1 << 20;
        let head_dim = self.hidden_size.checked_div(self.num_heads)?;
        let sizes = [self.hidden_size, self.intermediate_size, head_dim];
        let counts = [self.num_layers, self.max_positions, self.token_types];
        let are_known = sizes.iter().all(|size| size.is_multiple_of(COLUMNS))
            && sizes.iter().chain(&counts).all(|n| (1..=MOST).contains(n))
            && head_dim * self.num_heads == self.hidden_size;
        are_known.then_some(self)
    }
}

const UNKNOWN: &str = "it is not of a BERT that is known here";
