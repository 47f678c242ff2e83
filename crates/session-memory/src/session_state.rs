//! The state of a session: what was listed and injected in it, and its switch.

use crate::directory_records::content_hash;
use crate::error::{MemoryError, Result};
use crate::hashed_name::{hash_name, is_hashed_name};
use crate::memory::Memory;
use crate::memory_block::ShowCommand;
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
/// The longest time that a user who switches injection on or off waits for the lock.
const SWITCH_TIMEOUT: Duration = Duration::from_secs(5);
/// The most bytes of a session's state.
const LIMIT: u64 = 512 << 10;
const LOCK: &str = ".lock";
/// The age from which on a session's state is deleted.
const OLD: Duration = Duration::from_secs(60 * 86_400);

/// The end of the names of states.
const STATE_END: &str = ".json";
/// The characters of a content hash that are compared to detect a change of a memory.
const HASH_CHARS: usize = 8;

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
    /// An overview has named the command that shows a memory.
    pub is_command_known: bool,
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

    /// Returns the command that the agent knows from an overview.
    pub(crate) fn known_command(&self) -> Option<ShowCommand> {
        self.is_command_known.then_some(ShowCommand::Memory)
    }

    /// Returns true where a memory was injected as it is now.
    pub(crate) fn has_injected(&self, memory: &Memory) -> bool {
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
        let record = InjectionRecord {
            ids,
            ..InjectionRecord::default()
        };
        Self::record(root, session, &record)
    }

    /// Records an injection as [`Self::record_injected`] does. A memory that was injected with another content is new,
    /// too.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub(crate) fn record(
        root: &Path,
        session: &str,
        injection: &InjectionRecord<'_>,
    ) -> Result<Vec<String>> {
        let record = |state: &mut Self| {
            state.add_matches(injection.matches);
            let memories = injection.memories.iter();
            memories.for_each(|memory| state.replace_older_content(memory));
            let ids = injection.ids.iter().cloned();
            ids.filter(|id| state.injected.insert(id.clone())).collect()
        };
        Ok(Self::update(root, session, record)?.unwrap_or_default())
    }

    /// Adds the matches of memories with a prompt; `None` where no prompt was compared with them.
    pub(crate) fn add_matches(&mut self, matches: Option<&[PromptMatch<'_>]>) {
        self.is_compared |= matches.is_some();
        let matches = matches.unwrap_or_default();
        matches.iter().for_each(|found| self.add_match(*found));
    }

    /// Notes the present content of a memory, and forgets that another one was injected.
    fn replace_older_content(&mut self, memory: &Memory) {
        if !self.has_injected(memory) {
            self.injected.remove(memory.id());
            self.left_out.remove(memory.id());
            self.listed
                .insert(memory.id().to_owned(), short_hash(memory));
        }
    }

    /// Keeps the match of a memory with a prompt, in hundredths, where it is the greatest.
    fn add_match(&mut self, found: PromptMatch<'_>) {
        let matched = (found.matched * 100.0).round() / 100.0;
        if matched > 0.0 {
            let greatest = self.matches.entry(found.id.to_owned()).or_default();
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
    pub fn switch_injection(root: &Path, session: &str, switch: InjectionSwitch) -> Result<()> {
        let set = |state: &mut Self| state.off = switch == InjectionSwitch::Off;
        let switched = Self::update_within(SWITCH_TIMEOUT, root, session, set)?;
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

/// The switch of injection in one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InjectionSwitch {
    /// Memories are injected.
    On,
    /// Nothing is injected.
    Off,
}

/// An injection as the state of its session records it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct InjectionRecord<'a> {
    /// The ids of the memories and turns that are injected.
    pub(crate) ids: &'a [String],
    /// The memories among them.
    pub(crate) memories: &'a [&'a Memory],
    /// The matches of memories with the prompt; `None` where none was compared.
    pub(crate) matches: Option<&'a [PromptMatch<'a>]>,
}

/// The match of a memory with a prompt, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PromptMatch<'a> {
    /// The id of the memory.
    pub(crate) id: &'a str,
    /// The fused lexical and dense score.
    pub(crate) matched: f32,
}

/// Returns the beginning of a memory's content hash.
pub(crate) fn short_hash(memory: &Memory) -> String {
    let mut hash = content_hash(&memory.text);
    hash.truncate(HASH_CHARS);
    hash
}

fn state_directory(root: &Path) -> PathBuf {
    root.join("injection").join("sessions")
}

fn state_file(root: &Path, session: &str) -> PathBuf {
    state_directory(root).join(hash_name(session.as_bytes()) + STATE_END)
}

/// Returns true for the name of a file that [`state_file`] names.
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
