//! The sizes of a Qwen3.

use crate::EmbedError;
use crate::gguf::Gguf;
use crate::kernel::attention::AttentionShape;
use crate::kernel::lanes::COLUMNS;
use serde::Deserialize;

/// The description of the model beside its tensors; in JSON by the names of
/// `transformers`.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Qwen3Config {
    /// Hidden size.
    pub hidden_size: usize,
    /// Inner width of the feed-forward network.
    pub intermediate_size: usize,
    /// Layers.
    #[serde(rename = "num_hidden_layers")]
    pub num_layers: usize,
    /// Query heads.
    #[serde(rename = "num_attention_heads")]
    pub num_heads: usize,
    /// Heads of keys and values, each for as many query heads.
    #[serde(rename = "num_key_value_heads")]
    pub num_kv_heads: usize,
    /// Width of a head.
    pub head_dim: usize,
    /// Tokens that it was made for.
    #[serde(rename = "max_position_embeddings")]
    pub max_positions: usize,
    /// The base of the positions' angles.
    #[serde(default)]
    pub rope_theta: f32,
    /// ε of the norms.
    pub rms_norm_eps: f32,
}

/// The fields of a `config.json` beside the sizes.
#[derive(Deserialize)]
struct Qwen3Variant {
    model_type: String,
    rope_scaling: Option<serde_json::Value>,
    rope_parameters: Option<RopeParameters>,
    #[serde(default)]
    attention_bias: bool,
    #[serde(default)]
    use_sliding_window: bool,
    hidden_act: Option<String>,
}

/// The RoPE parameters of a `config.json` as newer versions of `transformers` write them.
#[derive(Deserialize)]
struct RopeParameters {
    rope_theta: Option<f32>,
    rope_type: Option<String>,
}

impl Qwen3Config {
    /// Reads a `config.json`.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not of a Qwen3 that is known here.
    pub(crate) fn from_json(text: &[u8]) -> Result<Self, EmbedError> {
        let error = |reason| EmbedError::File {
            file: "config.json",
            reason,
        };
        let lacks = |_| error("it lacks what describes a Qwen3");
        let variant: Qwen3Variant = serde_json::from_slice(text).map_err(lacks)?;
        let mut config: Self = serde_json::from_slice(text).map_err(lacks)?;
        let newer = variant.rope_parameters.as_ref();
        if let Some(theta) = newer.and_then(|rope| rope.rope_theta) {
            config.rope_theta = theta;
        }
        let config = config.validate().filter(|_| variant.is_plain());
        config.ok_or(error(UNKNOWN))
    }

    /// Reads the description in a GGUF file.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not of a Qwen3 that is known here.
    pub(crate) fn from_gguf(file: &Gguf) -> Result<Self, EmbedError> {
        let error = || EmbedError::File {
            file: "GGUF file",
            reason: UNKNOWN,
        };
        if file.text("general.architecture") != "qwen3" {
            return Err(error());
        }
        let number = |name: &str| file.number(&format!("qwen3.{name}"));
        let size = |name: &str| number(name).map(|number| number as usize);
        let config = Self {
            hidden_size: size("embedding_length")?,
            intermediate_size: size("feed_forward_length")?,
            num_layers: size("block_count")?,
            num_heads: size("attention.head_count")?,
            num_kv_heads: size("attention.head_count_kv")?,
            head_dim: size("attention.key_length")?,
            max_positions: size("context_length")?,
            rope_theta: number("rope.freq_base")? as f32,
            rms_norm_eps: number("attention.layer_norm_rms_epsilon")? as f32,
        };
        let is_even = size("attention.value_length")? == config.head_dim;
        let is_scaled = file.number("qwen3.rope.scaling.factor").is_ok();
        let config = config.validate().filter(|_| is_even && !is_scaled);
        config.ok_or_else(error)
    }

    /// Returns the sizes, when they are such that products need no padding.
    fn validate(self) -> Option<Self> {
        /// More than any model has; products of two do not overflow.
        const MOST: usize = 1 << 20;
        let sizes = [self.hidden_size, self.intermediate_size, self.head_dim];
        let counts = [
            self.num_layers,
            self.num_heads,
            self.num_kv_heads,
            self.max_positions,
        ];
        let are_known = sizes.iter().all(|size| size.is_multiple_of(COLUMNS))
            && sizes.iter().chain(&counts).all(|n| (1..=MOST).contains(n))
            && self.num_heads.is_multiple_of(self.num_kv_heads)
            && self.rope_theta > 0.0
            && self.rms_norm_eps >= 0.0;
        are_known.then_some(self)
    }

    /// Returns the heads and the mask of its layers.
    pub(crate) fn attention_shape(&self) -> AttentionShape {
        AttentionShape {
            heads: self.num_heads,
            kv_heads: self.num_kv_heads,
            head_dim: self.head_dim,
            is_causal: true,
        }
    }
}

impl Qwen3Variant {
    /// Returns true for a model without features that are not implemented here.
    fn is_plain(&self) -> bool {
        let rope = self.rope_parameters.as_ref();
        let rope_type = rope.and_then(|rope| rope.rope_type.as_deref());
        self.model_type == "qwen3"
            && self.hidden_act.as_deref().unwrap_or("silu") == "silu"
            && !self.attention_bias
            && !self.use_sliding_window
            && self.rope_scaling.is_none()
            && rope_type.unwrap_or("default") == "default"
    }
}

const UNKNOWN: &str = "it is not of a Qwen3 that is known here";
