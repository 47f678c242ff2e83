//! Why the configuration or the environment cannot be used.

use session_core::DOCS_URL;
use session_core::text::join_alternatives;
use session_files::{FileError, path_line};
use session_models::ModelError;
use session_sources::agents;
use std::fmt::Write;
use std::path::PathBuf;

/// A mistake in the configuration, or a failure to read or write it.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file was refused, or the file system failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// A configuration file has a mistake.
    #[error("{}", format_mistake(path, *line, key.as_deref(), message))]
    Mistake {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The key in that line.
        key: Option<String>,
        /// The reason, as half a sentence.
        message: String,
    },
    /// A value does not fit its key.
    #[error("{0}")]
    Value(String),
    /// An environment variable has a value that does not fit its key.
    #[error("the variable {name} is `{}`: {message}", path_line(value.as_ref()))]
    Variable {
        /// Name of the variable.
        name: String,
        /// Its value.
        value: String,
        /// The reason, as half a sentence.
        message: String,
    },
    /// The `.env` of the endpoint cannot be read.
    #[error(transparent)]
    Endpoint(#[from] ModelError),
    /// The file that a key is set in is not TOML.
    #[error(transparent)]
    Toml(#[from] toml_edit::TomlError),
    /// The configuration cannot be formatted.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The working directory was deleted, or may not be read.
    #[error("the current folder cannot be found: it was deleted, or may not be read")]
    NoCurrentDirectory,
    /// The user has no home directory.
    #[error("there is no home folder")]
    NoHome,
}

impl ConfigError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint().map(str::to_owned),
            Self::Mistake { .. } => Some(format!(
                "{DOCS_URL}/configuration.md has the keys and their values; text stands in double quotes"
            )),
            Self::Variable { name, .. } => Some(format!(
                "{DOCS_URL}/configuration.md has the values; unset {name} to do without it"
            )),
            Self::NoCurrentDirectory => Some("go to a folder that is there".to_owned()),
            Self::NoHome => {
                let directories = agents().filter_map(|agent| agent.folders.first().copied());
                let directories = join_alternatives(directories);
                Some(format!("set HOME to the folder with your {directories}"))
            }
            Self::Endpoint(error) => error.hint(),
            Self::Value(_) | Self::Toml(_) | Self::Json(_) => None,
        }
    }
}

fn format_mistake(path: &std::path::Path, line: usize, key: Option<&str>, message: &str) -> String {
    let mut text = format!("{}, line {line}", path_line(path));
    if let Some(key) = key {
        let _ = write!(text, ", key `{key}`");
    }
    format!("{text}: {message}")
}

/// The result of this crate's functions.
pub type Result<T, E = ConfigError> = std::result::Result<T, E>;
