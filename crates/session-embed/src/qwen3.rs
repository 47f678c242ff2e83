//! Qwen3 (Qwen Team 2025), the decoder, as an encoder: a text's vector is that
//! of its last token.

mod config;

pub(crate) use config::Qwen3Config;

use crate::EmbedError;
use crate::layers::{
    Attention, BatchAttention, Encoder, FeedForward, LayerReader, Linear, NormRope, PackedBatch,
    RmsNorm, RopeTensors, RotaryEmbedding, TokenEmbedding, last_pool,
};
use crate::safetensors_file::TensorNames;
use crate::stored_matrix::{StoredMatrix, WeightFile};
use candle_core::{Result, Tensor};

/// The names of its tensors in GGUF and in safetensors.
pub(crate) const NAMES: TensorNames = TensorNames {
    prefix: "model.",
    layers: "layers.",
    parts: &[("token_embd", "embed_tokens"), ("output_norm", "norm")],
    layer_parts: &[
        ("attn_norm", "input_layernorm"),
        ("attn_q", "self_attn.q_proj"),
        ("attn_k", "self_attn.k_proj"),
        ("attn_v", "self_attn.v_proj"),
        ("attn_q_norm", "self_attn.q_norm"),
        ("attn_k_norm", "self_attn.k_norm"),
        ("attn_output", "self_attn.o_proj"),
        ("ffn_norm", "post_attention_layernorm"),
        ("ffn_gate", "mlp.gate_proj"),
        ("ffn_up", "mlp.up_proj"),
        ("ffn_down", "mlp.down_proj"),
    ],
};

/// A decoder whose tensors are named as llama.cpp names those of Qwen3.
#[derive(Debug)]
pub(crate) struct Qwen3 {
    token_embeddings: TokenEmbedding,
    rotary: RotaryEmbedding,
    attention: Attention,
    layers: Vec<DecoderLayer>,
    norm: RmsNorm,
    hidden_size: usize,
}

#[derive(Debug)]
struct DecoderLayer {
    attention_norm: RmsNorm,
    qkv_proj: Linear,
    norm_rope: NormRope,
    o_proj: Linear,
    ffn_norm: RmsNorm,
    feed_forward: FeedForward,
}

impl Encoder for Qwen3 {
    fn forward(&self, batch: &PackedBatch<'_>) -> Result<Tensor> {
        let angles = self.rotary.angles(batch.lengths)?;
        let mut x = self.token_embeddings.forward(batch.ids)?;
        let attention = self.attention.for_batch(batch.lengths, x.device())?;
        let last = self.layers.len() - 1;
        for (at, layer) in self.layers.iter().enumerate() {
            let mut context = layer.attend(&x, &angles, &attention)?;
            if at == last {
                // The other tokens of the last layer are not read.
                x = last_pool(&x, batch.lengths)?;
                context = last_pool(&context, batch.lengths)?;
            }
            x = layer.o_proj.forward_add(&context, &x)?;
            drop(context);
            let normed = layer.ffn_norm.forward(&x)?;
            x = layer.feed_forward.forward_add(&normed, &x)?;
        }
        self.norm.forward(&x)
    }

    fn hidden_size(&self) -> usize {
        self.hidden_size
    }
}

impl DecoderLayer {
    fn attend(
        &self,
        x: &Tensor,
        angles: &RopeTensors,
        attention: &BatchAttention<'_>,
    ) -> Result<Tensor> {
        let qkv = self.qkv_proj.forward(&self.attention_norm.forward(x)?)?;
        let qkv = self.norm_rope.forward(qkv, angles)?;
        attention.forward(&qkv)
    }
}

impl Qwen3 {
    /// Reads a decoder.
    ///
    /// # Errors
    /// [`EmbedError::File`] when the file lacks something of it.
    pub(crate) fn open(
        reader: &LayerReader<'_>,
        config: &Qwen3Config,
    ) -> std::result::Result<Self, EmbedError> {
        let backend = reader.backend;
        let layers = (0..config.num_layers).map(|at| DecoderLayer::open(reader, config, at));
        Ok(Self {
            token_embeddings: TokenEmbedding::new(token_embeddings(reader.file, config)?, backend),
            rotary: RotaryEmbedding::new(config.head_dim, config.rope_theta, backend),
            attention: reader.attention(config.attention_shape()),
            layers: layers.collect::<std::result::Result<_, _>>()?,
            norm: reader.rms_norm("output_norm", config.hidden_size, config.rms_norm_eps)?,
            hidden_size: config.hidden_size,
        })
    }
}

impl DecoderLayer {
    fn open(
        reader: &LayerReader<'_>,
        config: &Qwen3Config,
        at: usize,
    ) -> std::result::Result<Self, EmbedError> {
        let (hidden, inner, eps) = (
            config.hidden_size,
            config.intermediate_size,
            config.rms_norm_eps,
        );
        let name = |part: &str| format!("blk.{at}.{part}");
        let shape = config.attention_shape();
        let (query_dim, kv_dim) = (shape.query_dim(), shape.kv_dim());
        let linear = |parts: &[(&str, usize)], inputs| {
            let names = parts.iter().map(|(part, outputs)| (name(part), *outputs));
            reader.linear(&names.collect::<Vec<_>>(), inputs, false)
        };
        let norms = [name("attn_q_norm"), name("attn_k_norm")];
        let qkv = [
            ("attn_q", query_dim),
            ("attn_k", kv_dim),
            ("attn_v", kv_dim),
        ];
        Ok(Self {
            attention_norm: reader.rms_norm(&name("attn_norm"), hidden, eps)?,
            qkv_proj: linear(&qkv, hidden)?,
            norm_rope: reader.norm_rope(norms.each_ref().map(String::as_str), shape, eps)?,
            o_proj: linear(&[("attn_output", hidden)], query_dim)?,
            ffn_norm: reader.rms_norm(&name("ffn_norm"), hidden, eps)?,
            feed_forward: FeedForward::Swiglu {
                gate: linear(&[("ffn_gate", inner)], hidden)?,
                up: linear(&[("ffn_up", inner)], hidden)?,
                down: linear(&[("ffn_down", hidden)], inner)?,
            },
        })
    }
}

/// Finds the vectors of tokens.
///
/// # Errors
/// [`EmbedError::File`] when there are none, or of another size.
pub(crate) fn token_embeddings(
    file: &dyn WeightFile,
    config: &Qwen3Config,
) -> std::result::Result<StoredMatrix, EmbedError> {
    let table = file.find("token_embd.weight")?;
    if table.columns() == config.hidden_size {
        return Ok(table);
    }
    Err(EmbedError::File {
        file: file.kind(),
        reason: "its tokens have another size than the model's",
    })
}
