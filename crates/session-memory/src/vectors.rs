//! Vectors of memories, kept beside the index so that a prompt waits for one
//! vector alone: its own.

use crate::error::Result;
use session_embed::Embedder;
use session_files::private;
use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

/// Bytes of a text's hash.
const HASH: usize = 16;
/// Longest text of a memory that is embedded, in bytes.
const TEXT: usize = 1000;
/// Most bytes of the cache: beyond that it is begun anew.
const LIMIT: u64 = 64 << 20;
/// Texts embedded at a time where nobody waits.
const BATCH: usize = 8;

type Key = [u8; HASH];

/// The vectors of some texts by one model, in the texts' order; fewer, when
/// the time was up before all were made.
///
/// # Errors
/// When the model fails.
pub fn of_texts(
    texts: &[String],
    model: &dyn Embedder,
    cache: &Path,
    until: Option<Instant>,
) -> Result<Vec<Vec<f32>>> {
    let path = cache.join("memories").join(model.spec().fingerprint());
    let dims = model.spec().dims;
    let kept = private::read(&path, LIMIT)
        .ok()
        .flatten()
        .unwrap_or_default();
    let mut known = records(&kept, dims);
    let mut made: Vec<(Key, Vec<u8>)> = Vec::new();
    let texts: Vec<&str> = texts
        .iter()
        .map(|t| session_core::text::clip(t, TEXT))
        .collect();
    let keys: Vec<Key> = texts.iter().map(|text| key(text)).collect();
    let is_missing = |key: &Key| !known.get(key).is_some_and(|numbers| is_finite(numbers));
    let missing: Vec<usize> = (0..keys.len()).filter(|i| is_missing(&keys[*i])).collect();
    // In haste one by one, and one at least: the next prompt goes on from there.
    for batch in missing.chunks(if until.is_some() { 1 } else { BATCH }) {
        let new: Vec<&str> = batch.iter().map(|i| texts[*i]).collect();
        let rows = model.embed_documents(&new)?;
        for (i, row) in batch.iter().zip(rows.outer_iter()) {
            let bytes = row.iter().flat_map(|x| x.to_le_bytes()).collect();
            made.push((keys[*i], bytes));
        }
        if until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
    }
    known.extend(made.iter().map(|(key, numbers)| (*key, numbers.as_slice())));
    if !made.is_empty() {
        // A cache: where it cannot be written, the next one makes them again.
        let _ = private::write_cached(&path, &bytes(&known));
    }
    let numbers = keys.iter().map_while(|key| known.get(key));
    let numbers = numbers.take_while(|numbers| is_finite(numbers));
    Ok(numbers.map(|numbers| vector(numbers)).collect())
}

fn key(text: &str) -> Key {
    let mut key = [0; HASH];
    key.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..HASH]);
    key
}

/// Records of a hash and the numbers of a vector, little-endian. Anything else
/// is as good as nothing.
fn records(bytes: &[u8], dims: usize) -> HashMap<Key, &[u8]> {
    let records = bytes.chunks_exact(HASH + 4 * dims);
    let parts = records.filter_map(|record| record.split_first_chunk::<HASH>());
    parts.map(|(key, numbers)| (*key, numbers)).collect()
}

fn is_finite(bytes: &[u8]) -> bool {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().all(|n| f32::from_le_bytes(*n).is_finite())
}

fn vector(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers.iter().map(|n| f32::from_le_bytes(*n)).collect()
}

fn bytes(known: &HashMap<Key, &[u8]>) -> Vec<u8> {
    let mut sorted: Vec<_> = known.iter().collect();
    sorted.sort_by_key(|(key, _)| **key);
    let mut out = Vec::new();
    for (key, numbers) in sorted {
        out.extend_from_slice(key);
        out.extend_from_slice(numbers);
    }
    out
}
