//! Walks down folders: each is listed, and the files in it are looked up relative to it, on all cores.
//!
//! `walkdir` lists on one thread, and gives no way to `stat` a file by its name in the open folder where links are
//! followed: over 20,000 files that took 60 ms.

use crate::file::{self, FileKey, file_key};
use crate::path_pattern::{PathMatcher, PathPattern};
use crate::warning::{warning, warning_of_kind};
use crate::{IsKnownFile, ParsePathSession, PathSession, Warning, WarningKind};
use fs_err::DirEntry;
use rayon::prelude::*;
use session_core::FileStamp;
use session_core::text::path_line;
use session_files::is_project_mark;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// Most levels of folders that are walked down.
const MAX_DEPTH: usize = 16;
/// Files in a folder from which on threads are worth their start.
const MIN_PARALLEL_ENTRIES: usize = 512;
/// Folders of one level from which on threads are worth their start.
const MIN_PARALLEL_FOLDERS: usize = 32;

/// A walk below a folder.
pub(crate) struct FolderWalk<'w> {
    /// The folder that paths are relative to.
    pub(crate) root: &'w Path,
    /// Of paths from the beginning of the walk on.
    pub(crate) patterns: Vec<PathPattern<'w>>,
    pub(crate) session: &'w ParsePathSession<'w>,
    /// Of known files the key alone is kept.
    pub(crate) is_known: &'w IsKnownFile<'w>,
    /// Folders below `root` that are projects are left out: a variable, which a project can set, named the root.
    pub(crate) skips_projects: bool,
}

/// A file that is a history.
pub(crate) struct HistoryFile {
    pub(crate) path: PathBuf,
    pub(crate) stamp: FileStamp,
    pub(crate) key: FileKey,
    pub(crate) path_session: PathSession,
}

/// The files and folders that a walk met.
#[derive(Default)]
pub(crate) struct FolderListing<'w> {
    pub(crate) files: Vec<HistoryFile>,
    /// The keys of known files.
    pub(crate) known: Vec<FileKey>,
    pub(crate) warnings: Vec<Warning>,
    /// Folders that are still to be listed.
    folders: Vec<Folder<'w>>,
}

/// A folder on the way down.
struct Folder<'w> {
    path: PathBuf,
    /// How many folders it is below the beginning of the walk.
    depth: usize,
    matcher: PathMatcher<'w>,
}

/// An entry of a folder.
struct Entry<'w> {
    path: PathBuf,
    depth: usize,
    /// A pattern describes it.
    is_match: bool,
    /// Finds what is below it, where it may be a folder.
    matcher: PathMatcher<'w>,
    /// The entry in its open folder; none for the beginning of a walk.
    listed: Option<DirEntry>,
}

