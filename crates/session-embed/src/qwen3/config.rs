//! The sizes of a Qwen3.

use crate::EmbedError;
use crate::gguf::Gguf;
use crate::kernel::attention::AttentionShape;
use crate::kernel::lanes::COLUMNS;
use serde::Deserialize;

/// The description of the model beside its tensors.
#[derive(Debug, Clone, Copy)]
pub struct Qwen3Config {
    /// Numbers of a token between layers.
    pub hidden_size: usize,
    /// Numbers within a feed-forward network.
    pub intermediate_size: usize,
    /// Layers.
    pub num_layers: usize,
    /// Query heads.
    pub num_heads: usize,
    /// Heads of keys and values, each for as many query heads.
    pub num_kv_heads: usize,
    /// Numbers of a head.
    pub head_dim: usize,
    /// Tokens that it was made for.
    pub max_positions: usize,
    /// The base of the positions' angles.
    pub rope_theta: f32,
    /// Keeps norms from dividing by zero.
    pub rms_norm_eps: f32,
}

/// `config.json`; names are those of `transformers`.
#[derive(Deserialize)]
struct Json {
    model_type: String,
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    num_key_value_heads: usize,
    head_dim: usize,
    max_position_embeddings: usize,
    rms_norm_eps: f32,
    rope_theta: Option<f32>,
    rope_scaling: Option<serde_json::Value>,
    rope_parameters: Option<Rope>,
    #[serde(default)]
    attention_bias: bool,
    #[serde(default)]
    use_sliding_window: bool,
    #[serde(default = "silu")]
    hidden_act: String,
}

#[derive(Deserialize)]
struct Rope {
    rope_theta: Option<f32>,
    #[serde(default = "unscaled")]
    rope_type: String,
}

fn silu() -> String {
    "silu".to_owned()
}

fn unscaled() -> String {
    "default".to_owned()
}

impl Qwen3Config {
    /// Reads a `config.json`.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not of a Qwen3 that is known here.
    pub fn from_json(text: &[u8]) -> Result<Self, EmbedError> {
        let error = |reason| EmbedError::File {
            file: "config.json",
            reason,
        };
        let json: Json =
            serde_json::from_slice(text).map_err(|_| error("it lacks what describes a Qwen3"))?;
        let theta = json.theta().ok_or(error(UNKNOWN))?;
        if !json.is_plain() {
            return Err(error(UNKNOWN));
        }
        let config = Self {
            hidden_size: json.hidden_size,
            intermediate_size: json.intermediate_size,
            num_layers: json.num_hidden_layers,
            num_heads: json.num_attention_heads,
            num_kv_heads: json.num_key_value_heads,
            head_dim: json.head_dim,
            max_positions: json.max_position_embeddings,
            rope_theta: theta,
            rms_norm_eps: json.rms_norm_eps,
        };
        config.checked().ok_or(error(UNKNOWN))
    }

    /// Reads the description in a GGUF file.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it is not of a Qwen3 that is known here.
    pub fn from_gguf(file: &Gguf) -> Result<Self, EmbedError> {
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
        let config = config.checked().filter(|_| is_even && !is_scaled);
        config.ok_or_else(error)
    }

    /// The sizes, when they are such that products need no padding.
    fn checked(self) -> Option<Self> {
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

    /// Heads and mask of its layers.
    pub fn attention_shape(&self) -> AttentionShape {
        AttentionShape {
            heads: self.num_heads,
            kv_heads: self.num_kv_heads,
            head_dim: self.head_dim,
            is_causal: true,
        }
    }
}

impl Json {
    fn theta(&self) -> Option<f32> {
        let newer = self.rope_parameters.as_ref();
        self.rope_theta
            .or_else(|| newer.and_then(|rope| rope.rope_theta))
    }

    /// True for a model without features that are not implemented here.
    fn is_plain(&self) -> bool {
        let rope = self.rope_parameters.as_ref();
        self.model_type == "qwen3"
            && self.hidden_act == "silu"
            && !self.attention_bias
            && !self.use_sliding_window
            && self.rope_scaling.is_none()
            && rope.is_none_or(|rope| rope.rope_type == "default")
    }
}

const UNKNOWN: &str = "it is not of a Qwen3 that is known here";
