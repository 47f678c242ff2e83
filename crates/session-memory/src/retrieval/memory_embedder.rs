//! The model of memories, with its cache and its deadline.

use crate::content::memory::Memory;
use crate::error::Result;
use crate::retrieval::similarity::EmbeddingTexts;
use crate::retrieval::vector_cache::embed_cached;
use session_embed::Embedder;
use std::path::Path;
use std::time::Instant;

/// A model that embeds memories, with a cache of vectors and a deadline.
pub struct MemoryEmbedder<'a> {
    /// The model.
    pub model: &'a dyn Embedder,
    /// The directory of the index, below which vectors are cached.
    pub index_directory: &'a Path,
    /// The time at which embedding of memories stops, if any.
    pub deadline: Option<Instant>,
}

impl MemoryEmbedder<'_> {
    /// Embeds the memories whose vectors are not cached, until the deadline.
    ///
    /// # Errors
    /// When the model fails.
    pub fn embed_missing(&self, memories: &[Memory]) -> Result<()> {
        let texts: Vec<EmbeddingTexts<'_>> = memories.iter().map(EmbeddingTexts::new).collect();
        let texts: Vec<String> = texts.iter().flat_map(EmbeddingTexts::all).collect();
        embed_cached(&texts, self).map(|_| ())
    }

    /// Scales a cosine to 0 to 1 by the model's cosines of unrelated and related texts.
    pub(crate) fn scale_cosine(&self, cosine: f32) -> f32 {
        self.model.spec().cosine.normalize_single(cosine)
    }
}

/// Returns the dot product of two vectors: the cosine where both are unit vectors.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
