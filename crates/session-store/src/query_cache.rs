//! Caches the vectors of queries, so that a repeated query loads no model.

use crate::directory_ownership::{delete_files, delete_model_files};
use crate::error::Result;
use session_files::{is_temporary, private};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Queries kept of a model; with more, all are forgotten.
const MAX_QUERIES: usize = 1000;
/// Hexadecimal digits of the name of a query's file.
const NAME_CHARS: usize = 32;
/// Most bytes of a vector.
const MAX_VECTOR_BYTES: u64 = 1 << 20;

/// Returns the directory of a model's queries.
///
/// It has a file for each query, named by its hash, with the vector's numbers as little-endian `f32`.
fn model_directory(root: &Path, fingerprint: &str) -> PathBuf {
    root.join("queries").join(fingerprint)
}

/// Returns true for the name of a query's file, and for that of one that is being written.
fn is_query_name(name: &OsStr) -> bool {
    let hex = name.as_encoded_bytes();
    (hex.len() == NAME_CHARS && hex.iter().all(u8::is_ascii_hexdigit)) || is_temporary(name)
}

fn query_path(root: &Path, fingerprint: &str, query: &str) -> PathBuf {
    let mut name = blake3::hash(query.as_bytes()).to_hex().to_string();
    name.truncate(NAME_CHARS);
    model_directory(root, fingerprint).join(name)
}

/// Returns the cached vector of a query by a model, with `dims` components. A file
/// that is no such vector counts as missing.
pub fn cached_query_vector(
    root: &Path,
    fingerprint: &str,
    dims: usize,
    query: &str,
) -> Option<Vec<f32>> {
    let bytes = private::read(&query_path(root, fingerprint, query), MAX_VECTOR_BYTES).ok()??;
    let (numbers, rest) = bytes.as_chunks::<4>();
    let vector: Vec<f32> = numbers.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let is_one = rest.is_empty() && vector.len() == dims && vector.iter().all(|x| x.is_finite());
    is_one.then_some(vector)
}

/// Deletes all cached vectors of queries.
///
/// # Errors
/// When the disk fails.
pub fn delete_query_cache(root: &Path) -> Result<()> {
    delete_model_files(&root.join("queries"), is_query_name)
}

/// Caches the vector of a query.
///
/// # Errors
/// When the disk fails.
pub fn cache_query_vector(
    root: &Path,
    fingerprint: &str,
    query: &str,
    vector: &[f32],
) -> Result<()> {
    let directory = model_directory(root, fingerprint);
    if fs_err::read_dir(&directory).is_ok_and(|entries| entries.count() >= MAX_QUERIES) {
        delete_files(&directory, is_query_name)?;
    }
    let path = query_path(root, fingerprint, query);
    let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
    Ok(private::write_cached(&path, &bytes)?)
}
