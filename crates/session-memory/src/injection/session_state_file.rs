//! The file of a session's state, which hooks that run at once share under a lock.

use crate::error::{MemoryError, Result};
use crate::hashed_name::{hash_name, is_hashed_name};
use crate::injection::context_id::ContextId;
use crate::injection::session_state::{InjectionRecord, MAX_STATE_BYTES, SessionState};
use session_files::{Dir, Lock, private};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The number of sessions from which on old ones are deleted.
const MAX_SESSIONS: usize = 500;
/// The longest time that a prompt waits for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_millis(60);
/// The longest time that a user who switches injection on or off waits for the lock.
const SWITCH_TIMEOUT: Duration = Duration::from_secs(5);
const LOCK: &str = ".lock";
/// The age from which on a session's state is deleted.
const OLD: Duration = Duration::from_secs(60 * 86_400);

/// The end of the names of states.
const STATE_END: &str = ".json";

/// The file of the state of a context.
#[derive(Debug, Clone)]
pub struct SessionStateFile<'a> {
    index_directory: &'a Path,
    context: ContextId,
}

impl<'a> SessionStateFile<'a> {
    /// Names the file of a context without opening it.
    pub fn new(index_directory: &'a Path, context: &ContextId) -> Self {
        Self {
            index_directory,
            context: context.clone(),
        }
    }

    /// Reads the state; the default for a new context. A subagent's injection is off where that of its session is.
    pub fn read(&self) -> SessionState {
        let mut state = self.read_own();
        if let Some(parent) = self.context.parent() {
            state.off = state.off || Self::new(self.index_directory, &parent).read_own().off;
        }
        state
    }

    /// Reads the state without that of a subagent's session.
    fn read_own(&self) -> SessionState {
        read_state(&self.path())
    }

    /// Returns true if something was recorded for the context.
    pub fn exists(&self) -> bool {
        self.path().exists()
    }

    /// Records ids that are about to be injected, and returns those that are new: hooks of calls that run at once
    /// share memories, and only the first may give them. Records and returns none where another process holds the lock.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn record_injected(&self, ids: &[String]) -> Result<Vec<String>> {
        self.record(&InjectionRecord {
            ids,
            ..InjectionRecord::default()
        })
    }

    /// Records an injection as [`Self::record_injected`] does. A memory that was injected with another content is new,
    /// too.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub(crate) fn record(&self, injection: &InjectionRecord<'_>) -> Result<Vec<String>> {
        let new = self.update(|state| state.add_injection(injection))?;
        Ok(new.unwrap_or_default())
    }

    /// Updates the state under the lock, and returns what `change` returns. Returns `None`, and changes nothing, where
    /// another process holds the lock.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub(crate) fn update<T>(
        &self,
        change: impl FnOnce(&mut SessionState) -> T,
    ) -> Result<Option<T>> {
        self.update_within(LOCK_TIMEOUT, change)
    }

    fn update_within<T>(
        &self,
        timeout: Duration,
        change: impl FnOnce(&mut SessionState) -> T,
    ) -> Result<Option<T>> {
        let directory = Dir::create(&self.directory())?;
        let Some(_lock) = Lock::lock_timeout(&directory, LOCK, timeout)? else {
            return Ok(None);
        };
        let before = self.read_own();
        let mut state = before.clone();
        let changed = change(&mut state);
        if state != before {
            self.write(&state)?;
        }
        Ok(Some(changed))
    }

    /// Switches injection off or on.
    ///
    /// # Errors
    /// When the directory cannot be written, or another process does not give the lock back.
    pub fn switch_injection(&self, switch: InjectionSwitch) -> Result<()> {
        let set = |state: &mut SessionState| state.off = switch == InjectionSwitch::Off;
        let switched = self.update_within(SWITCH_TIMEOUT, set)?;
        switched.ok_or_else(|| MemoryError::Locked(self.directory()))
    }

    /// Writes the state.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn write(&self, state: &SessionState) -> Result<()> {
        let path = self.path();
        if !path.exists() {
            delete_old(&self.directory());
        }
        Ok(private::write_cached(&path, &state.encode())?)
    }

    fn directory(&self) -> PathBuf {
        states_directory(self.index_directory)
    }

    fn path(&self) -> PathBuf {
        let name = hash_name(self.context.key().as_bytes()) + STATE_END;
        self.directory().join(name)
    }
}

/// The switch of injection in one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InjectionSwitch {
    /// Memories are injected.
    On,
    /// Nothing is injected.
    Off,
}

fn states_directory(index_directory: &Path) -> PathBuf {
    index_directory.join("injection").join("sessions")
}

