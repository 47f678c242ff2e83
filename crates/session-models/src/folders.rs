//! Where the configuration and the models are.

use std::path::{Path, PathBuf};

/// Name of our folder in those that all programs share.
const OURS: &str = "session-search";

/// The user's folders for this program, whether they exist or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// Configuration: `config.toml`, `.env`, and `models/` with the user's own
    /// descriptions.
    pub config: PathBuf,
    /// What the program keeps: `models/` with a folder for each model.
    pub data: PathBuf,
}

impl Folders {
    /// The folders of who lives in `home` and has these variables:
    /// `SESSION_SEARCH_CONFIG`, else `session-search` in `XDG_CONFIG_HOME` or
    /// `~/.config`; `session-search` in `XDG_DATA_HOME` or `~/.local/share`.
    pub fn of(home: &Path, var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| var(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let shared = |name, usual: &str| {
            let named = set(name).filter(|path| path.is_absolute());
            named.unwrap_or_else(|| home.join(usual)).join(OURS)
        };
        Self {
            config: set("SESSION_SEARCH_CONFIG")
                .unwrap_or_else(|| shared("XDG_CONFIG_HOME", ".config")),
            data: shared("XDG_DATA_HOME", ".local/share"),
        }
    }

    /// Folder of the user's own descriptions of models.
    pub fn descriptions(&self) -> PathBuf {
        self.config.join("models")
    }

    /// Folder of all models' files.
    pub fn models(&self) -> PathBuf {
        self.data.join("models")
    }

    /// Folder of a model's files.
    pub fn model(&self, name: &str) -> PathBuf {
        self.models().join(name)
    }
}
