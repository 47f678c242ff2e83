//! What has been put before the prompts of a session, and its switch.

use crate::error::Result;
use serde::{Deserialize, Serialize};
use session_files::{Dir, Lock, private};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Sessions that are remembered before old ones are forgotten.
const SESSIONS: usize = 500;
/// Time that a prompt may wait for another session's note.
const PATIENCE: Duration = Duration::from_millis(60);
/// Most bytes of what is known of a session.
const LIMIT: u64 = 256 << 10;
const LOCK: &str = ".lock";
const OLD: Duration = Duration::from_secs(60 * 86_400);

/// What is known of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    /// Nothing is to be put before its prompts.
    pub off: bool,
    /// Ids of what has been.
    pub injected: BTreeSet<String>,
}

impl SessionState {
    /// What is known of a session; nothing of one that is new.
    pub fn of(root: &Path, session: &str) -> Self {
        let text = private::read(&file(root, session), LIMIT).ok().flatten();
        text.and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }

    /// Notes what is about to be put before a prompt of a session. False where another
    /// process has noted any of it meanwhile: then it is not to be said again.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn note(root: &Path, session: &str, ids: &[String]) -> Result<bool> {
        let folder = Dir::create(&folder(root))?;
        let Some(_lock) = Lock::within(&folder, LOCK, PATIENCE)? else {
            return Ok(false);
        };
        let mut state = Self::of(root, session);
        let before = state.injected.len();
        state.injected.extend(ids.iter().cloned());
        let is_new = state.injected.len() == before + ids.len();
        if is_new {
            state.keep(root, session)?;
        }
        Ok(is_new)
    }

    /// Keeps it.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn keep(&self, root: &Path, session: &str) -> Result<()> {
        let path = file(root, session);
        if !path.exists() {
            forget_old(&folder(root));
        }
        let text = serde_json::to_vec(self).unwrap_or_default();
        Ok(private::write_cached(&path, &text)?)
    }
}

fn folder(root: &Path) -> PathBuf {
    root.join("injection").join("sessions")
}

fn file(root: &Path, session: &str) -> PathBuf {
    let mut name = blake3::hash(session.as_bytes()).to_hex().to_string();
    name.truncate(32);
    folder(root).join(name + ".json")
}

fn forget_old(folder: &Path) {
    let names = Dir::open(folder).and_then(|dir| dir.names(Path::new(""), usize::MAX));
    let names = names.unwrap_or_default();
    if names.len() < SESSIONS {
        return;
    }
    let now = SystemTime::now();
    for path in names.iter().map(|name| folder.join(name)) {
        let changed = fs_err::metadata(&path).and_then(|meta| meta.modified());
        let age = changed.ok().and_then(|at| now.duration_since(at).ok());
        if age.is_some_and(|age| age > OLD) {
            let _ = fs_err::remove_file(path);
        }
    }
}
