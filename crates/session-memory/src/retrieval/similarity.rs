//! The cosine similarity of a text to memories, each as a whole and by its cues.

use crate::content::memory::Memory;
use crate::error::Result;
use crate::retrieval::memory_embedder::{MemoryEmbedder, dot};
use crate::retrieval::readable::is_mostly_readable;
use crate::retrieval::vector_cache::embed_cached;
use session_core::text::translate_to_english;
use std::collections::HashSet;

/// Most texts of memories that wait for trust which are embedded: a repository chooses their number, and each takes some
/// 50 ms. Where there are more, these memories are found by their words alone.
const MAX_UNTRUSTED_TEXTS: usize = 64;

/// The similarity of a memory to a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Similarity {
    /// The cosine with the whole memory, or the mean of it and of the best cue's, if that is more.
    pub(crate) cosine: f32,
    /// The best cue, where it raises the cosine.
    pub(crate) cue: Option<String>,
}

/// Embeds a text and compares it with each memory, in their order. Returns `None` if the deadline passed before all
/// memories were embedded.
///
/// # Errors
/// When the model fails.
pub(crate) fn compare_by_meaning(
    text: &str,
    memories: &[Memory],
    embedder: &MemoryEmbedder<'_>,
) -> Result<Option<Vec<Similarity>>> {
    let memories: Vec<Option<EmbeddingTexts<'_>>> = EmbeddingTexts::of_embedded(memories);
    let embedded = memories.iter().flatten();
    let texts: Vec<String> = embedded.flat_map(EmbeddingTexts::all).collect();
    let rows = embed_cached(&texts, embedder)?;
    if rows.len() < texts.len() {
        return Ok(None);
    }
    let query_vector = embed_query(text, embedder)?;
    let mut cosines = rows.iter().map(|row| dot(&query_vector, row));
    let compare = |texts: &Option<EmbeddingTexts<'_>>| {
        let Some(texts) = texts else {
            return Similarity::default();
        };
        let whole = cosines.next().unwrap_or(0.0);
        let cues = texts.cues.iter().zip(cosines.by_ref());
        let cues = cues.map(|(cue, cosine)| CueCosine {
            text: cue.text,
            cosine,
        });
        combine_with_cues(whole, cues)
    };
    Ok(Some(memories.iter().map(compare).collect()))
}

/// Embeds a query. Punctuation alone is a zero vector: a model gives it all the same vector.
fn embed_query(text: &str, embedder: &MemoryEmbedder<'_>) -> Result<Vec<f32>> {
    let english = translate_to_english(text);
    if english.contains(char::is_alphanumeric) {
        Ok(embedder.model.embed_query(&english)?)
    } else {
        Ok(vec![0.0; embedder.model.spec().dims])
    }
}

/// The texts of a memory that a model embeds.
pub(crate) struct EmbeddingTexts<'a> {
    whole: String,
    cues: Vec<TranslatedCue<'a>>,
}

/// A cue that an English model reads for the greater part.
struct TranslatedCue<'a> {
    text: &'a str,
    english: String,
}

impl<'a> EmbeddingTexts<'a> {
    pub(crate) fn new(memory: &'a Memory) -> Self {
        let mut seen = HashSet::new();
        let cues = memory.front.effective_cues().iter().map(String::as_str);
        let readable = cues.filter(|cue| seen.insert(*cue) && is_mostly_readable(cue));
        let cues = readable.map(|text| TranslatedCue {
            text,
            english: translate_to_english(text),
        });
        Self {
            whole: english_embedding_text(memory),
            cues: cues.collect(),
        }
    }

    /// Returns the texts of memories, in their order; `None` for those that are not embedded.
    fn of_embedded(memories: &'a [Memory]) -> Vec<Option<Self>> {
        let mut all: Vec<Option<Self>> = memories.iter().map(|m| Some(Self::new(m))).collect();
        let untrusted = || memories.iter().map(|memory| !memory.trust.is_trusted());
        let texts = all.iter().flatten().zip(untrusted());
        let count = texts.map(|(texts, untrusted)| usize::from(untrusted) * texts.count());
        if count.sum::<usize>() > MAX_UNTRUSTED_TEXTS {
            for (texts, _) in all.iter_mut().zip(untrusted()).filter(|(_, it)| *it) {
                *texts = None;
            }
        }
        all
    }

    /// Counts the texts.
    fn count(&self) -> usize {
        1 + self.cues.len()
    }

    /// Iterates over the text of the whole memory and those of its cues.
    pub(crate) fn all(&self) -> impl Iterator<Item = String> {
        let cues = self.cues.iter().map(|cue| cue.english.clone());
        std::iter::once(self.whole.clone()).chain(cues)
    }
}

/// The cosine of a text with a cue.
#[derive(Clone, Copy)]
struct CueCosine<'a> {
    text: &'a str,
    cosine: f32,
}

/// Returns `max(whole, (whole + best) / 2)`, where `best` is the greatest cosine of a cue.
fn combine_with_cues<'a>(whole: f32, cues: impl Iterator<Item = CueCosine<'a>>) -> Similarity {
    let best = cues.max_by(|a, b| a.cosine.total_cmp(&b.cosine));
    match best.filter(|best| best.cosine > whole) {
        Some(best) => Similarity {
            cosine: whole.midpoint(best.cosine),
            cue: Some(best.text.to_owned()),
        },
        None => Similarity {
            cosine: whole,
            cue: None,
        },
    }
}

/// Returns the text of a whole memory for an English model.
pub(crate) fn english_embedding_text(memory: &Memory) -> String {
    translate_to_english(&memory.embedding_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_cue_counts_where_it_is_nearer_than_the_whole() {
        let combine = |whole, cues: &[(&'static str, f32)]| {
            let cues = cues.iter();
            let cues = cues.map(|&(text, cosine)| CueCosine { text, cosine });
            let found = combine_with_cues(whole, cues);
            (found.cosine, found.cue)
        };
        assert_eq!(combine(0.4, &[]), (0.4, None));
        assert_eq!(combine(0.4, &[("far", 0.3)]), (0.4, None));
        let (cosine, cue) = combine(0.4, &[("far", 0.3), ("near", 0.8), ("less", 0.7)]);
        assert!((cosine - 0.6).abs() < 1e-6);
        assert_eq!(cue.as_deref(), Some("near"));
    }
}
