//! Folders of Cursor's workspaces.

use super::composer::WorkspaceIdentifier;
use crate::file;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Most bytes of `workspace.json` that are read.
const LIMIT: u64 = 64 << 10;

/// `workspace.json` beside the database of a workspace.
#[derive(Deserialize)]
struct WorkspaceFile {
    /// The folder that is open.
    folder: Option<String>,
    /// A file that lists several.
    workspace: Option<String>,
}

/// Returns the folder of the workspace whose state lies in `state`.
pub(super) fn workspace_folder(state: &Path) -> Option<String> {
    let json = file::read_limited(&state.join("workspace.json"), LIMIT).ok()?;
    let workspace: WorkspaceFile = serde_json::from_slice(&json).ok()?;
    let of_list = || {
        let list = path_from_uri(&workspace.workspace?)?;
        Some(Path::new(&list).parent()?.to_str()?.to_owned())
    };
    workspace
        .folder
        .as_deref()
        .and_then(path_from_uri)
        .or_else(of_list)
}

/// Returns the path of a local file's address: `file:///home/ann/app`, `file:///c%3A/app`.
pub(super) fn path_from_uri(uri: &str) -> Option<String> {
    let path = percent_decode_str(uri.strip_prefix("file://")?);
    let path = path.decode_utf8().ok()?;
    let drive = path
        .strip_prefix('/')
        .filter(|path| path.get(1..2) == Some(":"));
    let path = drive.unwrap_or(&path);
    (!path.is_empty()).then(|| path.to_owned())
}

/// The workspace that a conversation names.
#[derive(Debug, Clone)]
pub(super) struct NamedWorkspace {
    id: Option<String>,
    path: Option<String>,
}

impl NamedWorkspace {
    pub(super) fn new(identifier: &WorkspaceIdentifier<'_>) -> Self {
        let uri = identifier.uri.0.as_ref();
        let path = uri.and_then(|uri| uri.fs_path.get().or(uri.path.get()));
        Self {
            id: identifier.id.get().map(str::to_owned),
            path: path.map(str::to_owned),
        }
    }

    /// Returns the folder, by its path or by the workspace's state below `workspaces`.
    pub(super) fn folder(&self, workspaces: Option<&Path>) -> Option<String> {
        self.path.clone().or_else(|| {
            let state = state_folder(workspaces?, self.id.as_deref()?)?;
            workspace_folder(&state)
        })
    }
}

/// Returns the folder of a workspace's state, by its id: a hash or a number.
pub(super) fn state_folder(workspaces: &Path, id: &str) -> Option<PathBuf> {
    let is_plain = id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    (is_plain && !id.is_empty()).then(|| workspaces.join(id))
}
