//! Near-duplicates of a memory.

use crate::error::Result;
use crate::lexical_index::word_jaccard;
use crate::memory::Memory;
use crate::memory_embedder::{MemoryEmbedder, dot};
use crate::similarity::translate_memory;
use crate::vector_cache::embed_cached;
use serde::Serialize;

/// The least cosine of near-duplicates, together with the least overlap.
const MIN_COSINE: f32 = 0.80;
const MIN_OVERLAP: f32 = 0.25;
/// The least overlap of near-duplicates whatever the cosine.
const MIN_OVERLAP_ALONE: f32 = 0.6;

/// A memory that a new one nearly duplicates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Duplicate {
    /// The id of the older memory.
    pub id: String,
    /// The topic of the older memory.
    pub topic: String,
    /// The cosine of both memories.
    pub cosine: f32,
    /// The Jaccard index of their terms, 0 to 1.
    #[serde(rename = "words")]
    pub overlap: f32,
}

/// Finds the memories that a new one nearly duplicates, the most similar first.
///
/// # Errors
/// When the model fails.
pub fn find_duplicates(
    new: &Memory,
    others: &[Memory],
    embedder: &MemoryEmbedder<'_>,
) -> Result<Vec<Duplicate>> {
    let others: Vec<&Memory> = others.iter().filter(|m| m.id() != new.id()).collect();
    let mut texts = vec![translate_memory(new)];
    texts.extend(others.iter().map(|memory| translate_memory(memory)));
    let rows = embed_cached(&texts, embedder)?;
    let Some((own, rows)) = rows.split_first() else {
        return Ok(Vec::new());
    };
    let compare = |(memory, row): (&&Memory, &Vec<f32>)| Duplicate {
        id: memory.id().to_owned(),
        topic: memory.front.topic.clone(),
        cosine: dot(own, row),
        overlap: word_jaccard(&new.embedding_text(), &memory.embedding_text()),
    };
    let mut found: Vec<Duplicate> = others.iter().zip(rows).map(compare).collect();
    found.retain(|other| {
        (other.cosine >= MIN_COSINE && other.overlap >= MIN_OVERLAP)
            || other.overlap >= MIN_OVERLAP_ALONE
    });
    found.sort_by(|a, b| (b.cosine + b.overlap).total_cmp(&(a.cosine + a.overlap)));
    Ok(found)
}
