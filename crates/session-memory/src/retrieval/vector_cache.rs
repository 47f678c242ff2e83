//! The cache of memories' vectors, so that a prompt waits for the embedding of its own text only.

use crate::error::Result;
use crate::retrieval::memory_embedder::MemoryEmbedder;
use crate::storage::vector_files::vector_file;
use session_core::text::clip;
use session_files::private;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::time::Instant;

/// The bytes of a text's hash.
const HASH_BYTES: usize = 16;
/// The longest text that is embedded, in bytes.
const MAX_TEXT_BYTES: usize = 1000;
/// The size limit of the cache file, in bytes; a larger file is discarded.
const MAX_CACHE_BYTES: u64 = 64 << 20;
/// The number of vectors beyond which those of other texts are discarded: other projects embed theirs again.
const MAX_CACHED: usize = 10_000;
/// The texts of a batch where there is no deadline.
const BATCH_SIZE: usize = 8;
/// The texts after which the cache is written: who interrupts the work keeps what is done.
const TEXTS_BEFORE_WRITE: usize = 128;

/// The beginning of the BLAKE3 hash of a text.
type TextHash = [u8; HASH_BYTES];

/// Returns the vectors of texts, in their order. If the deadline passes first, the result is shorter
/// than `texts`: the vectors up to the first missing one.
///
/// # Errors
/// When the model fails.
pub(crate) fn embed_cached(
    texts: &[String],
    embedder: &MemoryEmbedder<'_>,
) -> Result<Vec<Vec<f32>>> {
    let spec = embedder.model.spec();
    let path = vector_file(embedder.index_directory, &spec.fingerprint());
    let file = private::read(&path, MAX_CACHE_BYTES).ok().flatten();
    let file = file.unwrap_or_default();
    let mut cached = decode_cache(&file, spec.dims);
    let texts: Vec<&str> = texts
        .iter()
        .map(|text| clip(text, MAX_TEXT_BYTES))
        .collect();
    let hashes: Vec<TextHash> = texts.iter().map(|text| hash_text(text)).collect();
    let is_missing = |i: &usize| !cached.get(&hashes[*i]).is_some_and(|row| is_finite(row));
    let missing: Vec<usize> = (0..hashes.len()).filter(is_missing).collect();
    for part in missing.chunks(TEXTS_BEFORE_WRITE) {
        let new = embed_missing(&texts, part, embedder)?;
        let is_late = new.len() < part.len();
        let new = new.into_iter();
        cached.extend(new.map(|vector| (hashes[vector.text], vector.bytes.into())));
        prune(&mut cached, &hashes, MAX_CACHED);
        // Without the cache the next prompt embeds them again.
        let _ = private::write_cached(&path, &encode_cache(&cached));
        if is_late {
            break;
        }
    }
    let rows = hashes.iter().map_while(|hash| cached.get(hash));
    let rows = rows.take_while(|row| is_finite(row));
    Ok(rows.map(|row| decode_vector(row)).collect())
}

/// The new vector of a text.
struct NewVector {
    /// The index of the text.
    text: usize,
    /// The numbers as little-endian `f32`.
    bytes: Vec<u8>,
}

/// Embeds the texts of some indexes until the deadline.
fn embed_missing(
    texts: &[&str],
    missing: &[usize],
    embedder: &MemoryEmbedder<'_>,
) -> Result<Vec<NewVector>> {
    let mut new = Vec::new();
    // Before a deadline one by one, and at least one: the next prompt continues from there.
    let size = if embedder.deadline.is_some() {
        1
    } else {
        BATCH_SIZE
    };
    for batch in missing.chunks(size) {
        let batch_texts: Vec<&str> = batch.iter().map(|i| texts[*i]).collect();
        let rows = embedder.model.embed_documents(&batch_texts)?;
        for (i, row) in batch.iter().zip(rows.outer_iter()) {
            new.push(NewVector {
                text: *i,
                bytes: row.iter().flat_map(|x| x.to_le_bytes()).collect(),
            });
        }
        let deadline = embedder.deadline;
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
    }
    Ok(new)
}

/// Keeps the vectors of some texts alone where there are more than `max`.
fn prune(cached: &mut HashMap<TextHash, Cow<'_, [u8]>>, wanted: &[TextHash], max: usize) {
    if cached.len() > max {
        let wanted: HashSet<&TextHash> = wanted.iter().collect();
        cached.retain(|hash, _| wanted.contains(hash));
    }
}

fn hash_text(text: &str) -> TextHash {
    let mut hash = [0; HASH_BYTES];
    hash.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..HASH_BYTES]);
    hash
}

/// Reads records of a hash and a vector of little-endian `f32`. A partial record is ignored.
fn decode_cache(bytes: &[u8], dims: usize) -> HashMap<TextHash, Cow<'_, [u8]>> {
    let records = bytes.chunks_exact(HASH_BYTES + 4 * dims);
    let parts = records.filter_map(|record| record.split_first_chunk::<HASH_BYTES>());
    parts.map(|(hash, row)| (*hash, row.into())).collect()
}

/// Formats records, sorted by hash.
fn encode_cache(cached: &HashMap<TextHash, Cow<'_, [u8]>>) -> Vec<u8> {
    let mut sorted: Vec<_> = cached.iter().collect();
    sorted.sort_by_key(|(hash, _)| **hash);
    let mut out = Vec::new();
    for (hash, row) in sorted {
        out.extend_from_slice(hash);
        out.extend_from_slice(row);
    }
    out
}

fn is_finite(row: &[u8]) -> bool {
    let (numbers, _) = row.as_chunks::<4>();
    numbers.iter().all(|n| f32::from_le_bytes(*n).is_finite())
}

fn decode_vector(row: &[u8]) -> Vec<f32> {
    let (numbers, _) = row.as_chunks::<4>();
    numbers.iter().map(|n| f32::from_le_bytes(*n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_cache_keeps_the_vectors_of_the_texts_at_hand() {
        let texts = ["tabs", "money", "pool"].map(hash_text);
        let whole: HashMap<TextHash, Cow<'_, [u8]>> =
            texts.iter().map(|hash| (*hash, Cow::default())).collect();
        for (max, expected) in [(3, 3), (2, 1)] {
            let mut cached = whole.clone();
            prune(&mut cached, &texts[..1], max);
            assert_eq!(cached.len(), expected);
            assert!(cached.contains_key(&texts[0]));
        }
    }
}
