//! Finds histories below folders, by names and `stat` alone.

use crate::file::{self, FileKey};
use crate::folder_walk::{FolderWalk, HistoryFile, cannot_be_listed};
use crate::path_pattern::PathPattern;
use crate::warning::{warning, warning_of_kind};
use crate::{Env, IsKnownFile, Listing, Location, PathSession, Warning, WarningKind};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A folder that may hold histories of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryFolder {
    /// The folder.
    pub path: PathBuf,
    /// The variable by which the user named it: it should be there.
    pub named_by: Option<&'static str>,
}

impl HistoryFolder {
    /// Returns the folders that a variable lists, with commas between them; where it is not set, the
    /// `defaults` below the home folder.
    pub fn list(env: &Env, variable: Option<&'static str>, defaults: &[&str]) -> Vec<Self> {
        let named = variable.and_then(|name| Some((name, env.get(name)?)));
        let Some((name, list)) = named else {
            let paths = defaults.iter().map(|folder| env.home.join(folder));
            return paths.map(Self::unnamed).collect();
        };
        let names = list
            .split(',')
            .map(str::trim)
            .filter(|path| !path.is_empty());
        let folder = |path| Self {
            path: env.path(path),
            named_by: Some(name),
        };
        names.map(folder).collect()
    }

    /// Makes one that no variable names.
    pub fn unnamed(path: PathBuf) -> Self {
        Self {
            path,
            named_by: None,
        }
    }

    /// Returns a warning that says why it holds no histories, where the user named it.
    fn problem(&self, variable: &str, begins: &[Vec<&str>]) -> Option<Warning> {
        let warn = |kind, what: &str| {
            warning_of_kind(kind, &self.path, format!("{variable} names {what}"))
        };
        let holds = |begin: &Vec<&str>| join(&self.path, begin).exists();
        let what = match self.path.metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let what = "a folder that does not exist";
                return Some(warn(WarningKind::EmptyVariableFolder, what));
            }
            Err(_) => "a folder that cannot be read",
            Ok(metadata) if !metadata.is_dir() => "a file, not a folder",
            Ok(_) if begins.iter().any(holds) => return None,
            Ok(_) => {
                let folder = begins.first().map(|begin| begin.join("/"));
                let folder = folder.unwrap_or_default();
                let what = format!("a folder without a `{folder}` folder in it");
                return Some(warn(WarningKind::EmptyVariableFolder, &what));
            }
        };
        Some(warn(WarningKind::UnusableVariable, what))
    }
}

/// Parses the session from the path of a file below a folder; `None` for a file that is no history.
pub type ParsePathSession<'f> = dyn Fn(&Path) -> Option<PathSession> + Sync + 'f;

/// Histories as they are found.
pub struct HistorySearch<'k> {
    is_known: &'k IsKnownFile<'k>,
    listing: Listing,
    /// The location of each file, to list one that two paths lead to only once.
    met: FxHashMap<FileKey, usize>,
    /// The keys of known files.
    known: Vec<FileKey>,
}

impl Default for HistorySearch<'_> {
    fn default() -> Self {
        Self::new(&|_, _| false)
    }
}

impl<'k> HistorySearch<'k> {
    /// Begins a search that leaves out the files for which `is_known` is true.
    pub fn new(is_known: &'k IsKnownFile<'k>) -> Self {
        Self {
            is_known,
            listing: Listing::default(),
            met: FxHashMap::default(),
            known: Vec::new(),
        }
    }

