//! Errors of the configuration and the environment.

use session_core::DOCS_URL;
use session_core::text::{join_alternatives, path_line};
use session_files::{FileError, HOME_VARIABLE};
use session_models::ModelError;
use session_sources::agents;
use std::path::{Path, PathBuf};

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
    /// The path of the index, which has to be a directory, is a file.
    #[error("the folder of the index, `{}`, is a file", path_line(.0))]
    IndexIsFile(PathBuf),
    /// The user's home directory, which would hold the index, does not exist.
    #[error("the home folder `{}` does not exist", path_line(.0))]
    MissingHome(PathBuf),
}

impl ConfigError {
    /// Returns what to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint().map(str::to_owned),
            Self::Mistake { message, .. } => {
                let known = UnknownName::split(message).known;
                let known = known.map_or(String::new(), |names| format!("known are {names}; "));
                let quotes = if message.contains("quote") {
                    "; text stands in double quotes"
                } else {
                    ""
                };
                Some(format!(
                    "{known}{DOCS_URL}/configuration.md has the keys and their values{quotes}"
                ))
            }
            Self::Variable { name, .. } => Some(format!(
                "{DOCS_URL}/configuration.md has the values; unset {name} to do without it"
            )),
            Self::NoCurrentDirectory => Some("go to a folder that is there".to_owned()),
            Self::NoHome => {
                let directories = agents().filter_map(|agent| agent.folders.first().copied());
                let directories = join_alternatives(directories);
                Some(format!("set HOME to the folder with your {directories}"))
            }
            Self::MissingHome(_) => Some(format!(
                "correct {HOME_VARIABLE}, or name a folder for the index by SESSION_SEARCH_HOME"
            )),
            Self::IndexIsFile(_) => {
                let hint = "name a folder by SESSION_SEARCH_HOME; it is made where there is none";
                Some(hint.to_owned())
            }
            Self::Endpoint(error) => error.hint(),
            Self::Value(_) | Self::Toml(_) | Self::Json(_) => None,
        }
    }
}

/// Words of the parser that say no more than that a value cannot be used.
const DUPLICATE_KEY: &str = "duplicate key";
const UNKNOWN_KEY: &str = "unknown key ";
const INVALID_VALUE: [&str; 2] = ["invalid type: ", "invalid value: "];

/// Formats what is wrong, with the key unless the message names it, then where. The hint lists known names.
fn format_mistake(path: &Path, line: usize, key: Option<&str>, message: &str) -> String {
    let what = UnknownName::split(message).message;
    let reason = INVALID_VALUE
        .iter()
        .find_map(|begin| what.strip_prefix(begin));
    let is_named = |key: &str| {
        [format!("`{key}`"), format!(" in {key} ")]
            .iter()
            .any(|name| what.contains(name))
    };
    // One that is missing (`= 3`) is the empty text.
    let key = key.filter(|key| !key.is_empty() && !is_named(key));
    let what = match (key, reason) {
        (Some(key), _) if what == DUPLICATE_KEY => format!("`{key}` is given twice"),
        (Some(key), Some(reason)) => format!("`{key}` has an invalid value: {reason}"),
        (Some(key), None) if !what.starts_with(UNKNOWN_KEY) => {
            format!("`{key}` has an invalid value: {what}")
        }
        _ => what.to_owned(),
    };
    format!("{what} (line {line} of {})", path_line(path))
}

/// A message of the parser, apart from the names that it knows where the message is about an unknown one.
struct UnknownName<'m> {
    message: &'m str,
    known: Option<&'m str>,
}

impl<'m> UnknownName<'m> {
    fn split(message: &'m str) -> Self {
        let is_unknown = message.starts_with("unknown ");
        match message.split_once(", expected ").filter(|_| is_unknown) {
            Some((message, names)) => Self {
                message,
                known: Some(names.trim_start_matches("one of ")),
            },
            None => Self {
                message,
                known: None,
            },
        }
    }
}

/// The result of this crate's functions.
pub type Result<T, E = ConfigError> = std::result::Result<T, E>;
