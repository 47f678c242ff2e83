//! The tokenizer that a GGUF file carries.

use super::{Bpe, BpeParts, error};
use crate::EmbedError;
use crate::gguf::{Gguf, number};
use candle_core::quantized::gguf_file::Value;
use std::borrow::Cow;
use std::collections::HashMap;

// Types of tokens, as llama.cpp numbers them. The first two are found in texts
// as they are.
const CONTROL: f64 = 3.0;
const USER_DEFINED: f64 = 4.0;
const UNUSED: f64 = 5.0;

impl Bpe {
    /// Builds the tokenizer of a file.
    ///
    /// # Errors
    /// [`EmbedError::File`] when it has none, or another than Qwen's.
    pub(crate) fn from_gguf(file: &Gguf) -> Result<Self, EmbedError> {
        let kind = ["model", "pre"].map(|name| file.text(&format!("tokenizer.ggml.{name}")));
        if kind != ["gpt2", "qwen2"] {
            return Err(error("it is not Qwen's"));
        }
        let list = |name: &str| file.list(&format!("tokenizer.ggml.{name}"));
        let (tokens, merges) = (list("tokens")?, list("merges")?);
        let mut parts = BpeParts {
            vocabulary: HashMap::with_capacity(tokens.len()),
            merges: Vec::with_capacity(merges.len()),
            added: Vec::new(),
        };
        for ((id, token), kind) in (0..).zip(tokens).zip(list("token_type")?) {
            let token = Cow::Borrowed(text(token)?);
            match number(kind) {
                Some(CONTROL | USER_DEFINED) => parts.added.push((token, id)),
                Some(UNUSED) => {}
                _ => {
                    parts.vocabulary.insert(token, id);
                }
            }
        }
        for merge in merges {
            parts.merges.push(super::split_merge(text(merge)?)?);
        }
        Self::build(&parts)
    }
}

fn text(value: &Value) -> Result<&str, EmbedError> {
    match value {
        Value::String(text) => Ok(text),
        _ => Err(error("a list of it has others than strings")),
    }
}
