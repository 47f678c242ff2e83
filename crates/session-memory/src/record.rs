//! What this machine knows of a folder of memories and the folder itself cannot be asked:
//! whose its files are, when they were recalled, which views were generated.
//!
//! It lies with the user's own state, since the files of a project are written by whoever writes
//! its repository. Files are known by their content.

use crate::error::{MemoryError, Result};
use crate::memory::Scope;
use crate::place::Place;
use serde::{Deserialize, Serialize};
use session_files::{Dir, Lock, private};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most bytes that are read of a record.
const LIMIT: u64 = 1 << 20;
/// The same of the hashes of the files that were written.
const HASHES_LIMIT: u64 = 32 << 20;
/// Contents of one memory that are remembered: those of worktrees and branches.
const CONTENTS: usize = 8;
/// How the names of files with hashes end.
const HASHES: &str = ".files.json";
/// Name of the lock beside the records.
const LOCK: &str = ".lock";
/// How long a command waits for another process to write a record.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long it waits with something whose loss costs nothing.
const SHORT_PATIENCE: Duration = Duration::from_millis(60);
/// Days of recall, where they lay in the folder itself before.
const OLD_RECALLED: &str = ".recalled.json";

/// Hashes of files by their path.
pub(crate) type Hashes = BTreeMap<String, String>;

/// How a content came to be the user's concern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KnownBy {
    /// The user saved or edited it here.
    User,
    /// It came with a repository, and the user said that it may be used.
    Trust,
}

/// A content of a memory's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownContent {
    /// BLAKE3 of the file's text, in hex.
    hash: String,
    /// Length of the file, so that one of another length need not be read to be told apart.
    bytes: u64,
    by: KnownBy,
    /// The user deleted it: a repository that brings it again brings something that waits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
}

/// What is known of one folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FolderRecord {
    /// The folder as it was found first, for people.
    pub folder: PathBuf,
    /// Contents of memories by id, the newest last.
    memories: BTreeMap<String, Vec<KnownContent>>,
    /// Days on which memories were recalled last, by id.
    pub(crate) recalled: BTreeMap<String, String>,
}

impl FolderRecord {
    /// How a content is known; `None` where it is not, or was deleted.
    pub(crate) fn known(&self, id: &str, text: &str) -> Option<KnownBy> {
        self.content(id, text)
            .filter(|content| !content.deleted)
            .map(|content| content.by)
    }

    /// The same whether it was deleted or not: for what lies in the trash.
    pub(crate) fn once_known(&self, id: &str, text: &str) -> Option<KnownBy> {
        self.content(id, text).map(|content| content.by)
    }

    fn content(&self, id: &str, text: &str) -> Option<&KnownContent> {
        let hash = content_hash(text);
        self.memories
            .get(id)?
            .iter()
            .find(|content| content.hash == hash)
    }

    /// True where a file of this length may have a content that is known.
    pub(crate) fn knows_length(&self, id: &str, bytes: u64) -> bool {
        let contents = self.memories.get(id);
        contents.is_some_and(|contents| contents.iter().any(|c| !c.deleted && c.bytes == bytes))
    }

    /// Notes that a memory was deleted: none of its contents is known any longer.
    pub(crate) fn delete(&mut self, id: &str) {
        for content in self.memories.get_mut(id).into_iter().flatten() {
            content.deleted = true;
        }
    }

    /// Notes that a content was taken back.
    pub(crate) fn restore(&mut self, id: &str, text: &str) {
        let hash = content_hash(text);
        let contents = self.memories.get_mut(id).into_iter().flatten();
        contents
            .filter(|content| content.hash == hash)
            .for_each(|content| content.deleted = false);
    }

    /// Forgets all contents of a memory.
    pub(crate) fn forget(&mut self, id: &str) {
        self.memories.remove(id);
    }

