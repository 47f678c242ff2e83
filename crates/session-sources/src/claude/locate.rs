//! Where the transcripts are: `<config>/projects/<folder>/<session>.jsonl`,
//! and those of subagents beside them or below `<session>/subagents`; and
//! `<config>/history.jsonl`, with the prompts of all sessions.

use super::history::{self, is_prompt_history};
use crate::{Env, FileStamp, Listing, Located, Location, Warning, file};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use walkdir::{DirEntry, WalkDir};

const DEFAULTS: [&str; 2] = [".claude", ".config/claude"];
const PROJECTS: &str = "projects";

/// Levels below `projects`: `<folder>/<session>/subagents/workflows/<run>/…`.
const DEPTH: usize = 16;

/// Lists all transcripts, those changed last at the end, and after them the histories of
/// prompts: what a transcript tells is not wanted of them.
pub(super) fn locate(env: &Env) -> Listing {
    let mut search = HistorySearch::default();
    match env.get("CLAUDE_CONFIG_DIR") {
        Some(list) => named(list, env).for_each(|config| search.named(&config)),
        None => DEFAULTS
            .iter()
            .for_each(|config| search.config(&env.home.join(config))),
    }
    let mut listing = search.listing;
    listing
        .locations
        .sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    listing
}

fn sort_key(at: &Location) -> (bool, i64, &OsStr) {
    let is_last = is_prompt_history(&at.path);
    (is_last, at.stamp.mtime_ns, at.path.as_os_str())
}

/// The folders in a list with commas.
fn named<'e>(list: &'e str, env: &'e Env) -> impl Iterator<Item = PathBuf> + 'e {
    let names = list.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(|name| env.path(name))
}

/// Why a folder that the user named holds no transcripts.
fn folder_problem(config: &Path) -> Option<&'static str> {
    match config.metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Some("CLAUDE_CONFIG_DIR names a folder that does not exist")
        }
        Err(_) => Some("CLAUDE_CONFIG_DIR names a folder that cannot be read"),
        Ok(metadata) if !metadata.is_dir() => Some("CLAUDE_CONFIG_DIR names a file, not a folder"),
        Ok(_) if config.join(PROJECTS).is_dir() => None,
        Ok(_) if config.join(history::FILE_NAME).exists() => None,
        Ok(_) => Some("CLAUDE_CONFIG_DIR names a folder without a `projects` folder in it"),
    }
}

#[derive(Default)]
struct HistorySearch {
    listing: Listing,
    /// Files met, to list one that two paths lead to only once.
    met: HashSet<FileKey>,
}

impl HistorySearch {
    /// A folder that the user named: it should be there.
    fn named(&mut self, config: &Path) {
        match folder_problem(config) {
            Some(reason) => self.warn(config, reason.to_owned()),
            None => self.config(config),
        }
    }

    fn config(&mut self, config: &Path) {
        self.projects(&config.join(PROJECTS));
        let prompts = config.join(history::FILE_NAME);
        if let Ok(metadata) = prompts.metadata() {
            self.file(&prompts, &metadata, Located::default());
        }
    }

    fn projects(&mut self, projects: &Path) {
        if !projects.exists() {
            return;
        }
        let walk = WalkDir::new(projects).follow_links(true).max_depth(DEPTH);
        for entry in walk.into_iter().filter_entry(is_of_interest) {
            match entry {
                Ok(entry) => self.entry(&entry),
                Err(error) => self.warn_of_walk(projects, &error),
            }
        }
    }

    fn warn_of_walk(&mut self, projects: &Path, error: &walkdir::Error) {
        let path = error.path().unwrap_or(projects);
        let reason = match (error.loop_ancestor(), error.io_error()) {
            (Some(_), _) => "symbolic link leads back to a folder above it".to_owned(),
            (_, Some(error)) => error.to_string(),
            _ => error.to_string(),
        };
        self.warn(path, reason);
    }

    fn warn(&mut self, path: &Path, reason: String) {
        let warning = Warning {
            path: path.to_owned(),
            offset: None,
            reason,
            count: 1,
        };
        self.listing.warnings.push(warning);
    }

    fn entry(&mut self, entry: &DirEntry) {
        if is_unnameable(entry) {
            return self.warn(entry.path(), "has a name that is not UTF-8".to_owned());
        }
        let Some(located) = located(entry) else {
            return;
        };
        if entry.file_type().is_dir() {
            return self.warn(entry.path(), "is a folder, not a transcript".to_owned());
        }
        match entry.metadata() {
            Ok(metadata) => self.file(entry.path(), &metadata, located),
            Err(error) => self.warn_of_walk(entry.path(), &error),
        }
    }

    fn file(&mut self, path: &Path, metadata: &Metadata, located: Located) {
        if !metadata.is_file() {
            return self.warn(path, file::NOT_REGULAR.to_owned());
        }
        if metadata.len() > 0 && self.met.insert(file_key(path, metadata)) {
            let stamp = stamp(metadata);
            self.listing.locations.push(Location {
                path: path.to_owned(),
                stamp,
                located,
            });
        }
    }
}

/// Keeps the walk out of folders that hold no transcripts.
fn is_of_interest(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    match entry.depth() {
        0 | 1 => true,
        2 => !entry.file_type().is_dir() || is_uuid(&name) || name.ends_with(".jsonl"),
        3 => entry.file_type().is_dir() && name == "subagents",
        _ => true,
    }
}

/// Returns the session of a transcript by its path; `None` when the path is none of a transcript.
fn located(entry: &DirEntry) -> Option<Located> {
    let stem = entry.file_name().to_str()?.strip_suffix(".jsonl")?;
    let session = || Some(stem.to_owned());
    match entry.depth() {
        2 if is_uuid(stem) || stem.starts_with("agent-") => Some(Located {
            session: session(),
            parent: None,
        }),
        4.. if stem.starts_with("agent-") => Some(Located {
            session: session(),
            parent: parent(entry),
        }),
        _ => None,
    }
}

/// True for a transcript whose name is not UTF-8: it has no session id.
fn is_unnameable(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    entry.depth() >= 2 && name.to_str().is_none() && name.as_encoded_bytes().ends_with(b".jsonl")
}

/// The name of the folder that `subagents` is in.
fn parent(entry: &DirEntry) -> Option<String> {
    let session = entry.path().ancestors().nth(entry.depth() - 2)?;
    Some(session.file_name()?.to_string_lossy().into_owned())
}

fn is_uuid(name: &str) -> bool {
    let groups = name.split('-').map(str::len);
    groups.eq([8, 4, 4, 4, 12]) && name.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

fn stamp(metadata: &Metadata) -> FileStamp {
    let modified = metadata.modified().ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let mtime_ns = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
    FileStamp {
        size: metadata.len(),
        mtime_ns: mtime_ns.unwrap_or_default(),
        inode: inode(metadata),
    }
}

#[cfg(unix)]
type FileKey = (u64, u64);

#[cfg(unix)]
fn file_key(_: &Path, metadata: &Metadata) -> FileKey {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.ino()
}

#[cfg(not(unix))]
type FileKey = PathBuf;

#[cfg(not(unix))]
fn file_key(path: &Path, _: &Metadata) -> FileKey {
    fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}
