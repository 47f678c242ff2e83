//! Near-duplicates of a memory.

use crate::content::memory::Memory;
use crate::error::Result;
use crate::retrieval::lexical_index::word_jaccard;
use crate::retrieval::memory_embedder::{MemoryEmbedder, dot};
use crate::retrieval::similarity::english_embedding_text;
use crate::retrieval::vector_cache::embed_cached;
use serde::Serialize;

/// The least cosine of near-duplicates whose words have at least this Jaccard index.
const MIN_COSINE: f32 = 0.80;
const MIN_JACCARD_WITH_COSINE: f32 = 0.25;
/// The least Jaccard index of near-duplicates whatever the cosine.
const MIN_JACCARD_ALONE: f32 = 0.6;

/// A memory that a new one nearly duplicates, or that has its topic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NearDuplicate {
    /// The id of the older memory.
    pub id: String,
    /// The topic of the older memory.
    pub topic: String,
    /// The cosine of the embeddings of both memories.
    pub cosine: f32,
    /// The Jaccard index of the words of both memories, 0 to 1.
    #[serde(rename = "words")]
    pub overlap: f32,
}

/// Finds the memories that a new one nearly duplicates and those of its kind with its topic, the most similar first.
///
/// # Errors
/// When the model fails.
pub fn find_duplicates(
    new: &Memory,
    others: &[Memory],
    embedder: &MemoryEmbedder<'_>,
) -> Result<Vec<NearDuplicate>> {
    // Not what waits for trust: a repository chooses how many texts that is.
    let others = others.iter().filter(|other| other.trust.is_trusted());
    let others: Vec<&Memory> = others.filter(|m| m.id() != new.id()).collect();
    let mut texts = vec![english_embedding_text(new)];
    texts.extend(others.iter().map(|memory| english_embedding_text(memory)));
    let rows = embed_cached(&texts, embedder)?;
    let Some((own, rows)) = rows.split_first() else {
        return Ok(Vec::new());
    };
    let compare = |(memory, row): (&&Memory, &Vec<f32>)| {
        let other = NearDuplicate {
            id: memory.id().to_owned(),
            topic: memory.front.topic.clone(),
            cosine: dot(own, row),
            overlap: word_jaccard(&new.embedding_text(), &memory.embedding_text()),
        };
        (is_same_topic(new, memory) || other.is_near()).then_some(other)
    };
    let mut found: Vec<NearDuplicate> = others.iter().zip(rows).filter_map(compare).collect();
    found.sort_by(|a, b| (b.cosine + b.overlap).total_cmp(&(a.cosine + a.overlap)));
    Ok(found)
}

impl NearDuplicate {
    /// Returns true if both say nearly the same; else they share their topic alone.
    pub fn is_near(&self) -> bool {
        (self.cosine >= MIN_COSINE && self.overlap >= MIN_JACCARD_WITH_COSINE)
            || self.overlap >= MIN_JACCARD_ALONE
    }
}

/// Returns true for memories of one kind with one topic: short texts share few words where one takes the other's place.
fn is_same_topic(new: &Memory, other: &Memory) -> bool {
    let topic = |memory: &Memory| memory.front.topic.trim().to_lowercase();
    new.front.kind == other.front.kind && topic(new) == topic(other)
}
