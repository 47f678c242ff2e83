//! Errors of the steps of setup.

use session_agents::AgentError;
use session_config::ConfigError;
use session_core::text::path_line;
use session_files::FileError;
use session_models::ModelError;
use session_query::QueryError;
use std::path::PathBuf;

/// The reason for which a step failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The dialog cannot be read or written, or the program not be named.
    #[error(transparent)]
    Dialog(#[from] std::io::Error),
    /// A file of an agent does not fit the change, or cannot be written.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A model is unknown, or cannot be pulled.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The configuration cannot be written.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The configuration cannot be read or written.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The record of what was written cannot be read or written.
    #[error(transparent)]
    Record(#[from] FileError),
    /// The record of what was written is damaged.
    #[error(
        "the record of what `setup` wrote, `{}`, is damaged: {reason}",
        path_line(path)
    )]
    DamagedRecord {
        /// The file.
        path: PathBuf,
        /// The mistake.
        reason: String,
    },
    /// Options name no endpoint.
    #[error("`--remote` and `--model` name no endpoint: {reason}")]
    NoEndpoint {
        /// The reason, as half a sentence.
        reason: String,
    },
    /// The skill is to be allowed, and there is none.
    #[error("there is no skill that Claude Code could load")]
    NoSkill,
}

/// A result of this crate.
pub type Result<T, E = SetupError> = std::result::Result<T, E>;
