//! Descriptions of models, from the TOML files in `models/`.

use crate::{EmbedError, Scripts};
use serde::Deserialize;
use session_core::CosineScale;

/// A model's description. Read from TOML; a key that is not listed here is an
/// error that names it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSpec {
    /// Short name that users type and the store keeps: `table`.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// The code that runs it.
    pub architecture: Architecture,
    /// Its repository on the model hub: `owner/name`.
    pub repo: String,
    /// Commit or tag in that repository.
    pub revision: String,
    /// Length of its vectors.
    pub dims: usize,
    /// Tokens of a text that are read; the rest is ignored.
    pub max_tokens: usize,
    /// Makes one vector of those of the tokens.
    pub pooling: Pooling,
    /// Put before a query (never before a document). Empty for none.
    #[serde(default)]
    pub instruction: String,
    /// Put before a document. Empty for none.
    #[serde(default)]
    pub document_prefix: String,
    /// The scripts that it reads; all where none is named.
    #[serde(default)]
    pub scripts: Scripts,
    /// The scale of cosines of this model.
    pub cosine: CosineScale,
    /// SPDX expression of the weights' licence.
    pub licence: String,
    /// Bytes of all its files, for people who consider a download; of files that
    /// are not pinned, about.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Files it needs.
    pub files: Vec<ModelFile>,
}

/// A file of a model.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Path in the repository, or under `models/` for a bundled model.
    pub path: String,
    /// SHA-256 of the content, 64 hexadecimal digits; none for a file that its
    /// author never held, which then is taken as the hub states it.
    #[serde(default)]
    pub sha256: Option<String>,
}

/// The code that runs a model: one file of this crate each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Architecture {
    /// A vector a token, summed: [`crate::TableEmbedder`].
    Table,
    /// A transformer encoder: [`crate::TransformerEmbedder::bert`].
    Bert,
    /// A transformer decoder: [`crate::TransformerEmbedder::qwen3`].
    Qwen3,
    /// A server; no TOML describes it, for the user configures it.
    #[serde(skip)]
    Remote,
}

impl Architecture {
    /// Returns its name, as in the TOML of a model.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Bert => "bert",
            Self::Qwen3 => "qwen3",
            Self::Remote => "remote",
        }
    }
}

/// A way to make one vector of those of a text's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// The vector of BERT's first token, `[CLS]`. Descriptions of users may still say `first`.
    #[serde(alias = "first")]
    Cls,
    /// The vector of the last token, a token that is appended to end texts.
    Last,
}

impl Pooling {
    /// Returns the name in fingerprints. It never changes, since stored vectors are found by the fingerprint.
    fn fingerprint_name(self) -> &'static str {
        match self {
            Self::Mean => "Mean",
            Self::Cls => "First",
            Self::Last => "Last",
        }
    }
}

impl ModelSpec {
    /// Reads a description.
    ///
    /// # Errors
    /// [`EmbedError::Spec`] for bad TOML, a missing, an unknown or a wrong key.
    pub fn from_toml(text: &str) -> Result<Self, EmbedError> {
        Ok(toml::from_str(text)?)
    }

    /// Returns 16 hexadecimal digits that differ when the vectors may differ, and do
    /// not change when only names, titles or the sources of pinned files do. A
    /// file that is not pinned is known by its source.
    pub fn fingerprint(&self) -> String {
        let mut hash = blake3::Hasher::new();
        let settings = format!(
            "{:?} {} {} {} {:?}",
            self.architecture,
            self.dims,
            self.max_tokens,
            self.pooling.fingerprint_name(),
            self.instruction
        );
        hash.update(settings.as_bytes());
        if !self.document_prefix.is_empty() {
            hash.update(b"\n").update(self.document_prefix.as_bytes());
        }
        if self.architecture == Architecture::Table {
            hash.update(b"\nhadamard");
        }
        for file in &self.files {
            let source = || format!("{}@{}:{}", self.repo, self.revision, file.path);
            let content = file.sha256.clone().unwrap_or_else(source);
            hash.update(b"\n").update(content.as_bytes());
        }
        let mut hex = hash.finalize().to_hex().to_string();
        hex.truncate(16);
        hex
    }
}
