//! What came with a model: written beside its files when they are complete.

use serde::{Deserialize, Serialize};
use session_embed::ModelSpec;
use std::path::Path;

/// Name of the file.
pub const FILE: &str = "installed.json";

/// A model's files as they came.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Where they came from, for people.
    pub from: String,
    /// The files.
    pub files: Vec<Came>,
}

/// A file as it came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Came {
    /// Path below the model's folder.
    pub path: String,
    /// Length.
    pub bytes: u64,
    /// SHA-256 of the content.
    pub sha256: String,
}

impl Manifest {
    /// Reads a folder's manifest; none where there is none or it makes no sense.
    pub fn read(folder: &Path) -> Option<Self> {
        let text = fs_err::read(folder.join(FILE)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// The file of this path.
    pub fn file(&self, path: &str) -> Option<&Came> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Says of each file of a description that nobody pinned which one came, so
    /// that the fingerprint tells the vectors of two such files apart.
    pub fn pin(&self, spec: &mut ModelSpec) {
        for file in &mut spec.files {
            let came = || self.file(&file.path).map(|came| came.sha256.clone());
            file.sha256 = file.sha256.take().or_else(came);
        }
    }
}