    /// True where some content of a memory is known.
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.memories.contains_key(id)
    }

    /// Ids of the memories of which some content is known.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.memories.keys().map(String::as_str)
    }

    /// Notes a content. What the user wrote stays the user's.
    pub(crate) fn learn(&mut self, id: &str, text: &str, by: KnownBy) {
        let hash = content_hash(text);
        let contents = self.memories.entry(id.to_owned()).or_default();
        let before = contents.iter().position(|c| c.hash == hash);
        let by = match before.map(|at| contents.remove(at).by) {
            Some(KnownBy::User) => KnownBy::User,
            _ => by,
        };
        contents.push(KnownContent {
            hash,
            bytes: text.len() as u64,
            by,
            deleted: false,
        });
        let surplus = contents.len().saturating_sub(CONTENTS);
        contents.drain(..surplus);
    }

    /// Forgets what was trusted: of one memory all, of the folder what came with the repository.
    /// Returns how many memories that concerns.
    pub(crate) fn revoke(&mut self, ids: Option<&[String]>) -> usize {
        let before = self.memories.clone();
        match ids {
            Some(ids) => self.memories.retain(|id, _| !ids.contains(id)),
            None => self.memories.retain(|_, contents| {
                contents.retain(|content| content.by == KnownBy::User);
                !contents.is_empty()
            }),
        }
        let is_changed = |(id, contents): &(&String, &Vec<KnownContent>)| {
            self.memories.get(*id) != Some(*contents)
        };
        before.iter().filter(is_changed).count()
    }

    /// How many memories were trusted that came with the repository.
    pub fn trusted(&self) -> usize {
        let is_trusted =
            |contents: &&Vec<KnownContent>| contents.iter().any(|c| c.by == KnownBy::Trust);
        self.memories.values().filter(is_trusted).count()
    }
}

/// The hash that a text is known by.
pub(crate) fn content_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The records of all folders, a file each.
#[derive(Debug, Clone)]
pub struct Records {
    folder: PathBuf,
}

impl Records {
    /// Records that lie in a folder of the user's own state.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// What is known of a place. A record that is damaged knows nothing.
    pub fn read(&self, place: &Place) -> FolderRecord {
        let mut record = read(&self.path(place)).unwrap_or_default();
        if place.scope == Scope::Global && record.recalled.is_empty() {
            record.recalled = old_days(place).unwrap_or_default();
        }
        record
    }

    /// Every record that there is.
    pub fn all(&self) -> Vec<FolderRecord> {
        let names = Dir::open(&self.folder).and_then(|dir| dir.names(Path::new(""), usize::MAX));
        let names = names.unwrap_or_default();
        let is_record = |name: &&OsString| {
            let name = name.to_string_lossy();
            name.ends_with(".json") && !name.ends_with(HASHES)
        };
        let paths = names
            .iter()
            .filter(is_record)
            .map(|name| self.folder.join(name));
        paths.filter_map(|path| read(&path)).collect()
    }

    /// Changes what is known of a place.
    ///
    /// # Errors
    /// When the record cannot be written, or another process writes for too long.
    pub(crate) fn update<T>(
        &self,
        place: &Place,
        change: impl FnOnce(&mut FolderRecord) -> T,
    ) -> Result<T> {
        let changed = self.update_within(PATIENCE, place, change)?;
        changed.ok_or_else(|| MemoryError::Locked(self.folder.clone()))
    }

    /// The same for what is no loss.
    pub(crate) fn try_update(&self, place: &Place, change: impl FnOnce(&mut FolderRecord)) {
        let _ = self.update_within(SHORT_PATIENCE, place, change);
    }

