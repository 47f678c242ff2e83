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
    /// Home folders of other machines, whose histories are read, too. No variable applies to them.
    pub other_homes: Vec<PathBuf>,
}

impl Env {
    /// Returns a home folder and no variables.
    pub fn with_home(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            ..Self::default()
        }
    }

    /// Adds a variable.
    #[must_use]
    pub fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Returns a variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.vars
            .get(name)
            .map(String::as_str)
            .filter(|v| !v.is_empty())
    }

    /// Returns true for a path in the home of another machine. Of two homes of which one lies in the other, the inner one
    /// counts.
    pub fn is_elsewhere(&self, path: &Path) -> bool {
        let depth = |home: &PathBuf| path.starts_with(home).then(|| home.components().count());
        self.other_homes.iter().filter_map(depth).max() > depth(&self.home)
    }

    /// Returns a path from a variable, with a leading `~/` resolved.
    pub fn path(&self, value: &str) -> PathBuf {
        match value.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => PathBuf::from(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_homes_within_each_other_the_inner_one_counts() {
        let env = Env {
            other_homes: vec!["/mnt".into(), "/mnt/ann/backup".into()],
            ..Env::with_home(Path::new("/mnt/ann"))
        };
        for (path, is_elsewhere) in [
            ("/mnt/.claude/a", true),
            ("/mnt/ann/.claude/a", false),
            ("/mnt/ann/backup/.claude/a", true),
            ("/srv/a", false),
            ("/mnt2/a", false),
        ] {
            assert_eq!(env.is_elsewhere(Path::new(path)), is_elsewhere, "{path}");
        }
        assert!(!Env::with_home(Path::new("/mnt")).is_elsewhere(Path::new("/mnt/a")));
    }
}
