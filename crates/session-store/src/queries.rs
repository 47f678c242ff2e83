//! Vectors of what has been asked before, so that asking again loads no model.

use crate::error::Result;
use session_files::private;
use std::path::{Path, PathBuf};

/// Queries kept of a model; with more, all are forgotten.
const QUERIES: usize = 1000;
/// Most bytes of a vector.
const LIMIT: u64 = 1 << 20;

/// A folder for each model; a file for each query, named by its hash, with the
/// vector's numbers as little-endian `f32`.
fn folder_of(root: &Path, fingerprint: &str) -> PathBuf {
    root.join("queries").join(fingerprint)
}

fn file_of(root: &Path, fingerprint: &str, query: &str) -> PathBuf {
    let mut name = blake3::hash(query.as_bytes()).to_hex().to_string();
    name.truncate(32);
    folder_of(root, fingerprint).join(name)
}

/// The vector of a query by a model, if it has been asked before. Anything that
/// is not such a vector is as good as none.
pub fn known_query(root: &Path, fingerprint: &str, dims: usize, query: &str) -> Option<Vec<f32>> {
    let bytes = private::read(&file_of(root, fingerprint, query), LIMIT).ok()??;
    let (numbers, rest) = bytes.as_chunks::<4>();
    let vector: Vec<f32> = numbers.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let is_one = rest.is_empty() && vector.len() == dims && vector.iter().all(|x| x.is_finite());
    is_one.then_some(vector)
}

/// Keeps the vector of a query.
///
/// # Errors
/// When the disk fails.
pub fn remember_query(root: &Path, fingerprint: &str, query: &str, vector: &[f32]) -> Result<()> {
    let folder = folder_of(root, fingerprint);
    if fs_err::read_dir(&folder).is_ok_and(|entries| entries.count() >= QUERIES) {
        fs_err::remove_dir_all(&folder)?;
    }
    let path = file_of(root, fingerprint, query);
    let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
    Ok(private::write_cached(&path, &bytes)?)
}
