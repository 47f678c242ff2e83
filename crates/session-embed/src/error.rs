//! Errors of models.

use thiserror::Error;

/// A model that cannot be opened, or a text that cannot be embedded.
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
        /// The kind of file: `token table`, `vocabulary`.
        file: &'static str,
        /// The damage, as half a sentence.
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
        /// The error there.
        why: Box<EmbedError>,
    },
    /// A server that makes vectors did not give them.
    #[error("{url} gave no vectors: {reason}")]
    Remote {
        /// The address of the server.
        url: String,
        /// The failure, as half a sentence.
        reason: String,
        /// The HTTP status of its answer, where that is the failure.
        status: Option<u16>,
    },
    /// A model's files contradict each other or its description.
    #[error("model `{model}` does not fit together: {reason}")]
    Mismatch {
        /// Name of the model.
        model: String,
        /// The two things that differ.
        reason: &'static str,
    },
}

impl EmbedError {
    /// Returns what a user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Remote { status, .. } => Some(remote_hint(*status)),
            Self::At { why, .. } => why.hint(),
            _ => None,
        }
    }
}

/// Adds the command that chooses the bundled model to an advice.
macro_rules! or_use_bundled {
    ($advice:literal) => {
        if cfg!(feature = "minilm") {
            concat!(
                $advice,
                ", or run `session-search model use all-minilm-l6-v2`"
            )
        } else {
            concat!($advice, ", or run `session-search model use table`")
        }
    };
}

/// Returns the advice on an endpoint that failed, by the HTTP status of its answer.
fn remote_hint(status: Option<u16>) -> &'static str {
    match status {
        Some(401 | 403) => or_use_bundled!(
            "see that its key is right (`api_key` in [remote], or EMBEDDINGS_API_KEY)"
        ),
        Some(404) => or_use_bundled!("see that its address and its model are right"),
        Some(429) => or_use_bundled!("it gets too many requests: try again later"),
        Some(500..) => or_use_bundled!("the server has an error of its own: try again later"),
        _ => or_use_bundled!("see that the endpoint runs and that its key and model are right"),
    }
}
