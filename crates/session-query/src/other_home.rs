//! Home folders of other machines, as the configuration lists them.

use serde::{Serialize, Serializer};
use session_sources::{Env, sources};
use std::path::{Path, PathBuf};

/// Most folders in a home that are looked through for the one that was meant.
const MAX_FOLDERS: usize = 100;

/// A home folder of another machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OtherHome {
    /// The folder.
    #[serde(serialize_with = "serialize_path")]
    pub path: PathBuf,
    /// Whether it exists: one that is mounted at times may not.
    pub exists: bool,
    /// Whether a history of an agent is found in it.
    pub has_history: bool,
    /// A folder above or in it that has one, where it has none.
    #[serde(skip)]
    pub meant: Option<PathBuf>,
}

impl OtherHome {
    /// Returns those that are configured, as they are now.
    pub fn all(env: &Env) -> Vec<Self> {
        let homes = env.other_homes.iter().cloned();
        homes.map(|path| Self::new(path, &env.home)).collect()
    }

    fn new(path: PathBuf, own: &Path) -> Self {
        let exists = path.is_dir();
        let has_history = exists && has_history(&path);
        Self {
            meant: if exists && !has_history {
                find_meant_home(&path, own)
            } else {
                None
            },
            has_history,
            exists,
            path,
        }
    }

    /// Returns what is wrong with a home that exists without a history, and what helps. A home with an empty folder for
    /// histories is right: agents delete old sessions.
    pub fn describe_missing_history(&self) -> Option<String> {
        let hint = match &self.meant {
            Some(meant) => format!("`{}` has one", meant.display()),
            None => "a home is the folder that holds the folders of the agents".to_owned(),
        };
        (self.exists && !self.has_history && !has_history_folder(&self.path))
            .then(|| format!("no agent's history is found in it; {hint}"))
    }
}

fn has_history(home: &Path) -> bool {
    let env = Env::with_home(home);
    let mut listings = sources().iter().map(|source| source.locate(&env));
    listings.any(|listing| !listing.locations.is_empty())
}

/// Returns true if a folder is there in which an agent keeps its sessions.
fn has_history_folder(home: &Path) -> bool {
    let mut agents = sources().iter().map(|source| source.agent());
    agents.any(|agent| {
        let is_there = |folder: &Path| {
            let names = agent.session_paths.iter();
            let mut names = names.filter_map(|path| path.split('/').next());
            names.any(|name| folder.join(name).is_dir())
        };
        let mut folders = agent.folders.iter();
        folders.any(|folder| is_there(&home.join(folder)))
    })
}

/// Finds the home that was meant by a folder in it or above it; none that is the user's own or holds that.
fn find_meant_home(named: &Path, own: &Path) -> Option<PathBuf> {
    let entries = fs_err::read_dir(named).ok()?.flatten().take(MAX_FOLDERS);
    let below = entries.map(|entry| entry.path());
    let below = below.filter(|path| path.is_dir());
    let above = named.ancestors().skip(1).map(Path::to_owned);
    let mut others = below.chain(above).filter(|path| !own.starts_with(path));
    others.find(|path| has_history(path))
}

/// Serializes a path of any bytes.
fn serialize_path<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_beside_the_home_that_was_meant_names_that() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("ann");
        for home in ["ann", "ann/backup/old"] {
            let project = folder
                .path()
                .join(home)
                .join(".claude/projects/-home-ann-app");
            fs_err::create_dir_all(&project).unwrap();
            let file = project.join("a1000000-0000-4000-8000-000000000001.jsonl");
            fs_err::write(file, "{}\n").unwrap();
        }
        fs_err::create_dir(own.join("empty")).unwrap();
        let read = |path: &str| OtherHome::new(own.join(path), &own);
        let old = own.join("backup/old");
        assert!(read("backup/old").has_history && read("backup/old").meant.is_none());
        for wrong in [
            "backup",
            "backup/old/.claude",
            "backup/old/.claude/projects",
        ] {
            let home = read(wrong);
            assert_eq!((home.has_history, home.meant.as_ref()), (false, Some(&old)));
            let text = home.describe_missing_history().unwrap();
            assert!(
                text.ends_with(&format!("`{}` has one", old.display())),
                "{text}"
            );
        }
        assert_eq!(read("empty").meant, None, "not the user's own");
        assert_eq!(read("missing").describe_missing_history(), None);
        assert!(read("empty").describe_missing_history().is_some());
        fs_err::create_dir_all(own.join("empty/.config/claude/projects")).unwrap();
        assert_eq!(read("empty").describe_missing_history(), None);
    }
}
