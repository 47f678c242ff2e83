//! The model of memories, with its cache and its deadline.

use crate::error::Result;
use crate::memory::Memory;
use crate::similarity::EmbeddingTexts;
use crate::vector_cache::embed_cached;
use session_embed::Embedder;
use std::path::Path;
use std::time::Instant;

/// Deviations by which the cosine of a single memory is lower than that of the best of a history,
/// for which the model's scale is measured.
const SINGLE_DEVIATIONS: f32 = 2.0;

/// A model that embeds memories, with a cache of vectors and a deadline.
pub struct MemoryEmbedder<'a> {
    /// The model.
    pub model: &'a dyn Embedder,
    /// The directory below which vectors are cached: that of the index.
    pub cache: &'a Path,
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
        let scale = self.model.spec().cosine;
        let zero = scale.unrelated - SINGLE_DEVIATIONS * scale.deviation;
        let width = (scale.related - zero).max(f32::EPSILON);
        ((cosine - zero) / width).clamp(0.0, 1.0)
    }
}

/// Returns the dot product of two vectors: the cosine where both are unit vectors.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
