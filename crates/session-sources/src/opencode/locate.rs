//! Where OpenCode keeps its data.

use crate::file::{self, mtime_ns, stamp};
use crate::folder_walk::cannot_be_listed;
use crate::sqlite::database_stamp;
use crate::warning::{warning, warning_of_kind};
use crate::{Env, Listing, Location, PathSession, WarningKind};
use fs_err as fs;
use session_core::FileStamp;
use std::collections::HashSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The folder of old JSON files, in the data folder.
const TREE: &str = "storage";

/// Returns the databases and the JSON tree of a user.
pub(super) fn locate(env: &Env) -> Listing {
    let mut listing = Listing::default();
    let folder = data_folder(env);
    if is_missing(&folder) && env.get("OPENCODE_DB").is_none() {
        return listing;
    }
    let mut met = HashSet::new();
    for path in databases(env, &folder, &mut listing) {
        let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if met.insert(real) {
            let stamp = database_stamp(&path);
            add(&mut listing, path, stamp);
        }
    }
    let tree = folder.join(TREE);
    match file::is_folder(&tree.join("session")) {
        Ok(true) => {
            let stamp = tree_stamp(&tree);
            add(&mut listing, tree, stamp);
        }
        Ok(false) => {}
        Err(error) => warn(&mut listing, &tree, &error),
    }
    listing.locations.sort_by(|a, b| {
        (a.stamp.mtime_ns, a.path.as_os_str()).cmp(&(b.stamp.mtime_ns, b.path.as_os_str()))
    });
    listing
}

/// Returns the databases in a folder: `opencode.db`, and one for each release channel.
pub(super) fn databases_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = named_in(folder)?;
    // One that cannot be looked at is there.
    found.retain(|path| fs::metadata(path).map_or_else(|e| !file::is_absence(&e), |m| m.is_file()));
    Ok(found)
}

/// Returns all in a folder that has the name of a database.
fn named_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let named = name
            .to_str()
            .is_some_and(|n| n.starts_with("opencode") && n.ends_with(".db"));
        found.extend(named.then(|| folder.join(name)));
    }
    found.sort();
    Ok(found)
}

fn data_folder(env: &Env) -> PathBuf {
    let share = env.get("XDG_DATA_HOME").map(|folder| env.path(folder));
    share
        .unwrap_or_else(|| env.home.join(".local/share"))
        .join("opencode")
}

fn databases(env: &Env, folder: &Path, listing: &mut Listing) -> Vec<PathBuf> {
    let mut paths = named_in(folder).unwrap_or_else(|error| {
        warn(listing, folder, &error);
        Vec::new()
    });
    // An absolute path takes the place of the folder.
    let chosen = env.get("OPENCODE_DB").filter(|name| *name != ":memory:");
    let chosen = chosen.map(|name| folder.join(env.path(name)));
    if let Some(path) = chosen.as_ref().filter(|path| is_missing(path)) {
        let reason = "OPENCODE_DB names a file that does not exist";
        let warning = warning_of_kind(WarningKind::EmptyVariableFolder, path, reason);
        listing.warnings.push(warning);
    }
    paths.extend(chosen);
    paths.retain(|path| is_regular(path, listing));
    paths
}

fn is_missing(path: &Path) -> bool {
    fs::metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Returns false for what is there but no file, with a warning.
fn is_regular(path: &Path, listing: &mut Listing) -> bool {
    let (kind, reason) = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            (WarningKind::UnexpectedFolder, "is a folder, not a database")
        }
        Ok(metadata) if !metadata.is_file() => (WarningKind::NotAFile, file::NOT_REGULAR),
        _ => return true,
    };
    let warning = warning_of_kind(kind, path, reason);
    listing.warnings.push(warning);
    false
}

fn add(listing: &mut Listing, path: PathBuf, stamp: io::Result<FileStamp>) {
    match stamp {
        Ok(stamp) => listing.locations.push(Location {
            path,
            stamp,
            path_session: PathSession::default(),
            continuations: Vec::new(),
        }),
        Err(error) => warn(listing, &path, &error),
    }
}

/// Adds the warning for a path that cannot be listed, unless it is missing.
fn warn(listing: &mut Listing, path: &Path, error: &io::Error) {
    if error.kind() != ErrorKind::NotFound {
        listing
            .warnings
            .push(warning(path, cannot_be_listed(error)));
    }
}

/// Returns the stamp of a JSON tree: the sizes of all session files, the number of databases beside it, to which its
/// sessions may have moved, and the latest change of any of them, of the folder of each session's messages, of the
/// last message in it with the folder of its parts, and of the folder that holds these. OpenCode rewrites the session
/// file at each prompt and the message when it is complete; the folders show what was written since.
fn tree_stamp(tree: &Path) -> io::Result<FileStamp> {
    let mut total = stamp(&fs::metadata(tree.join("session"))?);
    total.size = tree
        .parent()
        .and_then(|folder| databases_in(folder).ok())
        .map_or(0, |found| found.len() as u64);
    for project in fs::read_dir(tree.join("session"))?.flatten() {
        include(&mut total, &project.path(), false);
        let Ok(sessions) = fs::read_dir(project.path()) else {
            continue;
        };
        for session in sessions.flatten() {
            include(&mut total, &session.path(), true);
        }
    }
    for messages in fs::read_dir(tree.join("message"))
        .into_iter()
        .flatten()
        .flatten()
    {
        include(&mut total, &messages.path(), false);
        if let Some(last) = last_file(&messages.path()) {
            let parts = tree.join("part").join(last.file_stem().unwrap_or_default());
            include(&mut total, &last, true);
            include(&mut total, &parts, false);
        }
    }
    include(&mut total, &tree.join("part"), false);
    Ok(total)
}

/// Returns the last file of a folder by its name: names of messages ascend.
fn last_file(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    entries.map(|entry| entry.path()).max()
}

fn include(total: &mut FileStamp, path: &Path, counted: bool) {
    let Ok(metadata) = fs::metadata(path) else {
        return;
    };
    total.mtime_ns = total.mtime_ns.max(mtime_ns(&metadata));
    total.size += if counted { metadata.len() } else { 0 };
}
