//! What prompts are like that need no memory: a prompt that is near to one of
//! these has to match a memory better. (The background model of speaker verification: what is
//! claimed is weighed against what anybody might say; Reynolds, Quatieri, Dunn 2000.)
//!
//! `commonplace/prompts.txt` holds them, one a line. Their vectors by all-MiniLM-L6-v2 lie beside it, so that
//! no prompt waits for them; by another model they are made once and cached.

use crate::error::Result;
use crate::meaning::{Meaning, dot};
use crate::rank::worth;
use crate::{glossary, vectors};
use session_embed::Embedder;

static PROMPTS: &str = include_str!("commonplace/prompts.txt");
static PACKED: &[u8] = include_bytes!("commonplace/all-minilm-l6-v2.bin");
/// The model of the packed vectors.
const MODEL: &str = "all-minilm-l6-v2";
/// Bytes of the number that a packed vector is scaled by.
const SCALE: usize = 4;

/// What is taken of a text that the model cannot read.
const UNKNOWN: f32 = 0.5;

/// How near a text is to what needs no memory, 0 to 1 as the matches of memories are.
/// `None` where the time was up. `asked` is the text's vector, empty where there is none.
///
/// # Errors
/// When the model fails.
pub fn commonplace(text: &str, asked: &[f32], by: &Meaning<'_>) -> Result<Option<f32>> {
    if asked.is_empty() || !glossary::is_understood(text) {
        return Ok(Some(UNKNOWN));
    }
    let greatest = match by.model.spec().name == MODEL {
        true => packed(asked),
        false => {
            let texts = texts();
            let rows = vectors::of_texts(&texts, by.model, by.cache, by.until)?;
            if rows.len() < texts.len() {
                return Ok(None);
            }
            rows.iter().map(|row| dot(asked, row)).fold(0.0, f32::max)
        }
    };
    Ok(Some(worth(by.model, greatest)))
}

/// The prompts as a model reads them; those that English says too little of left out.
fn texts() -> Vec<String> {
    let lines = PROMPTS.lines().map(|line| line.replace("\\n", "\n"));
    let known = lines.filter(|line| glossary::is_understood(line));
    known.map(|line| glossary::in_english(&line)).collect()
}

/// The greatest cosine with the vectors in the binary.
fn packed(asked: &[f32]) -> f32 {
    let records = PACKED.chunks_exact(SCALE + asked.len());
    records
        .map(|record| cosine(record, asked))
        .fold(0.0, f32::max)
}

fn cosine(record: &[u8], asked: &[f32]) -> f32 {
    let (scale, numbers) = record.split_at(SCALE);
    let numbers = numbers.iter().map(|byte| f32::from(byte.cast_signed()));
    let sum: f32 = numbers.zip(asked).map(|(a, b)| a * b).sum();
    sum * f32::from_le_bytes(scale.try_into().unwrap_or_default())
}

/// The file of packed vectors: of each prompt a number, little-endian, and as many
/// signed bytes as the model has dimensions, to be multiplied by it.
///
/// # Errors
/// When the model fails.
pub fn pack(model: &dyn Embedder) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for text in texts() {
        let rows = model.embed_documents(&[&text])?;
        let greatest = rows.iter().fold(f32::EPSILON, |most, x| most.max(x.abs()));
        let scale = greatest / f32::from(i8::MAX);
        out.extend(scale.to_le_bytes());
        #[expect(clippy::cast_possible_truncation, reason = "at most 127")]
        out.extend(
            rows.iter()
                .map(|x| ((x / scale).round() as i8).cast_unsigned()),
        );
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packed_vectors_are_those_of_the_prompts() {
        let model = session_embed::minilm().unwrap();
        let dims = model.spec().dims;
        assert_eq!(model.spec().name, MODEL);
        let texts = texts();
        assert_eq!(
            PACKED.len(),
            texts.len() * (SCALE + dims),
            "build the file anew"
        );
        // All would take long in a build that is not optimised.
        let records = PACKED.chunks_exact(SCALE + dims);
        for (text, record) in texts.iter().zip(records).step_by(37) {
            let near = cosine(record, &model.embed_query(text).unwrap());
            assert!(
                (near - 1.0).abs() < 0.001,
                "{text}: {near}; build the file anew"
            );
        }
    }

    #[test]
    fn each_prompt_stands_once() {
        let mut lines: Vec<String> = PROMPTS.lines().map(str::to_lowercase).collect();
        let all = lines.len();
        lines.sort();
        lines.dedup();
        assert_eq!(lines.len(), all);
    }
}
