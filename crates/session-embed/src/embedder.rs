//! The seam between models and everything else.

use crate::{EmbedError, ModelSpec};

/// Vectors, one row a text, in the order of the texts.
pub type EmbeddingMatrix = ndarray::Array2<f32>;

/// A model that turns texts into vectors whose dot product says how near two
/// texts are in meaning.
///
/// Every vector has [`ModelSpec::dims`] numbers and unit length, but for a
/// text in which the model finds nothing that it knows (an empty one, say):
/// it gives zeros. Callers treat zeros as "no vector".
pub trait Embedder: Send + Sync {
    /// Returns the description of the model; its fingerprint distinguishes the vectors of two models.
    fn spec(&self) -> &ModelSpec;

    /// Embeds texts as they are stored. Returns a matrix `[texts, dims]`, of no rows for an empty list.
    /// A text's vector does not depend on its neighbours.
    ///
    /// # Errors
    /// When one of the texts cannot be embedded: the weights give numbers that are not finite, or an endpoint fails.
    fn embed_documents(&self, texts: &[&str]) -> Result<EmbeddingMatrix, EmbedError>;

    /// Embeds texts one by one where some may fail: `None` for a text that the
    /// model gave no vector for, which may be tried again later; zeros,
    /// as ever, for one in which it finds nothing. A model in process never
    /// fails for a single text.
    ///
    /// # Errors
    /// When nothing can be embedded at all.
    fn try_embed_documents(&self, texts: &[&str]) -> Result<Vec<Option<Vec<f32>>>, EmbedError> {
        let vectors = self.embed_documents(texts)?;
        Ok(vectors.outer_iter().map(|row| Some(row.to_vec())).collect())
    }

    /// Returns the bytes of text that fill the model's window: about four to a token, and a fifth left over so that
    /// little is cut off.
    fn max_document_bytes(&self) -> usize {
        self.spec().max_tokens.saturating_mul(4) * 4 / 5
    }

    /// Returns the share of a text's words that the model reads whole, 0 to 1. A static model
    /// makes nothing true of the pieces of a word that it does not know.
    fn known_word_share(&self, text: &str) -> f32 {
        let _ = text;
        1.0
    }

    /// Embeds a query of a user, with the model's instruction if it has one. Returns a vector `[dims]`.
    ///
    /// # Errors
    /// As [`Embedder::embed_documents`].
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;
}
