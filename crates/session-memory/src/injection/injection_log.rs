//! The local log of injection before prompts: counts and times, without any text.

use crate::error::Result;
use crate::injection::context_id::ContextId;
use crate::injection::injection_decision::SkipReason;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use session_files::private;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The bytes from which on the log is rotated; one old file is kept.
const LIMIT: u64 = 1 << 20;

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InjectionLogEntry {
    /// The time, RFC 3339.
    pub at: String,
    /// The key of its context, if the prompt has one: see [`ContextId::key`].
    pub session: Option<String>,
    /// The number of items of the block.
    pub injected_count: usize,
    /// The characters of the block.
    pub injected_chars: usize,
    /// The time from the call to the decision, in milliseconds.
    pub retrieval_ms: u64,
    /// The reason why there was no block.
    pub disabled_reason: Option<SkipReason>,
    /// The number of memories that were compared.
    pub candidates: usize,
}

impl InjectionLogEntry {
    /// Makes an entry without a block, with the present time.
    pub(crate) fn new(started: Instant) -> Self {
        Self {
            at: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            session: None,
            injected_count: 0,
            injected_chars: 0,
            retrieval_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            disabled_reason: None,
            candidates: 0,
        }
    }

    /// Makes the entry of a call that failed before it had a decision.
    pub fn failure(started: Instant, reason: SkipReason) -> Self {
        Self {
            disabled_reason: Some(reason),
            ..Self::new(started)
        }
    }
}

/// The sums of the log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct InjectionStats {
    /// The number of prompts.
    pub prompts: usize,
    /// The number of prompts with a block.
    pub injected: usize,
    /// The number of items in all blocks.
    pub items: usize,
    /// The characters of all blocks.
    pub chars: usize,
    /// The median time, in milliseconds.
    pub retrieval_ms_p50: u64,
    /// The 95th percentile of the time, in milliseconds.
    pub retrieval_ms_p95: u64,
    /// The number of prompts without a block, by reason.
    pub disabled: BTreeMap<String, usize>,
}

/// An entry as it is read back; missing fields have their defaults.
#[derive(Default, Deserialize)]
#[serde(default)]
struct StoredEntry {
    session: Option<String>,
    injected_count: usize,
    injected_chars: usize,
    retrieval_ms: u64,
    disabled_reason: Option<String>,
}

/// The log below the directory of the index.
#[derive(Debug, Clone)]
pub struct InjectionLog {
    path: PathBuf,
}

impl InjectionLog {
    /// Names the log, without opening it.
    pub fn new(index_directory: &Path) -> Self {
        Self {
            path: index_directory.join("injection").join("log.jsonl"),
        }
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// When the directory cannot be written.
    pub fn append(&self, entry: &InjectionLogEntry) -> Result<()> {
        if fs_err::metadata(&self.path).is_ok_and(|meta| meta.len() > LIMIT) {
            fs_err::rename(&self.path, self.old_path())?;
        }
        let mut file = private::append(&self.path)?;
        let mut line = serde_json::to_vec(entry).unwrap_or_default();
        line.push(b'\n');
        Ok(file.write_all(&line)?)
    }

    /// Sums up the log. Damaged lines are skipped.
    pub fn stats(&self) -> InjectionStats {
        let entries = self.read();
        let mut times: Vec<u64> = entries.iter().map(|entry| entry.retrieval_ms).collect();
        times.sort_unstable();
        let mut stats = InjectionStats {
            prompts: entries.len(),
            retrieval_ms_p50: percentile(&times, 50),
            retrieval_ms_p95: percentile(&times, 95),
            ..InjectionStats::default()
        };
        for entry in entries {
            stats.injected += usize::from(entry.injected_count > 0);
            stats.items += entry.injected_count;
            stats.chars += entry.injected_chars;
            if let Some(reason) = entry.disabled_reason {
                *stats.disabled.entry(reason).or_default() += 1;
            }
        }
        stats
    }

    /// Deletes the entries of sessions and of their subagents, and damaged lines, of which nobody knows whose they are.
    ///
    /// # Errors
    /// When a file of the log cannot be read or written.
    pub fn delete_sessions(&self, ids: &BTreeSet<&str>) -> Result<()> {
        let is_kept = |line: &&str| {
            serde_json::from_str::<StoredEntry>(line).is_ok_and(|entry| {
                let key = entry.session.unwrap_or_default();
                !ContextId::ids_in_key(&key).any(|id| ids.contains(id))
            })
        };
        for path in self.paths() {
            let text = private::read_text(&path, 2 * LIMIT)?.unwrap_or_default();
            let kept: String = text.split_inclusive('\n').filter(is_kept).collect();
            if kept != text {
                private::write(&path, kept.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Returns the paths of the log's files, the older one first.
    fn paths(&self) -> [PathBuf; 2] {
        [self.old_path(), self.path.clone()]
    }

    fn read(&self) -> Vec<StoredEntry> {
        let texts = self
            .paths()
            .map(|path| private::read_text(&path, 2 * LIMIT));
        let text: String = texts.into_iter().flatten().flatten().collect();
        let lines = text.lines().map(serde_json::from_str);
        lines.filter_map(std::result::Result::ok).collect()
    }

    fn old_path(&self) -> PathBuf {
        self.path.with_extension("old.jsonl")
    }
}

/// Returns a percentile of sorted values, 0 of none.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let at = sorted.get(sorted.len() * percent / 100);
    at.or(sorted.last()).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_forgotten_sessions_are_deleted() {
        let root = tempfile::tempdir().unwrap();
        let log = InjectionLog::new(root.path());
        log.delete_sessions(&BTreeSet::from(["lamp"])).unwrap();
        assert!(!log.path.exists());
        for session in ["lamp", "kiln", "lamp/agent-1", "lamps"] {
            let entry = InjectionLogEntry {
                session: Some(session.to_owned()),
                ..InjectionLogEntry::new(Instant::now())
            };
            log.append(&entry).unwrap();
        }
        log.append(&InjectionLogEntry::new(Instant::now())).unwrap();
        fs_err::copy(&log.path, log.old_path()).unwrap();
        log.delete_sessions(&BTreeSet::from(["lamp"])).unwrap();
        let read = log.read();
        let sessions = read.iter().map(|entry| entry.session.as_deref());
        let kept = [Some("kiln"), Some("lamps"), None];
        assert!(sessions.eq(kept.into_iter().chain(kept)));
    }
}
