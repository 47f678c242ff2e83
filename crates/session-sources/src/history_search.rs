//! Finds histories below folders, by names and `stat` alone.

use crate::file::{self, FileKey, file_key, stamp};
use crate::path_pattern::PathPattern;
use crate::reading::warning;
use crate::{Env, Listing, Located, Location};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// Most levels of folders that are walked down.
const MAX_DEPTH: usize = 16;
/// Files from which on threads are worth their start.
const MIN_PARALLEL: usize = 512;

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

    /// Why it holds no histories, where the user named it.
    fn problem(&self, variable: &str, begins: &[Vec<&str>]) -> Option<String> {
        let holds = |begin: &Vec<&str>| join(&self.path, begin).exists();
        let what = match self.path.metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => "a folder that does not exist",
            Err(_) => "a folder that cannot be read",
            Ok(metadata) if !metadata.is_dir() => "a file, not a folder",
            Ok(_) if begins.iter().any(holds) => return None,
            Ok(_) => {
                let folder = begins.first().map(|begin| begin.join("/"));
                let folder = folder.unwrap_or_default();
                return Some(format!(
                    "{variable} names a folder without a `{folder}` folder in it"
                ));
            }
        };
        Some(format!("{variable} names {what}"))
    }
}

/// Tells the session of a file by its path below a folder; `None` for a file that is no history.
pub type LocateSession<'f> = dyn Fn(&Path) -> Option<Located> + 'f;

/// Histories as they are found.
#[derive(Debug, Default)]
pub struct HistorySearch {
    listing: Listing,
    /// Files met, to list one that two paths lead to only once.
    met: HashSet<FileKey>,
}

impl HistorySearch {
    /// Adds the files below a folder whose paths match one of these patterns: `sessions/*/*.jsonl`,
    /// `**` for any folders. Where the folder is not there that costs one `stat`.
    pub fn add(&mut self, folder: &HistoryFolder, patterns: &[&str], session: &LocateSession<'_>) {
        let mut walks: BTreeMap<Vec<&str>, Vec<PathPattern<'_>>> = BTreeMap::new();
        let mut begins = Vec::new();
        for pattern in patterns {
            let (begin, rest) = PathPattern::new(pattern).split_literal();
            begins.push(begin.clone());
            walks.entry(begin).or_default().push(rest);
        }
        if let Some(variable) = folder.named_by {
            if let Some(reason) = folder.problem(variable, &begins) {
                return self.warn(&folder.path, &reason);
            }
        } else if !folder.path.is_dir() {
            return;
        }
        for (begin, patterns) in walks {
            let root = &folder.path;
            HistoryWalk {
                search: self,
                root,
                patterns,
                session,
            }
            .walk(&join(root, &begin));
        }
    }

    /// Returns what was found: histories of one session before those of several, those changed last
    /// at the end.
    pub fn finish(self) -> Listing {
        let mut listing = self.listing;
        drop_unpacked_twice(&mut listing.locations);
        sort(&mut listing.locations);
        listing
    }

    fn warn(&mut self, path: &Path, reason: &str) {
        self.listing.warnings.push(warning(path, reason));
    }

    fn file(&mut self, path: &Path, metadata: &Metadata, located: Located) {
        if !metadata.is_file() {
            return self.warn(path, file::NOT_REGULAR);
        }
        if metadata.len() > 0 && self.met.insert(file_key(path, metadata)) {
            self.listing.locations.push(Location {
                path: path.to_owned(),
                stamp: stamp(metadata),
                located,
                continuations: Vec::new(),
            });
        }
    }
}

fn join(folder: &Path, names: &[&str]) -> PathBuf {
    names
        .iter()
        .fold(folder.to_owned(), |path, name| path.join(name))
}

/// Sorts histories of one session before those of several, those changed last to the end.
pub(crate) fn sort(locations: &mut [Location]) {
    locations.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
}

