//! Memories that say the same.

use crate::error::Result;
use crate::meaning::{Meaning, dot, embedded};
use crate::memory::Memory;
use crate::rank::likeness;
use crate::vectors;
use serde::Serialize;

/// From here on two memories say the same: their meaning together with a part of their words,
/// or nearly all of their words.
const SAME_MEANING: f32 = 0.80;
const SOME_WORDS: f32 = 0.25;
const SAME_WORDS: f32 = 0.6;

/// A memory that another one repeats.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repeated {
    /// Its id.
    pub id: String,
    /// Its topic.
    pub topic: String,
    /// The cosine of both.
    pub cosine: f32,
    /// The part of their words that both have.
    pub words: f32,
}

/// The memories that a new one repeats, the most alike first.
///
/// # Errors
/// When the model fails.
pub fn repeated(new: &Memory, others: &[Memory], meaning: &Meaning<'_>) -> Result<Vec<Repeated>> {
    let others: Vec<&Memory> = others.iter().filter(|m| m.id() != new.id()).collect();
    let mut texts = vec![embedded(new)];
    texts.extend(others.iter().map(|memory| embedded(memory)));
    let rows = vectors::of_texts(&texts, meaning.model, meaning.cache, meaning.until)?;
    let Some((own, rows)) = rows.split_first() else {
        return Ok(Vec::new());
    };
    let compare = |(memory, row): (&&Memory, &Vec<f32>)| Repeated {
        id: memory.id().to_owned(),
        topic: memory.front.topic.clone(),
        cosine: dot(own, row),
        words: likeness(&new.searched(), &memory.searched()),
    };
    let mut found: Vec<Repeated> = others.iter().zip(rows).map(compare).collect();
    found.retain(|r| (r.cosine >= SAME_MEANING && r.words >= SOME_WORDS) || r.words >= SAME_WORDS);
    found.sort_by(|a, b| (b.cosine + b.words).total_cmp(&(a.cosine + a.words)));
    Ok(found)
}
