//! The tokenizer of the word index for single words.

use crate::error::Result;
use crate::lexical::{FOLDING_TOKENIZER, TOKENIZER};
use crate::word_index::Fts5Tokenizer;
use session_core::text;

/// The tokenizer of the word index, with and without stems.
pub(crate) struct WordStemmer {
    stems: Fts5Tokenizer,
    folds: Fts5Tokenizer,
}

impl WordStemmer {
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            stems: Fts5Tokenizer::new(TOKENIZER)?,
            folds: Fts5Tokenizer::new(FOLDING_TOKENIZER)?,
        })
    }

    /// Returns the last token of a text without its case and accents, but with its ending.
    pub(crate) fn fold(&mut self, word: &str) -> Result<String> {
        last_token(&mut self.folds, &text::filter_chars(word))
    }

    /// Returns the last token of a text as the index has it.
    pub(crate) fn stem(&mut self, word: &str) -> Result<String> {
        last_token(&mut self.stems, &text::filter_chars(word))
    }
}

/// Returns the last token of a text; none where it has none.
fn last_token(tokenizer: &mut Fts5Tokenizer, text: &str) -> Result<String> {
    let mut last = Vec::new();
    tokenizer.tokenize(text.as_bytes(), |token| last = token.to_vec())?;
    Ok(String::from_utf8(last).unwrap_or_default())
}
