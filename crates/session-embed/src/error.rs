//! What can go wrong.

use thiserror::Error;

/// Why a model could not be opened, or a text not be embedded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// A model's TOML is not what [`crate::ModelSpec`] describes. The message
    /// names the line and the key.
    #[error("model description is not valid: {0}")]
    Spec(#[from] toml::de::Error),
    /// A model's file could not be read. The message names the file.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A model's file is not in the format that its reader knows.
    #[error("{file} is not valid: {reason}")]
    File {
        /// What the file is: `token table`, `vocabulary`.
        file: &'static str,
        /// What is wrong with it, as half a sentence.
        reason: &'static str,
    },
    /// A device does not compute, or is not there.
    #[error("the device cannot be used: {0}")]
    Device(String),
    /// Something is wrong with a model's files in this place.
    #[error("{}: {why}", path.display())]
    At {
        /// The folder or the file.
        path: std::path::PathBuf,
        /// What is wrong.
        why: Box<EmbedError>,
    },
    /// A server that makes vectors did not give them.
    #[error("{url} gave no vectors: {reason}")]
    Remote {
        /// What was asked.
        url: String,
        /// What went wrong, as half a sentence.
        reason: String,
    },
    /// A model's files contradict each other or its description.
    #[error("model `{model}` does not fit together: {reason}")]
    Mismatch {
        /// Name of the model.
        model: String,
        /// Which two things differ.
        reason: &'static str,
    },
}
