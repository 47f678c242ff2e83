//! The memories of a project that are not injected because nobody trusts them or their files are damaged, each
//! announced once.

use crate::content::memory::{Memory, MemoryScope};
use crate::error::{DamagedFile, Result};
use crate::hashed_name::hash_name;
use crate::injection::injector::Injector;
use crate::injection::session_state::short_hash;
use crate::storage::memory_directory::MemoryDirectory;
use serde::{Deserialize, Serialize};
use session_files::{Dir, Lock, private};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// The most contents that are recorded of a project, and the most bytes of them as JSON.
const MAX_CONTENTS: usize = 10_000;
const MAX_BYTES: u64 = 4 << 20;
const LOCK: &str = ".lock";
/// The longest time that the start of a session waits for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_millis(60);

/// The active memories of a project that are not injected and were not announced yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NewUntrusted {
    /// The number of memories that are not trusted.
    pub memories: usize,
    /// The number of files that are damaged.
    pub damaged: usize,
}

/// The memories of a project that were announced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct AnnouncedMemories {
    /// The id and the beginning of the content hash of each.
    contents: BTreeSet<String>,
}

impl AnnouncedMemories {
    /// Adds contents, and counts those that are new. Where they are too many, the earlier ones are forgotten.
    fn add(&mut self, contents: BTreeSet<String>) -> usize {
        let new = contents.difference(&self.contents).count();
        if self.contents.len() + new > MAX_CONTENTS {
            self.contents.clear();
        }
        self.contents
            .extend(contents.into_iter().take(MAX_CONTENTS));
        new
    }
}

impl Injector<'_> {
    /// Counts the active memories that are not trusted and that no earlier call counted as they are now, and records
    /// them: they came with a repository, another program changed them, or the project's folder was moved. Damaged files
    /// are counted in the same way. 0 where they cannot be recorded.
    pub fn count_new_untrusted(&self) -> NewUntrusted {
        let mut directories = self.store.directories().iter();
        let project = directories.find(|directory| directory.scope == MemoryScope::Project);
        let Some(project) = project.filter(|_| self.settings.enabled) else {
            return NewUntrusted::default();
        };
        let listing = self.store.list_untrusted();
        let count = |contents: BTreeSet<String>| match contents.is_empty() {
            true => 0,
            false => record_announced(self.index_directory, project, contents).unwrap_or(0),
        };
        NewUntrusted {
            memories: count(listing.memories.iter().map(name_content).collect()),
            damaged: count(listing.damaged.iter().filter_map(name_damage).collect()),
        }
    }
}

/// Records contents as announced, and counts those that are new. Records none where another process holds the lock.
fn record_announced(
    index_directory: &Path,
    project: &MemoryDirectory,
    contents: BTreeSet<String>,
) -> Result<usize> {
    let path = index_directory.join("injection").join("announced");
    let directory = Dir::create(&path)?;
    let Some(_lock) = Lock::lock_timeout(&directory, LOCK, LOCK_TIMEOUT)? else {
        return Ok(0);
    };
    let name = hash_name(project.identity().as_os_str().as_encoded_bytes());
    let file = path.join(name + ".json");
    let json = private::read(&file, MAX_BYTES)?.unwrap_or_default();
    let mut announced: AnnouncedMemories = serde_json::from_slice(&json).unwrap_or_default();
    let new = announced.add(contents);
    if new > 0 {
        let json = serde_json::to_vec(&announced).unwrap_or_default();
        private::write_cached(&file, &json)?;
    }
    Ok(new)
}

fn name_content(memory: &Memory) -> String {
    format!("{} {}", memory.id(), short_hash(memory))
}

/// Names a damaged file by its mistake; `None` for a mistake of the whole directory, which is reported elsewhere.
fn name_damage(damage: &DamagedFile) -> Option<String> {
    let extension = damage.path.extension()?;
    let name = format!("damaged {}", hash_name(damage.to_string().as_bytes()));
    (extension == "md").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_content_is_new_once_and_too_many_are_forgotten() {
        let mut announced = AnnouncedMemories::default();
        let contents = |ids: std::ops::Range<usize>| ids.map(|id| format!("mem-{id} h")).collect();
        assert_eq!(announced.add(contents(0..2)), 2);
        assert_eq!(announced.add(contents(1..3)), 1);
        assert_eq!(announced.add(contents(3..MAX_CONTENTS + 3)), MAX_CONTENTS);
        assert_eq!(announced.contents.len(), MAX_CONTENTS);
        assert_eq!(announced.add(contents(0..1)), 1);
    }
}
