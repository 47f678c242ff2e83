//! How near memories are to a text in meaning: each as a whole, and by what
//! somebody would type when it helps.

use crate::draft::CUES;
use crate::error::Result;
use crate::memory::Memory;
use crate::{glossary, vectors};
use session_embed::Embedder;
use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

/// A model, and where its vectors of memories are kept.
pub struct Meaning<'a> {
    /// The model.
    pub model: &'a dyn Embedder,
    /// The folder of the index.
    pub cache: &'a Path,
    /// When to stop making vectors.
    pub until: Option<Instant>,
}

/// A vector.
pub(crate) type Row = Vec<f32>;

/// How near a memory is to a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Nearness {
    /// The cosine that counts: of the whole, or the mean of that and of the nearest
    /// cue's, if that is more.
    pub(crate) cosine: f32,
    /// The nearest cue, where it counts.
    pub(crate) cue: Option<String>,
    /// Cues that were compared.
    pub(crate) compared: usize,
}

/// A text's vector, and how near each memory is to it. `None` where the time was up before the model
/// had read all of them.
///
/// # Errors
/// When the model fails.
pub(crate) fn nearness(
    text: &str,
    memories: &[Memory],
    by: &Meaning<'_>,
) -> Result<Option<(Row, Vec<Nearness>)>> {
    let read: Vec<Read<'_>> = memories.iter().map(Read::of).collect();
    let Some(rows) = rows(&read, by)? else {
        return Ok(None);
    };
    let english = glossary::in_english(text);
    let query = match english.contains(char::is_alphanumeric) {
        true => by.model.embed_query(&english)?,
        // Signs alone are all the same to a model.
        false => vec![0.0; by.model.spec().dims],
    };
    let mut cosines = rows.iter().map(|row| dot(&query, row));
    let of_memory = |read: &Read<'_>| {
        let whole = cosines.next().unwrap_or(0.0);
        let cues = read.cues.iter().zip(cosines.by_ref());
        let near = nearest(whole, cues.map(|((cue, _), cosine)| (*cue, cosine)));
        Nearness {
            compared: read.cues.len(),
            ..near
        }
    };
    let near = read.iter().map(of_memory).collect();
    Ok(Some((query, near)))
}

/// What models read of a memory.
struct Read<'a> {
    whole: String,
    /// Those of which enough can be said in English to be compared, and how.
    cues: Vec<(&'a str, String)>,
}

impl<'a> Read<'a> {
    fn of(memory: &'a Memory) -> Self {
        let mut seen = HashSet::new();
        let cues = memory.front.cues.iter().take(CUES).map(String::as_str);
        let understood = cues.filter(|cue| seen.insert(*cue) && glossary::is_understood(cue));
        Self {
            whole: embedded(memory),
            cues: understood
                .map(|cue| (cue, glossary::in_english(cue)))
                .collect(),
        }
    }
}

/// The vectors of each memory as a whole, followed by those of its cues. `None` where the time was up.
fn rows(read: &[Read<'_>], by: &Meaning<'_>) -> Result<Option<Vec<Row>>> {
    let texts: Vec<String> = read.iter().flat_map(texts).collect();
    let rows = vectors::of_texts(&texts, by.model, by.cache, by.until)?;
    Ok((rows.len() == texts.len()).then_some(rows))
}

fn texts(read: &Read<'_>) -> impl Iterator<Item = String> {
    let cues = read.cues.iter().map(|(_, english)| english.clone());
    std::iter::once(read.whole.clone()).chain(cues)
}

fn nearest<'a>(whole: f32, cues: impl Iterator<Item = (&'a str, f32)>) -> Nearness {
    match cues.max_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((cue, cosine)) if cosine > whole => Nearness {
            cosine: whole.midpoint(cosine),
            cue: Some(cue.to_owned()),
            compared: 0,
        },
        _ => Nearness {
            cosine: whole,
            cue: None,
            compared: 0,
        },
    }
}

/// What a model reads of a whole memory.
pub(crate) fn embedded(memory: &Memory) -> String {
    glossary::in_english(&memory.searched())
}

/// Makes the vectors that prompts will need of these memories, as far as the time allows.
///
/// # Errors
/// When the model fails.
pub fn prepare(memories: &[Memory], by: &Meaning<'_>) -> Result<()> {
    let read: Vec<Read<'_>> = memories.iter().map(Read::of).collect();
    rows(&read, by).map(|_| ())
}

/// The cosine of two unit vectors.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_cue_counts_where_it_is_nearer_than_the_whole() {
        let near = |whole, cues: &[(&'static str, f32)]| {
            let found = nearest(whole, cues.iter().copied());
            (found.cosine, found.cue)
        };
        assert_eq!(near(0.4, &[]), (0.4, None));
        assert_eq!(near(0.4, &[("far", 0.3)]), (0.4, None));
        let (cosine, cue) = near(0.4, &[("far", 0.3), ("near", 0.8), ("less", 0.7)]);
        assert!((cosine - 0.6).abs() < 1e-6);
        assert_eq!(cue.as_deref(), Some("near"));
    }
}
