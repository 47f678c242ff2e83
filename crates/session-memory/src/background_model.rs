//! The background model: prompts that need no memory. A prompt that is similar to one of them has to
//! match a memory better. (As in speaker verification, where a claim is weighed against what anybody
//! might say; Reynolds, Quatieri, Dunn 2000.)
//!
//! `background_model/prompts.txt` holds the prompts, one a line. Their vectors by all-MiniLM-L6-v2 are in the
//! binary; those of another model are embedded once and cached.

use crate::error::Result;
use crate::glossary;
use crate::memory_embedder::{MemoryEmbedder, dot};
use crate::vector_cache::embed_cached;
use session_embed::Embedder;

static PROMPTS: &str = include_str!("background_model/prompts.txt");
static QUANTIZED_VECTORS: &[u8] = include_bytes!("background_model/all-minilm-l6-v2.bin");
/// The model of the packed vectors.
const QUANTIZED_MODEL: &str = "all-minilm-l6-v2";
/// The bytes of a packed vector's scale.
const SCALE_BYTES: usize = 4;

/// The similarity of a text that the model cannot read.
const DEFAULT_BACKGROUND_SIMILARITY: f32 = 0.5;

/// Returns the similarity of a text to the background model, 0 to 1 on the scale of matches; `None`
/// where the deadline passed. `query_vector` is the text's vector, empty where there is none.
///
/// # Errors
/// When the model fails.
pub fn background_similarity(
    text: &str,
    query_vector: &[f32],
    embedder: &MemoryEmbedder<'_>,
) -> Result<Option<f32>> {
    if query_vector.is_empty() || !glossary::is_mostly_readable(text) {
        return Ok(Some(DEFAULT_BACKGROUND_SIMILARITY));
    }
    let max_cosine = match embedder.model.spec().name == QUANTIZED_MODEL {
        true => max_quantized_cosine(query_vector),
        false => {
            let texts = translated_prompts();
            let rows = embed_cached(&texts, embedder)?;
            if rows.len() < texts.len() {
                return Ok(None);
            }
            let cosines = rows.iter().map(|row| dot(query_vector, row));
            cosines.fold(0.0, f32::max)
        }
    };
    Ok(Some(embedder.scale_cosine(max_cosine)))
}

/// Returns the prompts that an English model reads for the greater part, translated.
fn translated_prompts() -> Vec<String> {
    let prompts = PROMPTS.lines().map(|line| line.replace("\\n", "\n"));
    let readable = prompts.filter(|prompt| glossary::is_mostly_readable(prompt));
    let translated = readable.map(|prompt| glossary::translate_to_english(&prompt));
    translated.collect()
}

/// Returns the greatest cosine with a packed vector, at least 0.
fn max_quantized_cosine(query_vector: &[f32]) -> f32 {
    let records = QUANTIZED_VECTORS.chunks_exact(SCALE_BYTES + query_vector.len());
    let cosines = records.map(|record| quantized_cosine(record, query_vector));
    cosines.fold(0.0, f32::max)
}

fn quantized_cosine(record: &[u8], query_vector: &[f32]) -> f32 {
    let (scale, numbers) = record.split_at(SCALE_BYTES);
    let numbers = numbers.iter().map(|byte| f32::from(byte.cast_signed()));
    let sum: f32 = numbers.zip(query_vector).map(|(a, b)| a * b).sum();
    sum * f32::from_le_bytes(scale.try_into().unwrap_or_default())
}

/// Quantizes the vectors of the prompts for the binary: of each a scale, a little-endian `f32`, and
/// one signed byte per dimension.
///
/// # Errors
/// When the model fails.
pub fn quantize_background_vectors(model: &dyn Embedder) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for text in translated_prompts() {
        let rows = model.embed_documents(&[&text])?;
        let max = rows.iter().fold(f32::EPSILON, |max, x| max.max(x.abs()));
        let scale = max / f32::from(i8::MAX);
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
        assert_eq!(model.spec().name, QUANTIZED_MODEL);
        let texts = translated_prompts();
        assert_eq!(
            QUANTIZED_VECTORS.len(),
            texts.len() * (SCALE_BYTES + dims),
            "build the file anew"
        );
        // All would take long in a build that is not optimised.
        let records = QUANTIZED_VECTORS.chunks_exact(SCALE_BYTES + dims);
        for (text, record) in texts.iter().zip(records).step_by(37) {
            let cosine = quantized_cosine(record, &model.embed_query(text).unwrap());
            assert!(
                (cosine - 1.0).abs() < 0.001,
                "{text}: {cosine}; build the file anew"
            );
        }
    }

    #[test]
    fn no_prompt_is_listed_twice() {
        let mut lines: Vec<String> = PROMPTS.lines().map(str::to_lowercase).collect();
        let all = lines.len();
        lines.sort();
        lines.dedup();
        assert_eq!(lines.len(), all);
    }
}