    fn update_within<T>(
        &self,
        patience: Duration,
        place: &Place,
        change: impl FnOnce(&mut FolderRecord) -> T,
    ) -> Result<Option<T>> {
        let Some(_lock) = Lock::within(&Dir::create(&self.folder)?, LOCK, patience)? else {
            return Ok(None);
        };
        // One that cannot be read is not written over: what it knows would be lost.
        if private::read(&self.path(place), LIMIT)?.is_some() && read(&self.path(place)).is_none() {
            return Err(MemoryError::Refused(format!(
                "`{}` is damaged\nhint: move it away; memories of the project wait for `session-search trust` then",
                self.path(place).display()
            )));
        }
        let before = self.read(place);
        let mut record = before.clone();
        record.folder.clone_from(&place.folder);
        let changed = change(&mut record);
        if record != before {
            let text = serde_json::to_vec(&record).unwrap_or_default();
            private::write(&self.path(place), &text)?;
        }
        Ok(Some(changed))
    }

    /// Hashes of the files that this program wrote in a folder, by their path in it. Worktrees share a
    /// record, and each has files of its own; prompts do not wait for these.
    pub(crate) fn written(&self, place: &Place) -> Hashes {
        let bytes = private::read(&self.hashes_path(place), HASHES_LIMIT)
            .ok()
            .flatten();
        serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default()
    }

    /// Changes these. To be called under the folder's lock.
    ///
    /// # Errors
    /// When they cannot be written.
    pub(crate) fn update_written(
        &self,
        place: &Place,
        change: impl FnOnce(&mut Hashes),
    ) -> Result<()> {
        let before = self.written(place);
        let mut hashes = before.clone();
        change(&mut hashes);
        if hashes != before {
            let text = serde_json::to_vec(&hashes).unwrap_or_default();
            private::write(&self.hashes_path(place), &text)?;
        }
        Ok(())
    }

    fn path(&self, place: &Place) -> PathBuf {
        self.folder.join(file_name(&place.identity()) + ".json")
    }

    fn hashes_path(&self, place: &Place) -> PathBuf {
        self.folder.join(file_name(&place.folder) + HASHES)
    }
}

/// The name of a file about a folder.
fn file_name(folder: &Path) -> String {
    let hash = blake3::hash(folder.as_os_str().as_encoded_bytes());
    let mut name = hash.to_hex().to_string();
    name.truncate(32);
    name
}

fn read(path: &Path) -> Option<FolderRecord> {
    let bytes = private::read(path, LIMIT).ok()??;
    serde_json::from_slice(&bytes).ok()
}

/// The days that an earlier version noted in the user's own folder.
fn old_days(place: &Place) -> Option<BTreeMap<String, String>> {
    let bytes = private::read(&place.folder.join(OLD_RECALLED), LIMIT).ok()??;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_is_known_until_it_is_revoked() {
        let mut record = FolderRecord::default();
        record.learn("mem-a", "1", KnownBy::Trust);
        record.learn("mem-b", "2", KnownBy::User);
        record.learn("mem-b", "2", KnownBy::Trust);
        assert!(record.knows_length("mem-a", 1) && !record.knows_length("mem-a", 2));
        record.delete("mem-a");
        assert_eq!(record.known("mem-a", "1"), None);
        record.restore("mem-a", "1");
        assert_eq!(record.known("mem-a", "1"), Some(KnownBy::Trust));
        assert_eq!(record.known("mem-a", "2"), None);
        assert_eq!(record.known("mem-b", "2"), Some(KnownBy::User));
        assert_eq!(record.trusted(), 1);
        assert_eq!(record.revoke(None), 1);
        assert_eq!(record.known("mem-a", "1"), None);
        assert_eq!(record.known("mem-b", "2"), Some(KnownBy::User));
        assert_eq!(record.revoke(Some(&["mem-b".into(), "mem-c".into()])), 1);
        assert!(!record.knows("mem-b"));
    }

    #[test]
    fn the_newest_contents_are_remembered() {
        let mut record = FolderRecord::default();
        for n in 0..2 * CONTENTS {
            record.learn("mem-a", &n.to_string(), KnownBy::User);
        }
        assert_eq!(record.known("mem-a", "7"), None);
        assert!(record.known("mem-a", "8").is_some());
        assert!(record.known("mem-a", "15").is_some());
    }
}
