//! Where a user's things are, as a value, so that tests need no process state.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The home folder and the environment variables that sources look at.
#[derive(Debug, Clone, Default)]
pub struct Env {
    /// The user's home folder.
    pub home: PathBuf,
    /// Environment variables.
    pub vars: HashMap<String, String>,
}

impl Env {
    /// A home folder and no variables.
    pub fn with_home(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            vars: HashMap::new(),
        }
    }

    /// Adds a variable.
    #[must_use]
    pub fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.insert(name.to_owned(), value.to_owned());
        self
    }

    /// A variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.vars
            .get(name)
            .map(String::as_str)
            .filter(|v| !v.is_empty())
    }

    /// A path from a variable, with a leading `~/` resolved.
    pub fn path(&self, value: &str) -> PathBuf {
        match value.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => PathBuf::from(value),
        }
    }
}
