//! Walks down folders: each is listed, and the files in it are looked up relative to it, on all cores.
//!
//! `walkdir` lists on one thread, and gives no way to `stat` a file by its name in the open folder where links are
//! followed: over 20,000 files that took 60 ms.

use crate::file::file_key;
use crate::path_pattern::PathPattern;
use crate::reading::warning;
use crate::{LocateSession, Located, Warning};
use fs_err::DirEntry;
use rayon::prelude::*;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// Most levels of folders that are walked down.
const MAX_DEPTH: usize = 16;
/// Files in a folder from which on threads are worth their start.
const MIN_PARALLEL_FILES: usize = 512;
/// Folders of one level from which on threads are worth their start.
const MIN_PARALLEL_FOLDERS: usize = 32;

/// A walk below a folder.
pub(crate) struct FolderWalk<'w> {
    /// The folder that paths are told from.
    pub(crate) root: &'w Path,
    /// Of paths from the beginning of the walk on.
    pub(crate) patterns: Vec<PathPattern<'w>>,
    pub(crate) session: &'w LocateSession<'w>,
}

/// A file that may be a history.
pub(crate) struct FoundFile {
    pub(crate) path: PathBuf,
    pub(crate) metadata: Metadata,
    pub(crate) located: Located,
}

/// The files and folders that a walk met.
#[derive(Default)]
pub(crate) struct FolderListing {
    pub(crate) files: Vec<FoundFile>,
    pub(crate) warnings: Vec<Warning>,
    /// Folders that are still to be listed.
    folders: Vec<Folder>,
}

/// A folder on the way down.
struct Folder {
    path: PathBuf,
    /// Names of the folders from the beginning of the walk to this one.
    names: Vec<String>,
}

/// An entry of a folder.
struct Entry {
    path: PathBuf,
    names: Vec<String>,
    /// The entry in its open folder; none for the beginning of a walk.
    listed: Option<DirEntry>,
}

impl FolderWalk<'_> {
    /// Finds the files from `begin` on whose names match a pattern.
    pub(crate) fn find(&self, begin: &Path) -> FolderListing {
        let mut all = FolderListing::default();
        if begin.exists() {
            let begin = Entry {
                path: begin.to_owned(),
                names: Vec::new(),
                listed: None,
            };
            self.add(begin, &mut all);
        }
        while !all.folders.is_empty() {
            let folders = std::mem::take(&mut all.folders);
            let listings: Vec<FolderListing> = match folders.len() >= MIN_PARALLEL_FOLDERS {
                true => folders.par_iter().map(|f| self.list(f)).collect(),
                false => folders.iter().map(|f| self.list(f)).collect(),
            };
            listings.into_iter().for_each(|listing| all.append(listing));
        }
        all
    }

    /// Lists one folder.
    fn list(&self, folder: &Folder) -> FolderListing {
        let mut listing = FolderListing::default();
        let entries = match fs_err::read_dir(&folder.path) {
            Ok(entries) => entries,
            Err(error) => {
                listing.warn_of_error(&folder.path, &error);
                return listing;
            }
        };
        let mut wanted = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => wanted.extend(self.wanted(folder, entry)),
                Err(error) => listing.warn_of_error(&folder.path, &error),
            }
        }
        match wanted.len() >= MIN_PARALLEL_FILES {
            true => {
                let parts =
                    wanted
                        .into_par_iter()
                        .fold(FolderListing::default, |mut listing, entry| {
                            self.add(entry, &mut listing);
                            listing
                        });
                let parts: Vec<FolderListing> = parts.collect();
                parts.into_iter().for_each(|part| listing.append(part));
            }
            false => wanted
                .into_iter()
                .for_each(|entry| self.add(entry, &mut listing)),
        }
        listing
    }

    /// Returns an entry whose name may be a history's or lead to one.
    fn wanted(&self, folder: &Folder, listed: DirEntry) -> Option<Entry> {
        let name = listed.file_name();
        let name = name.to_string_lossy();
        let mut path: Vec<&str> = folder.names.iter().map(String::as_str).collect();
        path.push(&name);
        let may_be_folder = listed
            .file_type()
            .is_ok_and(|kind| kind.is_dir() || kind.is_symlink());
        let is_wanted = |pattern: &PathPattern<'_>| {
            pattern.matches(&path) || may_be_folder && pattern.may_match_below(&path)
        };
        self.patterns.iter().any(is_wanted).then(|| Entry {
            path: listed.path(),
            names: path.iter().map(|name| (*name).to_owned()).collect(),
            listed: Some(listed),
        })
    }

    /// Adds an entry to what is found, or to the folders that are still to be listed.
    fn add(&self, entry: Entry, listing: &mut FolderListing) {
        let metadata = match entry.metadata() {
            Ok(metadata) => metadata,
            Err(error) => return listing.warn_of_error(&entry.path, &error),
        };
        let names: Vec<&str> = entry.names.iter().map(String::as_str).collect();
        let is_match = self.patterns.iter().any(|p| p.matches(&names));
        if metadata.is_dir() && names.len() < MAX_DEPTH {
            let leads = self.patterns.iter().any(|p| p.may_match_below(&names));
            match (leads, entry.leads_back(&metadata)) {
                (true, true) => {
                    let reason = "symbolic link leads back to a folder above it";
                    return listing.warn(&entry.path, reason);
                }
                (true, false) => listing.folders.push(Folder {
                    path: entry.path.clone(),
                    names: entry.names.clone(),
                }),
                (false, _) => {}
            }
        }
        if is_match {
            self.add_match(entry.path, metadata, listing);
        }
    }

    /// Adds what has the path of a history.
    fn add_match(&self, path: PathBuf, metadata: Metadata, listing: &mut FolderListing) {
        if path.file_name().is_none_or(|name| name.to_str().is_none()) {
            return listing.warn(&path, "has a name that is not UTF-8");
        }
        let below = path.strip_prefix(self.root);
        let Some(located) = below.ok().and_then(self.session) else {
            return;
        };
        if metadata.is_dir() {
            return listing.warn(&path, "is a folder, not a transcript");
        }
        listing.files.push(FoundFile {
            path,
            metadata,
            located,
        });
    }
}

impl Entry {
    fn is_link(&self) -> bool {
        let kind = self.listed.as_ref().map(DirEntry::file_type);
        kind.is_some_and(|kind| kind.is_ok_and(|kind| kind.is_symlink()))
    }

    /// Returns the metadata of the file, that of its target for a link. On Windows a folder has the size that a
    /// file had when it was closed last.
    fn metadata(&self) -> io::Result<Metadata> {
        match &self.listed {
            Some(listed) if !cfg!(windows) && !self.is_link() => listed.metadata(),
            _ => fs_err::metadata(&self.path),
        }
    }

    /// Returns true for a link to a folder in which it is.
    fn leads_back(&self, metadata: &Metadata) -> bool {
        let key = |path: &Path| Some(file_key(path, &fs_err::metadata(path).ok()?));
        let target = || Some(file_key(&self.path, metadata));
        let mut above = self.path.ancestors().skip(1).take(self.names.len());
        self.is_link() && above.any(|folder| key(folder) == target())
    }
}

impl FolderListing {
    fn append(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.warnings.append(&mut other.warnings);
        self.folders.append(&mut other.folders);
    }

    fn warn(&mut self, path: &Path, reason: &str) {
        self.warnings.push(warning(path, reason));
    }

    fn warn_of_error(&mut self, path: &Path, error: &io::Error) {
        self.warn(path, &format!("cannot be listed: {}", error.kind()));
    }
}
