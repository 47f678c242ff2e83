//! The state of a session: what was listed and injected in it, and its switch.

use crate::directory_records::content_hash;
use crate::error::{MemoryError, Result};
use crate::memory::Memory;
use serde::{Deserialize, Serialize};
use session_files::{Dir, Lock, private};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The number of sessions from which on old ones are deleted.
const MAX_SESSIONS: usize = 500;
/// The longest time that a prompt waits for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_millis(60);
/// The longest time that a user who switches injection waits for the lock.
const SWITCH_TIMEOUT: Duration = Duration::from_secs(5);
/// The most bytes of a session's state.
const LIMIT: u64 = 512 << 10;
const LOCK: &str = ".lock";
/// The age from which on a session's state is deleted.
const OLD: Duration = Duration::from_secs(60 * 86_400);

/// The characters of a content hash that are compared to detect a change of a memory.
const HASH_CHARS: usize = 8;

/// Returns the beginning of a memory's content hash.
pub(crate) fn short_hash(memory: &Memory) -> String {
    let mut hash = content_hash(&memory.text);
    hash.truncate(HASH_CHARS);
    hash
}

/// The state of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    /// Injection is switched off.
    pub off: bool,
    /// The ids of memories and turns that were injected.
    pub injected: BTreeSet<String>,
    /// The greatest match of each memory with a prompt of the session, by id; those without any are left out.
    pub matches: BTreeMap<String, f32>,
    /// A prompt that shows what the session is about was compared with the memories.
    pub is_compared: bool,
    /// The beginnings of the content hashes of memories that an overview was made of, or that were injected, by id.
    pub listed: BTreeMap<String, String>,
    /// The ids of those of them for whose lines there was no room.
    pub left_out: BTreeSet<String>,
}

impl SessionState {
    /// Reads the state of a session; the default for a new one. Where it cannot be read, injection is off: it may have
    /// been switched off.
    pub fn read(root: &Path, session: &str) -> Self {
        let unreadable = || Self {
            off: true,
            ..Self::default()
        };
        match private::read(&state_file(root, session), LIMIT) {
            Ok(None) => Self::default(),
            Ok(Some(text)) => serde_json::from_slice(&text).unwrap_or_else(|_| unreadable()),
            Err(_) => unreadable(),
        }
    }

    /// Returns the ids of the memories that it knows from a line of an overview.
    pub(crate) fn listed_ids(&self) -> HashSet<String> {
        let listed = self.listed.keys().filter(|id| !self.left_out.contains(*id));
        listed.cloned().collect()
    }

    /// Returns true where a memory was injected as it is now.
    pub(crate) fn holds(&self, memory: &Memory) -> bool {
        let hash = self.listed.get(memory.id());
        self.injected.contains(memory.id()) && hash.is_none_or(|hash| *hash == short_hash(memory))
    }

    /// Returns true where this state, that of a context, switches injection off, or that of the session of
    /// the context does: a subagent's context is `session/agent`.
    pub fn is_off(&self, root: &Path, context: &str) -> bool {
        let session = context.rsplit_once('/').map(|(session, _)| session);
        self.off || session.is_some_and(|session| Self::read(root, session).off)
    }

    /// Returns true where something was recorded for a session.
    pub fn is_recorded(root: &Path, session: &str) -> bool {
        state_file(root, session).exists()
    }

