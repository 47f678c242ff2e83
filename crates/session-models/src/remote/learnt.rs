//! How long an endpoint's vectors are, as it said the first time.

use crate::description::REMOTE;
use crate::remote::Endpoint;
use crate::{Folders, private};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

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
    let text = fs_err::read(path(folders)).ok()?;
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
    private::replace(&path(folders), &serde_json::to_vec_pretty(&learnt)?)
}
