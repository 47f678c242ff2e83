//! The manifest of an installed model: the length and SHA-256 of each file. It is written
//! into the model's directory when all files are complete.

use serde::{Deserialize, Serialize};
use session_embed::ModelSpec;
use session_files::private;
use std::path::Path;

/// Maximum length of a manifest in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// File name of the manifest.
pub(crate) const MANIFEST_FILE: &str = "installed.json";

/// The files of a model as they were installed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ModelManifest {
    /// Source of the files, for display: a hub repository or a path.
    pub from: String,
    /// The installed files.
    pub files: Vec<FetchedFile>,
}

/// The length and hash of an installed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FetchedFile {
    /// Path below the model's directory.
    pub path: String,
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256 of the content, as 64 hexadecimal digits.
    pub sha256: String,
}

impl ModelManifest {
    /// Reads the manifest in a directory. Returns `None` when it is absent or invalid.
    pub(crate) fn read(directory: &Path) -> Option<Self> {
        let text = private::read(&directory.join(MANIFEST_FILE), MAX_BYTES).ok()??;
        serde_json::from_slice(&text).ok()
    }

    /// Finds the file with this path.
    pub(crate) fn find_file(&self, path: &str) -> Option<&FetchedFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Pins each unpinned file of a description to the SHA-256 of the installed file, so that
    /// the fingerprint distinguishes the vectors of two different files.
    pub(crate) fn pin_unpinned_files(&self, spec: &mut ModelSpec) {
        for file in &mut spec.files {
            let installed = self.find_file(&file.path);
            let sha256 = || installed.map(|installed| installed.sha256.clone());
            file.sha256 = file.sha256.take().or_else(sha256);
        }
    }
}