    /// Adds the files below a folder whose paths match one of these patterns: `sessions/*/*.jsonl`,
    /// `**` for any folders. Where the folder is not there that costs one `stat`.
    pub fn add(
        &mut self,
        folder: &HistoryFolder,
        patterns: &[&str],
        session: &ParsePathSession<'_>,
    ) {
        let mut walks: BTreeMap<Vec<&str>, Vec<PathPattern<'_>>> = BTreeMap::new();
        let mut begins = Vec::new();
        for pattern in patterns {
            let (begin, rest) = PathPattern::new(pattern).split_literal();
            begins.push(begin.clone());
            walks.entry(begin).or_default().push(rest);
        }
        if let Some(variable) = folder.named_by {
            if let Some(problem) = folder.problem(variable, &begins) {
                return self.listing.warnings.push(problem);
            }
        } else {
            match file::is_folder(&folder.path) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => return self.warn(&folder.path, &cannot_be_listed(&error)),
            }
        }
        if folder.path.to_str().is_none() {
            self.listing
                .warnings
                .push(file::non_utf8_warning(&folder.path));
        }
        for (begin, patterns) in walks {
            let root = &folder.path;
            let walk = FolderWalk {
                root,
                patterns,
                session,
                is_known: self.is_known,
                skips_projects: folder.named_by.is_some(),
            };
            let found = walk.find(&join(root, &begin));
            self.listing.warnings.extend(found.warnings);
            self.known.extend(found.known);
            self.met.reserve(found.files.len());
            self.listing.locations.reserve(found.files.len());
            found.files.into_iter().for_each(|file| self.file(file));
        }
    }

    /// Returns the histories that were found, in the order of `sort`. A second path to a known file is left out.
    pub fn finish(self) -> Listing {
        let mut listing = self.listing;
        let known = self.known.iter().filter_map(|key| self.met.get(key));
        let mut known: Vec<usize> = known.copied().collect();
        known.sort_unstable_by_key(|at| Reverse(*at));
        known.dedup();
        for at in known {
            listing.locations.swap_remove(at);
        }
        drop_unpacked_twice(&mut listing.locations);
        sort(&mut listing.locations);
        listing
    }

    fn warn(&mut self, path: &Path, reason: &str) {
        self.listing.warnings.push(warning(path, reason));
    }

    fn file(&mut self, found: HistoryFile) {
        let location = Location {
            path: found.path,
            stamp: found.stamp,
            path_session: found.path_session,
            continuations: Vec::new(),
        };
        match self.met.entry(found.key) {
            Entry::Vacant(met) => {
                met.insert(self.listing.locations.len());
                self.listing.locations.push(location);
            }
            Entry::Occupied(met) => {
                let known = &mut self.listing.locations[*met.get()];
                // A session has the name of its file, not that of a link to it.
                if is_link(&known.path) && !is_link(&location.path) {
                    *known = location;
                }
            }
        }
    }
}

/// Listed files from which on threads are worth their start.
pub const MIN_PARALLEL_FILES: usize = 2048;

fn is_link(path: &Path) -> bool {
    fs_err::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

fn join(folder: &Path, names: &[&str]) -> PathBuf {
    names
        .iter()
        .fold(folder.to_owned(), |path, name| path.join(name))
}

/// Sorts histories: those of one session come before those of several, and the one that changed last is the last of its
/// kind.
pub(crate) fn sort(locations: &mut [Location]) {
    let order = |a: &Location, b: &Location| sort_key(a).cmp(&sort_key(b));
    if locations.len() >= MIN_PARALLEL_FILES {
        locations.par_sort_unstable_by(order)
    } else {
        locations.sort_unstable_by(order)
    }
}

fn sort_key(at: &Location) -> (bool, i64, &OsStr) {
    let is_last = at.path_session.session.is_none();
    (is_last, at.stamp.mtime_ns, at.path.as_os_str())
}

/// Returns true for a file that its agent packed. `Path::extension` would take each path apart.
pub fn is_packed(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().ends_with(b".zst")
}

/// Drops packed files beside which the unpacked file stands.
fn drop_unpacked_twice(locations: &mut Vec<Location>) {
    if !locations.iter().any(|at| is_packed(&at.path)) {
        return;
    }
    let paths: HashSet<PathBuf> = locations.iter().map(|at| at.path.clone()).collect();
    locations.retain(|at| !is_packed(&at.path) || !paths.contains(&at.path.with_extension("")));
}