fn sort_key(at: &Location) -> (bool, i64, &OsStr) {
    let is_last = at.located.session.is_none();
    (is_last, at.stamp.mtime_ns, at.path.as_os_str())
}

/// Where a file and its packed form stand side by side, the file counts.
fn drop_unpacked_twice(locations: &mut Vec<Location>) {
    let is_packed = |path: &Path| path.extension().is_some_and(|extension| extension == "zst");
    if !locations.iter().any(|at| is_packed(&at.path)) {
        return;
    }
    let paths: HashSet<PathBuf> = locations.iter().map(|at| at.path.clone()).collect();
    locations.retain(|at| !is_packed(&at.path) || !paths.contains(&at.path.with_extension("")));
}

/// A walk below a folder.
struct HistoryWalk<'w> {
    search: &'w mut HistorySearch,
    /// The folder that paths are told from.
    root: &'w Path,
    /// Of paths from the beginning of the walk on.
    patterns: Vec<PathPattern<'w>>,
    session: &'w LocateSession<'w>,
}

impl HistoryWalk<'_> {
    fn walk(&mut self, begin: &Path) {
        if !begin.exists() {
            return;
        }
        let patterns = self.patterns.clone();
        let walk = WalkDir::new(begin).follow_links(true).max_depth(MAX_DEPTH);
        let leads = |entry: &DirEntry| {
            let path = components(entry.path(), begin);
            let path: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
            let is_folder = entry.file_type().is_dir();
            patterns
                .iter()
                .any(|p| p.matches(&path) || (is_folder && p.may_match_below(&path)))
        };
        let mut found = Vec::new();
        for entry in walk.into_iter().filter_entry(leads) {
            match entry {
                Ok(entry) => found.extend(self.locate(entry, begin)),
                Err(error) => self.warn_of_walk(begin, &error),
            }
        }
        // Most of the time of a listing is that of `stat`, which many threads may call.
        let metadata: Vec<_> = match found.len() >= MIN_PARALLEL {
            true => found
                .par_iter()
                .map(|(entry, _)| entry.metadata())
                .collect(),
            false => found.iter().map(|(entry, _)| entry.metadata()).collect(),
        };
        for ((entry, located), metadata) in found.into_iter().zip(metadata) {
            match metadata {
                Ok(metadata) => self.search.file(entry.path(), &metadata, located),
                Err(error) => self.warn_of_walk(entry.path(), &error),
            }
        }
    }

    /// Returns an entry of a walk with what its path tells, if it may be a history.
    fn locate(&mut self, entry: DirEntry, begin: &Path) -> Option<(DirEntry, Located)> {
        let names = components(entry.path(), begin);
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        if !self.patterns.iter().any(|pattern| pattern.matches(&names)) {
            return None;
        }
        if entry.file_name().to_str().is_none() {
            let reason = "has a name that is not UTF-8";
            self.search.warn(entry.path(), reason);
            return None;
        }
        let below = entry.path().strip_prefix(self.root);
        let located = below.ok().and_then(self.session)?;
        if entry.file_type().is_dir() {
            let reason = "is a folder, not a transcript";
            self.search.warn(entry.path(), reason);
            return None;
        }
        Some((entry, located))
    }

    fn warn_of_walk(&mut self, begin: &Path, error: &walkdir::Error) {
        let path = error.path().unwrap_or(begin);
        let reason = match (error.loop_ancestor(), error.io_error()) {
            (Some(_), _) => "symbolic link leads back to a folder above it".to_owned(),
            (_, Some(error)) => error.to_string(),
            _ => error.to_string(),
        };
        self.search.warn(path, &reason);
    }
}

/// The names of the folders from `begin` on, and of the file.
fn components<'p>(path: &'p Path, begin: &Path) -> Vec<Cow<'p, str>> {
    let below = path.strip_prefix(begin).unwrap_or(path);
    let names = below.components();
    names
        .map(|name| name.as_os_str().to_string_lossy())
        .collect()
}
