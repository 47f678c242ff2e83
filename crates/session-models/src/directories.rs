//! Directories of the configuration and of the models.

use session_files::{UserDirectoryKind, user_directory};
use std::path::{Path, PathBuf};

/// Name of the configuration file in the directory of the configuration.
pub const CONFIG_FILE: &str = "config.toml";
/// Name of the file beside it with the variables of the endpoint.
pub const ENV_FILE: &str = ".env";

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
    /// The configuration is in `SESSION_SEARCH_CONFIG`, else in [`UserDirectoryKind::Config`]; the data in
    /// [`UserDirectoryKind::Data`].
    pub fn from_environment(home: &Path, var: impl Fn(&str) -> Option<String>) -> Self {
        let chosen = var("SESSION_SEARCH_CONFIG").filter(|v| !v.is_empty());
        let directory = |kind| user_directory(kind, home, &var);
        Self {
            config: chosen.map_or_else(|| directory(UserDirectoryKind::Config), PathBuf::from),
            data: directory(UserDirectoryKind::Data),
        }
    }

    /// Returns the path of the user's configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.config.join(CONFIG_FILE)
    }

    /// Returns the path of the file with the variables of the endpoint.
    pub fn env_file(&self) -> PathBuf {
        self.config.join(ENV_FILE)
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