    /// Records ids that are about to be injected, and returns those that are new: hooks of calls that run at once
    /// share memories, and only the first may give them. Records and returns none where another process holds the lock.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn record_injected(root: &Path, session: &str, ids: &[String]) -> Result<Vec<String>> {
        Self::record_memories(root, session, ids, &[], None)
    }

    /// Records as [`Self::record_injected`]; `memories` has those of the ids that are memories, which are new, too, where
    /// they were injected otherwise than they are now. With the matches of memories with the prompt for which they are
    /// injected, if it was for one.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub(crate) fn record_memories(
        root: &Path,
        session: &str,
        ids: &[String],
        memories: &[&Memory],
        matches: Option<&[(&str, f32)]>,
    ) -> Result<Vec<String>> {
        let record = |state: &mut Self| {
            state.take_matches(matches);
            memories.iter().for_each(|memory| state.take_new(memory));
            let ids = ids.iter().cloned();
            ids.filter(|id| state.injected.insert(id.clone())).collect()
        };
        Ok(Self::update(root, session, record)?.unwrap_or_default())
    }

    /// Takes the matches of memories with a prompt, if one was compared with them.
    pub(crate) fn take_matches(&mut self, matches: Option<&[(&str, f32)]>) {
        self.is_compared |= matches.is_some();
        let matches = matches.unwrap_or_default();
        matches.iter().for_each(|found| self.add_match(*found));
    }

    /// Takes a memory that is about to be injected as it is now.
    fn take_new(&mut self, memory: &Memory) {
        if !self.holds(memory) {
            self.injected.remove(memory.id());
            self.left_out.remove(memory.id());
            self.listed
                .insert(memory.id().to_owned(), short_hash(memory));
        }
    }

    /// Keeps the match of a memory with a prompt, in hundredths, where it is the greatest.
    fn add_match(&mut self, (id, matched): (&str, f32)) {
        let matched = (matched * 100.0).round() / 100.0;
        if matched > 0.0 {
            let greatest = self.matches.entry(id.to_owned()).or_default();
            *greatest = greatest.max(matched);
        }
    }

    /// Updates the state of a session under the lock, and returns what `change` returns. Returns
    /// `None`, and changes nothing, where another process holds the lock.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub(crate) fn update<T>(
        root: &Path,
        session: &str,
        change: impl FnOnce(&mut Self) -> T,
    ) -> Result<Option<T>> {
        Self::update_within(LOCK_TIMEOUT, root, session, change)
    }

    fn update_within<T>(
        timeout: Duration,
        root: &Path,
        session: &str,
        change: impl FnOnce(&mut Self) -> T,
    ) -> Result<Option<T>> {
        let directory = Dir::create(&state_directory(root))?;
        let Some(_lock) = Lock::lock_timeout(&directory, LOCK, timeout)? else {
            return Ok(None);
        };
        let before = Self::read(root, session);
        let mut state = before.clone();
        let changed = change(&mut state);
        if state != before {
            state.write(root, session)?;
        }
        Ok(Some(changed))
    }

    /// Switches injection off or on for a session.
    ///
    /// # Errors
    /// When the directory cannot be written, or another process does not give the lock back.
    pub fn set_off(root: &Path, session: &str, off: bool) -> Result<()> {
        let switched = Self::update_within(SWITCH_TIMEOUT, root, session, |state| state.off = off)?;
        switched.ok_or_else(|| MemoryError::Locked(state_directory(root)))
    }

    /// Writes the state.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn write(&self, root: &Path, session: &str) -> Result<()> {
        let path = state_file(root, session);
        if !path.exists() {
            delete_old(&state_directory(root));
        }
        Ok(private::write_cached(&path, &self.encode())?)
    }

    /// Encodes the state as JSON of at most [`LIMIT`] bytes: a larger one would not be read, which switches injection off.
    /// Where it would be larger, the oldest ids are forgotten.
    fn encode(&self) -> Vec<u8> {
        let to_json = |state: &Self| serde_json::to_vec(state).unwrap_or_default();
        let mut json = to_json(self);
        let mut state = self.clone();
        while json.len() as u64 > LIMIT && state.forget_older_half() {
            json = to_json(&state);
        }
        json
    }

    /// Forgets the older half of what was injected or compared, then of what was listed; an id begins with its time.
    /// Returns false where nothing was left.
    fn forget_older_half(&mut self) -> bool {
        let Self {
            injected,
            matches,
            listed,
            left_out,
            ..
        } = self;
        if !injected.is_empty() || !matches.is_empty() {
            *injected = injected
                .iter()
                .skip(injected.len().div_ceil(2))
                .cloned()
                .collect();
            let older = matches.len().div_ceil(2);
            *matches = std::mem::take(matches).into_iter().skip(older).collect();
            return true;
        }
        let older = listed.len().div_ceil(2);
        *listed = std::mem::take(listed).into_iter().skip(older).collect();
        left_out.retain(|id| listed.contains_key(id));
        older > 0
    }
}

fn state_directory(root: &Path) -> PathBuf {
    root.join("injection").join("sessions")
}

fn state_file(root: &Path, session: &str) -> PathBuf {
    let mut name = blake3::hash(session.as_bytes()).to_hex().to_string();
    name.truncate(32);
    state_directory(root).join(name + ".json")
}

/// Returns true for the name of a file that [`state_file`] names.
fn is_state_name(name: &OsStr) -> bool {
    let hex = name.to_string_lossy();
    let hex = hex.strip_suffix(".json");
    hex.is_some_and(|hex| hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn delete_old(directory: &Path) {
    let names = Dir::open(directory).and_then(|dir| dir.names(Path::new(""), usize::MAX));
    let names = names.unwrap_or_default();
    if names.len() < MAX_SESSIONS {
        return;
    }
    let now = SystemTime::now();
    let names = names.iter().filter(|name| is_state_name(name));
    for path in names.map(|name| directory.join(name)) {
        let changed = fs_err::metadata(&path).and_then(|meta| meta.modified());
        let age = changed.ok().and_then(|at| now.duration_since(at).ok());
        if age.is_some_and(|age| age > OLD) {
            let _ = fs_err::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_is_written_can_be_read() {
        let home = tempfile::tempdir().unwrap();
        let ids = || (0..20_000).map(|n| format!("mem-20260110-{n:06}-{}", "x".repeat(20)));
        let state = SessionState {
            injected: ids().collect(),
            listed: ids().map(|id| (id, "hash".to_owned())).collect(),
            left_out: ids().collect(),
            ..SessionState::default()
        };
        state.write(home.path(), "session").unwrap();
        let read = SessionState::read(home.path(), "session");
        assert!(!read.off && !read.listed.is_empty());
        let newest: Vec<String> = ids().skip(20_000 - read.listed.len()).collect();
        assert!(read.listed.keys().eq(&newest));
        assert!(read.left_out.iter().all(|id| read.listed.contains_key(id)));

        let injected = SessionState {
            injected: ids().collect(),
            ..SessionState::default()
        };
        injected.write(home.path(), "other").unwrap();
        let read = SessionState::read(home.path(), "other");
        let newest = ids().next_back().unwrap();
        assert!(read.injected.contains(&newest) && !read.off);
    }
}