/// Deletes injected turns whose address (`a1b2c3d4:5`) `is_forgotten` accepts from the states of all contexts. Their ids may
/// have a command before the address.
///
/// # Errors
/// When the directory cannot be read or written, or another process does not give the lock back.
pub fn delete_injected_turns(
    index_directory: &Path,
    is_forgotten: impl Fn(&str) -> bool,
) -> Result<()> {
    let path = states_directory(index_directory);
    if !path.exists() {
        return Ok(());
    }
    let directory = Dir::open(&path)?;
    let lock = Lock::lock_timeout(&directory, LOCK, SWITCH_TIMEOUT)?;
    let _lock = lock.ok_or_else(|| MemoryError::Locked(path.clone()))?;
    let names = directory.names(Path::new(""), usize::MAX)?;
    let is_kept = |id: &String| !is_forgotten(id.rsplit(' ').next().unwrap_or_default());
    for name in names.iter().filter(|name| is_state_name(name)) {
        let path = path.join(name);
        let mut state = read_state(&path);
        let before = state.injected.len();
        state.injected.retain(is_kept);
        state.shown.retain(is_kept);
        if state.injected.len() < before {
            private::write(&path, &state.encode())?;
        }
    }
    Ok(())
}

/// Reads a state; the default where there is none. Where it cannot be read, injection is off: it may have been switched off.
fn read_state(path: &Path) -> SessionState {
    let unreadable = || SessionState {
        off: true,
        ..SessionState::default()
    };
    match private::read(path, MAX_STATE_BYTES) {
        Ok(None) => SessionState::default(),
        Ok(Some(text)) => serde_json::from_slice(&text).unwrap_or_else(|_| unreadable()),
        Err(_) => unreadable(),
    }
}

/// Returns true for the name of a file that a [`SessionStateFile`] has.
fn is_state_name(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.strip_suffix(STATE_END).is_some_and(is_hashed_name)
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
    fn ids_of_forgotten_turns_leave_the_states_of_all_sessions() {
        let home = tempfile::tempdir().unwrap();
        delete_injected_turns(home.path(), |_| true).unwrap();
        let contexts = [("s1", None), ("s2", Some("agent"))]
            .map(|(session, subagent)| ContextId::new(session, subagent).unwrap());
        for context in &contexts {
            let file = SessionStateFile::new(home.path(), context);
            let ids = [
                "mem-1",
                "f0460001:0",
                "session-search show f0460001:0",
                "f0460001:1",
            ]
            .map(str::to_owned);
            file.record_injected(&ids).unwrap();
        }
        delete_injected_turns(home.path(), |id| id == "f0460001:0").unwrap();
        for context in &contexts {
            let state = SessionStateFile::new(home.path(), context).read();
            assert!(state.injected.iter().eq(["f0460001:1", "mem-1"]));
        }
    }

    #[test]
    fn a_state_that_is_written_can_be_read() {
        let home = tempfile::tempdir().unwrap();
        let ids = || (0..20_000).map(|n| format!("mem-20260110-{n:06}-{}", "x".repeat(20)));
        let state = SessionState {
            injected: ids().collect(),
            content_hashes: ids().map(|id| (id, "hash".to_owned())).collect(),
            without_line: ids().collect(),
            ..SessionState::default()
        };
        let context = ContextId::new("session", None).unwrap();
        let file = SessionStateFile::new(home.path(), &context);
        file.write(&state).unwrap();
        let read = file.read();
        assert!(!read.off && !read.content_hashes.is_empty());
        let newest: Vec<String> = ids().skip(20_000 - read.content_hashes.len()).collect();
        assert!(read.content_hashes.keys().eq(&newest));
        let has_hash = |id: &String| read.content_hashes.contains_key(id);
        assert!(read.without_line.iter().all(has_hash));

        let injected = SessionState {
            injected: ids().collect(),
            ..SessionState::default()
        };
        file.write(&injected).unwrap();
        let read = file.read();
        let newest = ids().next_back().unwrap();
        assert!(read.injected.contains(&newest) && !read.off);
    }
    #[test]
    fn a_state_of_before_is_read_and_written_with_its_keys() {
        let json = r#"{"listed":{"mem-1":"0a1b2c3d"},"left_out":["mem-1"]}"#;
        let state: SessionState = serde_json::from_str(json).unwrap();
        assert_eq!(state.content_hashes["mem-1"], "0a1b2c3d");
        assert!(state.without_line.contains("mem-1"));
        let written: serde_json::Value = serde_json::from_slice(&state.encode()).unwrap();
        let keys: serde_json::Value = serde_json::from_str(json).unwrap();
        for key in ["listed", "left_out"] {
            assert_eq!(written[key], keys[key]);
        }
    }
}
