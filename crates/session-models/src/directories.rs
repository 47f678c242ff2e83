//! Directories of the configuration and of the models.

use std::path::{Path, PathBuf};

/// Name of the program's subdirectory in the XDG directories.
const SUBDIRECTORY: &str = "session-search";

/// The user's directories for this program. They need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDirectories {
    /// Configuration directory, with `config.toml`, `.env`, and the user's model descriptions
    /// in `models/`.
    pub config: PathBuf,
    /// Data directory, with one directory for each model in `models/`.
    pub data: PathBuf,
}

impl UserDirectories {
    /// Determines the directories from the home directory and environment variables.
    ///
    /// The configuration is in `SESSION_SEARCH_CONFIG`, else in `session-search` below
    /// `XDG_CONFIG_HOME` or `~/.config`. The data is in `session-search` below
    /// `XDG_DATA_HOME` or `~/.local/share`. Relative XDG paths are ignored.
    pub fn from_environment(home: &Path, var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| var(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let xdg = |name, default: &str| {
            let directory = set(name).filter(|path| path.is_absolute());
            directory
                .unwrap_or_else(|| home.join(default))
                .join(SUBDIRECTORY)
        };
        Self {
            config: set("SESSION_SEARCH_CONFIG")
                .unwrap_or_else(|| xdg("XDG_CONFIG_HOME", ".config")),
            data: xdg("XDG_DATA_HOME", ".local/share"),
        }
    }

    /// Returns the directory of the user's model descriptions.
    pub fn descriptions_dir(&self) -> PathBuf {
        self.config.join("models")
    }

    /// Returns the directory that contains the models' directories.
    pub fn models_dir(&self) -> PathBuf {
        self.data.join("models")
    }

    /// Returns the directory of a model's files.
    pub fn model_dir(&self, name: &str) -> PathBuf {
        self.models_dir().join(name)
    }
}
