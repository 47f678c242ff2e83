//! The tokenizer that a GGUF file carries.

use super::{Bpe, Parts, error};
use crate::EmbedError;
use crate::gguf::Gguf;
use std::borrow::Cow;

/// Kinds of tokens, as llama.cpp numbers them: those that are found in texts
/// as they are.
const ADDED: [f64; 2] = [3.0, 4.0];
/// Those that stand for nothing.
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
        let tokens = file.list("tokenizer.ggml.tokens")?.texts()?;
        let kinds = file.list("tokenizer.ggml.token_type")?.numbers()?;
        let merges = file.list("tokenizer.ggml.merges")?.texts()?;
        let mut parts = Parts {
            vocabulary: super::vocabulary(tokens.len()),
            merges: Vec::with_capacity(merges.len()),
            added: Vec::new(),
        };
        for ((id, token), kind) in (0..).zip(tokens).zip(kinds) {
            let token = Cow::Borrowed(token);
            if ADDED.contains(&kind) {
                parts.added.push((token, id));
            } else if kind != UNUSED {
                parts.vocabulary.insert(token, id);
            }
        }
        for merge in merges {
            parts.merges.push(super::pair(merge)?);
        }
        Self::build(&parts)
    }
}