impl FolderWalk<'_> {
    /// Finds the histories from `begin` on whose names match a pattern.
    pub(crate) fn find(&self, begin: &Path) -> FolderListing<'_> {
        let mut all = FolderListing::default();
        let exists = begin.try_exists();
        if let Err(error) = &exists {
            all.warn_of_error(begin, error);
        }
        if exists.unwrap_or_default() {
            let matcher = PathMatcher::new(&self.patterns);
            let begin = Entry {
                path: begin.to_owned(),
                depth: 0,
                is_match: matcher.is_match(),
                matcher,
                listed: None,
            };
            self.add(begin, &mut all);
        }
        while !all.folders.is_empty() {
            let folders = std::mem::take(&mut all.folders);
            let listings: Vec<FolderListing<'_>> = if folders.len() >= MIN_PARALLEL_FOLDERS {
                folders.par_iter().map(|f| self.list(f)).collect()
            } else {
                folders.iter().map(|f| self.list(f)).collect()
            };
            listings.into_iter().for_each(|listing| all.append(listing));
        }
        all
    }

    /// Lists one folder.
    fn list<'w>(&self, folder: &Folder<'w>) -> FolderListing<'w> {
        let mut listing = FolderListing::default();
        if folder
            .path
            .file_name()
            .is_some_and(|name| name.to_str().is_none())
        {
            listing.warnings.push(file::non_utf8_warning(&folder.path));
        }
        let entries = match fs_err::read_dir(&folder.path) {
            Ok(entries) => entries,
            Err(error) => {
                listing.warn_of_error(&folder.path, &error);
                return listing;
            }
        };
        let mut wanted = Vec::new();
        let mut is_project = false;
        for entry in entries {
            match entry {
                Ok(entry) => {
                    is_project |= self.skips_projects
                        && is_project_mark(&file::path_text(&entry.file_name()));
                    wanted.extend(wanted_entry(folder, entry));
                }
                Err(error) => listing.warn_of_error(&folder.path, &error),
            }
        }
        if is_project && folder.path != self.root {
            if wanted.iter().any(|entry| entry.is_match) {
                let reason = "is a project, of which no file is a history";
                let warning = warning_of_kind(WarningKind::Project, &folder.path, reason);
                listing.warnings.push(warning);
            }
            return listing;
        }
        if wanted.len() >= MIN_PARALLEL_ENTRIES {
            let parts =
                wanted
                    .into_par_iter()
                    .fold(FolderListing::default, |mut listing, entry| {
                        self.add(entry, &mut listing);
                        listing
                    });
            let parts: Vec<FolderListing<'_>> = parts.collect();
            parts.into_iter().for_each(|part| listing.append(part));
        } else {
            wanted
                .into_iter()
                .for_each(|entry| self.add(entry, &mut listing))
        }
        listing
    }

    /// Adds an entry to what is found, or to the folders that are still to be listed.
    fn add<'w>(&self, entry: Entry<'w>, listing: &mut FolderListing<'w>) {
        let metadata = match entry.metadata() {
            Ok(metadata) => metadata,
            // What a link led to may be back later, so its files are not gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return listing.warn_of_no_file(&entry.path, &cannot_be_listed(&error));
            }
            Err(error) => return listing.warn_of_error(&entry.path, &error),
        };
        let is_folder = metadata.is_dir() && entry.depth < MAX_DEPTH;
        if is_folder && entry.matcher.may_match_below() {
            if entry.leads_back(&metadata) {
                let reason = "symbolic link leads back to a folder above it";
                return listing.warn_of_no_file(&entry.path, reason);
            }
            listing.folders.push(Folder {
                path: entry.path.clone(),
                depth: entry.depth,
                matcher: entry.matcher.clone(),
            });
        }
        if entry.is_match {
            self.add_match(entry, &metadata, listing);
        }
    }

    /// Adds what has the path of a history.
    fn add_match(&self, entry: Entry<'_>, metadata: &Metadata, listing: &mut FolderListing<'_>) {
        let path = entry.path;
        let stamp = file::stamp(metadata);
        if metadata.is_file() && (self.is_known)(&path, stamp) {
            return listing.known.push(file_key(&path, metadata));
        }
        if path.file_name().is_none_or(|name| name.to_str().is_none()) {
            let reason = "has a name that is not UTF-8";
            let warning = warning_of_kind(WarningKind::NonUtf8Name, &path, reason);
            return listing.warnings.push(warning);
        }
        let below = path.strip_prefix(self.root).unwrap_or(&path);
        let Some(path_session) = (self.session)(below) else {
            return;
        };
        if metadata.is_dir() {
            let reason = "is a folder, not a transcript";
            let warning = warning_of_kind(WarningKind::UnexpectedFolder, &path, reason);
            return listing.warnings.push(warning);
        }
        if !metadata.is_file() {
            return listing.warn_of_no_file(&path, file::NOT_REGULAR);
        }
        if metadata.len() > 0 {
            listing.files.push(HistoryFile {
                stamp,
                key: file_key(&path, metadata),
                path,
                path_session,
            });
        }
    }
}

/// Returns an entry whose name may be a history's or lead to one.
fn wanted_entry<'w>(folder: &Folder<'w>, listed: DirEntry) -> Option<Entry<'w>> {
    let name = listed.file_name();
    let text = file::path_text(&name);
    let is_match = folder.matcher.matches(&text);
    let kind = listed.file_type();
    // One of which the kind cannot be read may be a folder.
    let matcher = if kind.is_ok_and(|kind| !kind.is_dir() && !kind.is_symlink()) {
        PathMatcher::default()
    } else {
        folder.matcher.enter(&text)
    };
    (is_match || matcher.may_match_below()).then(|| Entry {
        path: folder.path.join(&name),
        depth: folder.depth + 1,
        is_match,
        matcher,
        listed: Some(listed),
    })
}

impl Entry<'_> {
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
        let mut above = self.path.ancestors().skip(1).take(self.depth);
        self.is_link() && above.any(|folder| key(folder) == target())
    }
}

impl FolderListing<'_> {
    fn append(&mut self, mut other: Self) {
        self.files.append(&mut other.files);
        self.known.append(&mut other.known);
        self.warnings.append(&mut other.warnings);
        self.folders.append(&mut other.folders);
    }

    fn warn(&mut self, path: &Path, reason: &str) {
        self.warnings.push(warning(path, reason));
    }

    fn warn_of_no_file(&mut self, path: &Path, reason: &str) {
        let warning = warning_of_kind(WarningKind::NotAFile, path, reason);
        self.warnings.push(warning);
    }

    fn warn_of_error(&mut self, path: &Path, error: &io::Error) {
        self.warn(path, &cannot_be_listed(error));
    }
}

/// Returns the reason of a warning for a folder or an entry of it: what is below it may be there still.
pub(crate) fn cannot_be_listed(error: &io::Error) -> String {
    format!("cannot be listed: {}", file::error_text(error))
}

/// Returns the same for a warning at another path, which holds for more than what is below the folder.
pub(crate) fn folder_cannot_be_listed(folder: &Path, error: &io::Error) -> String {
    format!("`{}` {}", path_line(folder), cannot_be_listed(error))
}
