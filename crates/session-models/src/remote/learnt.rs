//! How long an endpoint's vectors are, as it said the first time.

use crate::Folders;
use crate::description::REMOTE;
use crate::remote::Endpoint;
use serde::{Deserialize, Serialize};
use session_files::private;
use std::path::PathBuf;

/// Most bytes of the file.
const LIMIT: u64 = 64 << 10;

#[derive(Serialize, Deserialize)]
struct Learnt {
    url: String,
    model: String,
    dims: usize,
}

fn path(folders: &Folders) -> PathBuf {
    folders.model(REMOTE).join("learnt.json")
}

/// What is known of this endpoint and its model.
pub fn read(endpoint: &Endpoint, folders: &Folders) -> Option<usize> {
    let text = private::read(&path(folders), LIMIT).ok()??;
    let learnt: Learnt = serde_json::from_slice(&text).ok()?;
    let is_same = learnt.url == endpoint.url && learnt.model == endpoint.model;
    is_same.then_some(learnt.dims)
}

/// Keeps it.
pub fn write(endpoint: &Endpoint, folders: &Folders, dims: usize) -> std::io::Result<()> {
    let learnt = Learnt {
        url: endpoint.url.clone(),
        model: endpoint.model.clone(),
        dims,
    };
    Ok(private::write(
        &path(folders),
        &serde_json::to_vec_pretty(&learnt)?,
    )?)
}
