//! The sizes of a Qwen3.

use crate::EmbedError;
use crate::gguf::Gguf;
use crate::kernel::lanes::COLUMNS;
use serde::Deserialize;

/// What describes the model beside its tensors.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// Numbers that are known of a token.
    pub hidden: usize,
    /// Numbers between the two halves of the feed-forward part.
    pub inner: usize,
    /// Layers.
    pub layers: usize,
    /// Heads that ask.
    pub heads: usize,
    /// Heads that answer: each one to as many that ask.
    pub key_heads: usize,
    /// Numbers of a head.
    pub width: usize,
    /// Tokens that it was made for.
    pub positions: usize,
    /// The base of the positions' angles.
    pub theta: f32,
    /// What keeps norms from dividing by zero.
    pub epsilon: f32,
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

impl Config {
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
            hidden: json.hidden_size,
            inner: json.intermediate_size,
            layers: json.num_hidden_layers,
            heads: json.num_attention_heads,
            key_heads: json.num_key_value_heads,
            width: json.head_dim,
            positions: json.max_position_embeddings,
            theta,
            epsilon: json.rms_norm_eps,
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
            hidden: size("embedding_length")?,
            inner: size("feed_forward_length")?,
            layers: size("block_count")?,
            heads: size("attention.head_count")?,
            key_heads: size("attention.head_count_kv")?,
            width: size("attention.key_length")?,
            positions: size("context_length")?,
            theta: number("rope.freq_base")? as f32,
            epsilon: number("attention.layer_norm_rms_epsilon")? as f32,
        };
        let is_even = size("attention.value_length")? == config.width;
        let is_scaled = file.number("qwen3.rope.scaling.factor").is_ok();
        let config = config.checked().filter(|_| is_even && !is_scaled);
        config.ok_or_else(error)
    }

    /// The sizes, when they are such that products need no padding.
    fn checked(self) -> Option<Self> {
        /// More than any model has; products of two do not overflow.
        const MOST: usize = 1 << 20;
        let sizes = [self.hidden, self.inner, self.width];
        let counts = [self.layers, self.heads, self.key_heads, self.positions];
        let are_known = sizes.iter().all(|size| size.is_multiple_of(COLUMNS))
            && sizes.iter().chain(&counts).all(|n| (1..=MOST).contains(n))
            && self.heads.is_multiple_of(self.key_heads)
            && self.theta > 0.0
            && self.epsilon >= 0.0;
        are_known.then_some(self)
    }

    /// Numbers of all heads that ask.
    pub fn asked(&self) -> usize {
        self.heads * self.width
    }

    /// Numbers of all heads that answer.
    pub fn answered(&self) -> usize {
        self.key_heads * self.width
    }
}

impl Json {
    fn theta(&self) -> Option<f32> {
        let newer = self.rope_parameters.as_ref();
        self.rope_theta
            .or_else(|| newer.and_then(|rope| rope.rope_theta))
    }

    /// True when nothing is asked for that is not done here.
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
