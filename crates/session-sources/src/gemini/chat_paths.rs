//! Facts that the paths of files hold: sessions, their parents, their projects.

use crate::{ContinuedFile, Location, PathSession, file, project};
use serde_json::Value;
use session_core::SessionMeta;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const CHATS: &str = "chats";
/// Largest file about projects that is read, in bytes.
const LIMIT: u64 = 1024 * 1024;

/// Reads the session in `chats/session-<time>-<begin of the id>.jsonl`, or a subagent's: `chats/<parent>/<id>.jsonl`.
pub(super) fn parse_path_session(path: &Path) -> Option<PathSession> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent()?.file_name()?.to_str()?;
    Some(PathSession {
        session: Some(name.split('.').next()?.to_owned()),
        parent: (folder != CHATS).then(|| folder.to_owned()),
    })
}

/// Notes the folder that a session's project is: as a file beside it says, or the client's list of
/// projects.
pub(super) fn set_directory(path: &Path, session: &mut SessionMeta) {
    let Some(folder) = chats_folder(path).and_then(Path::parent) else {
        return;
    };
    let directory = read(&folder.join(".project_root"))
        .filter(|content| !content.trim().is_empty())
        .or_else(|| listed_project(folder));
    if let Some(directory) = directory {
        project::set_directory(session, directory.trim());
    }
}

fn chats_folder(path: &Path) -> Option<&Path> {
    let mut folders = path.ancestors().skip(1);
    folders.find(|folder| folder.file_name() == Some(OsStr::new(CHATS)))
}

/// Finds the project by the name of its folder here, which in older versions is a hash of its path.
fn listed_project(folder: &Path) -> Option<String> {
    let name = folder.file_name()?.to_str()?;
    let root = folder.parent()?.parent()?;
    let parse = |name: &str| serde_json::from_str::<Value>(&read(&root.join(name))?).ok();
    let projects = parse("projects.json");
    let projects = projects
        .as_ref()
        .and_then(|p| p.get("projects")?.as_object());
    let trusted = parse("trustedFolders.json");
    let trusted = trusted.as_ref().and_then(Value::as_object);
    let mut known = projects.into_iter().chain(trusted).flatten();
    let found = known
        .find(|(path, slug)| slug.as_str() == Some(name) || (is_hash(name) && hash(path) == name));
    found.map(|(path, _)| path.clone())
}

fn is_hash(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn hash(path: &str) -> String {
    format!("{:x}", Sha256::digest(path))
}

fn read(path: &Path) -> Option<String> {
    String::from_utf8(file::read_limited(path, LIMIT).ok()?).ok()
}

/// Drops files of which another one is the continued copy: a document that was resumed goes on as
/// lines beside it, and a folder named by a hash was copied to one with a readable name. Returns
/// what was dropped.
pub(super) fn drop_copies(locations: &mut Vec<Location>) -> Vec<ContinuedFile> {
    let mut best: HashMap<PathBuf, PathBuf> = HashMap::new();
    for at in locations.iter() {
        let known = best.entry(key(&at.path)).or_insert_with(|| at.path.clone());
        if SessionFileForm::new(&at.path) > SessionFileForm::new(known) {
            known.clone_from(&at.path);
        }
    }
    let mut dropped = Vec::new();
    locations.retain(|at| match best.get(&key(&at.path)) {
        Some(other) if SessionFileForm::new(other) > SessionFileForm::new(&at.path) => {
            dropped.push(ContinuedFile {
                path: at.path.clone(),
                by: other.clone(),
            });
            false
        }
        _ => true,
    });
    dropped
}

/// Returns the file's path below `chats`, without its extension.
fn key(path: &Path) -> PathBuf {
    let below = chats_folder(path).and_then(|chats| path.strip_prefix(chats).ok());
    below.unwrap_or(path).with_extension("")
}

/// The form of a session's file, and how the folder of its project is named. Of two files of one session, the one of the
/// greater form goes on with the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SessionFileForm {
    DocumentByHash,
    DocumentByName,
    LinesByHash,
    LinesByName,
}

impl SessionFileForm {
    fn new(path: &Path) -> Self {
        let folder = chats_folder(path).and_then(|chats| chats.parent()?.file_name()?.to_str());
        match (super::is_document(path), folder.is_some_and(is_hash)) {
            (true, true) => Self::DocumentByHash,
            (true, false) => Self::DocumentByName,
            (false, true) => Self::LinesByHash,
            (false, false) => Self::LinesByName,
        }
    }
}
