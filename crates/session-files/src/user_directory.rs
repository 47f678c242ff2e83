//! The directories that the program keeps for its user.

use std::path::{Path, PathBuf};

/// Name of the program's own directory.
const NAME: &str = "session-search";

/// The kinds of the user's directories, by their content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserDirectoryKind {
    /// The user's decisions: the configuration.
    Config,
    /// Data that cannot be made again: models, the state of memories.
    Data,
    /// Data that can be made again: the index.
    Cache,
}

/// Returns the program's directory of a kind; it need not exist. It is `session-search` in the XDG base
/// directory (`~/.config`, `~/.local/share`, `~/.cache`, or what the variable names). On Windows
/// it is, without such a variable, a directory in `%LOCALAPPDATA%\session-search`: nothing of it roams to another
/// machine. Relative paths in variables are ignored.
pub fn user_directory(
    kind: UserDirectoryKind,
    home: &Path,
    var: impl Fn(&str) -> Option<String>,
) -> PathBuf {
    let set = |name| {
        var(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    match set(kind.xdg_variable()) {
        Some(base) => base.join(NAME),
        None => kind.default_directory(home, set),
    }
}

impl UserDirectoryKind {
    fn xdg_variable(self) -> &'static str {
        match self {
            Self::Config => "XDG_CONFIG_HOME",
            Self::Data => "XDG_DATA_HOME",
            Self::Cache => "XDG_CACHE_HOME",
        }
    }

    #[cfg(not(windows))]
    fn default_directory(
        self,
        home: &Path,
        _: impl Fn(&'static str) -> Option<PathBuf>,
    ) -> PathBuf {
        let base = match self {
            Self::Config => ".config",
            Self::Data => ".local/share",
            Self::Cache => ".cache",
        };
        home.join(base).join(NAME)
    }

    #[cfg(windows)]
    fn default_directory(
        self,
        home: &Path,
        set: impl Fn(&'static str) -> Option<PathBuf>,
    ) -> PathBuf {
        let local = set("LOCALAPPDATA").unwrap_or_else(|| home.join("AppData").join("Local"));
        local.join(NAME).join(match self {
            Self::Config => "config",
            Self::Data => "data",
            Self::Cache => "cache",
        })
    }
}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn the_directories_are_local_to_the_machine() {
        use UserDirectoryKind::{Cache, Config, Data};
        let home = Path::new(r"C:\Users\ann");
        let var = |name: &str| (name == "LOCALAPPDATA").then(|| r"D:\local".to_owned());
        let path = |kind| user_directory(kind, home, var);
        assert_eq!(path(Config), Path::new(r"D:\local\session-search\config"));
        assert_eq!(path(Data), Path::new(r"D:\local\session-search\data"));
        let cache = user_directory(Cache, home, |_| None);
        let expected = r"C:\Users\ann\AppData\Local\session-search\cache";
        assert_eq!(cache, Path::new(expected));
        let xdg = |name: &str| (name == "XDG_CACHE_HOME").then(|| r"E:\cache".to_owned());
        let cache = user_directory(Cache, home, xdg);
        assert_eq!(cache, Path::new(r"E:\cache\session-search"));
    }
}
