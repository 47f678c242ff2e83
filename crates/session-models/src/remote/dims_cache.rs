//! Cache of the dimension of an endpoint's vectors, so that it is requested only once.

use crate::UserDirectories;
use crate::model_description::REMOTE_MODEL;
use crate::remote::Endpoint;
use serde::{Deserialize, Serialize};
use session_files::private;
use std::path::PathBuf;

/// Maximum length of the file in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// The content of the cache file: an endpoint and the dimension of its vectors.
#[derive(Serialize, Deserialize)]
struct CachedDims {
    url: String,
    model: String,
    dims: usize,
}

fn cache_path(directories: &UserDirectories) -> PathBuf {
    directories.model_dir(REMOTE_MODEL).join("learnt.json")
}

/// Reads the cached dimension of this endpoint and its model.
pub(crate) fn read_cached_dims(
    endpoint: &Endpoint,
    directories: &UserDirectories,
) -> Option<usize> {
    let text = private::read(&cache_path(directories), MAX_BYTES).ok()??;
    let cached: CachedDims = serde_json::from_slice(&text).ok()?;
    let is_same = cached.url == endpoint.shown_url() && cached.model == endpoint.model;
    is_same.then_some(cached.dims)
}

/// Writes the dimension of this endpoint's vectors.
pub(crate) fn write_cached_dims(
    endpoint: &Endpoint,
    directories: &UserDirectories,
    dims: usize,
) -> std::io::Result<()> {
    let cached = CachedDims {
        url: endpoint.shown_url(),
        model: endpoint.model.clone(),
        dims,
    };
    Ok(private::write(
        &cache_path(directories),
        &serde_json::to_vec_pretty(&cached)?,
    )?)
}
