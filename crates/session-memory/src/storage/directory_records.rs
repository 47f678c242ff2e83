//! Records of this machine about directories of memories: the origin of each content, days of
//! recall, hashes of generated files.
//!
//! They are stored with the user's own state, since anyone who writes to a repository writes the
//! files of its project. Contents are identified by their hash.

use crate::error::{MemoryError, Result};
use crate::hashed_name::hash_name;
use crate::storage::memory_directory::{MemoryDirectory, relative_path};
use crate::storage::memory_file::has_memory;
use crate::storage::record_limit::{RECORD_LIMIT, encode_record};
use crate::text::line_ends::fold_line_ends;
use serde::{Deserialize, Serialize};
use session_files::{Dir, Lock, private};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most bytes of a file of hashes.
const HASHES_LIMIT: u64 = 32 << 20;
/// The most contents that are recorded of one memory, for its worktrees and branches.
const MAX_CONTENTS: usize = 8;
/// The end of the names of files of hashes.
const HASHES: &str = ".files.json";
/// The name of the lock file of all records.
const LOCK: &str = ".lock";
/// The name of the lock file of new ids.
const IDS_LOCK: &str = ".ids.lock";
/// The lock of imports.
const IMPORTS_LOCK: &str = ".imports.lock";
/// The longest time that a command waits for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(20);
/// The longest time that an update which may be lost waits for the lock.
const SHORT_LOCK_TIMEOUT: Duration = Duration::from_millis(60);

/// Hashes of files by their path in a directory.
pub(crate) type FileHashes = BTreeMap<String, String>;

/// The origin of a recorded content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ContentOrigin {
    /// The user saved or edited it here.
    User,
    /// It came with a repository, and the user trusted it.
    Trust,
}

/// A content of a memory's file whose origin is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnownContent {
    /// BLAKE3 of the file's text with LF at the ends of its lines, in hex: git may write them as CRLF.
    hash: String,
    /// The length of that text: a file of another length need not be read.
    bytes: u64,
    by: ContentOrigin,
    /// The user deleted the memory: a pull that restores it does not restore its trust.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
}

/// The record of one directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DirectoryRecord {
    /// The path as it was first found, for lists.
    #[serde(rename = "folder")]
    pub path: PathBuf,
    /// The contents of memories by id, the newest last.
    memories: BTreeMap<String, Vec<KnownContent>>,
    /// The days of the last recall, by id.
    pub(crate) recalled: BTreeMap<String, String>,
    /// The hashes of the conversations that the user's memories were saved from, by id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    conversations: BTreeMap<String, String>,
}

impl DirectoryRecord {
    /// Returns the project's root, or the home, below which the memories lie; `None` if they are gone from there.
    pub fn root(&self) -> Option<&Path> {
        let below = relative_path();
        let is_there = self.path.ends_with(&below) && !matches!(self.path.try_exists(), Ok(false));
        let root = self.path.ancestors().nth(below.components().count());
        root.filter(|_| is_there)
    }

    /// Finds the origin of a content; `None` if it is not recorded, or was deleted.
    pub(crate) fn find_origin(&self, id: &str, text: &str) -> Option<ContentOrigin> {
        self.content(id, text)
            .filter(|content| !content.deleted)
            .map(|content| content.by)
    }

    /// Finds the origin of a content in the trash, deleted or not.
    pub(crate) fn find_origin_even_deleted(&self, id: &str, text: &str) -> Option<ContentOrigin> {
        self.content(id, text).map(|content| content.by)
    }

    fn content(&self, id: &str, text: &str) -> Option<&KnownContent> {
        let hash = content_hash(&fold_line_ends(text));
        let mut contents = self.memories.get(id)?.iter();
        contents.find(|content| content.hash == hash)
    }

    /// Returns true if a file of this length may be a recorded content of the memory, whatever the ends of its lines.
    pub(crate) fn has_length(&self, id: &str, bytes: u64) -> bool {
        let may_be = |content: &KnownContent| {
            let longest = 2 * content.bytes;
            !content.deleted && (content.bytes..=longest).contains(&bytes)
        };
        let contents = self.memories.get(id);
        contents.is_some_and(|contents| contents.iter().any(may_be))
    }

    /// Marks all contents of a memory as deleted.
    pub(crate) fn mark_deleted(&mut self, id: &str) {
        let contents = self.memories.get_mut(id).into_iter().flatten();
        contents.for_each(|content| content.deleted = true);
    }

    /// Marks a content as restored from the trash.
    pub(crate) fn unmark_deleted(&mut self, id: &str, text: &str) {
        let hash = content_hash(&fold_line_ends(text));
        let contents = self.memories.get_mut(id).into_iter().flatten();
        contents
            .filter(|content| content.hash == hash)
            .for_each(|content| content.deleted = false);
    }

    /// Adds the conversation that the user's memory was saved from.
    pub(crate) fn add_conversation(&mut self, id: &str, text: &str) {
        let hash = content_hash(text);
        self.conversations.insert(id.to_owned(), hash);
    }

    /// Returns the hash of the conversation that the user's memory was saved from.
    pub(crate) fn conversation_hash(&self, id: &str) -> Option<&str> {
        self.conversations.get(id).map(String::as_str)
    }

    /// Returns the ids of all entries, the oldest first.
    pub(crate) fn all_ids(&self) -> BTreeSet<String> {
        let recalled = self.recalled.keys().chain(self.conversations.keys());
        self.memories.keys().chain(recalled).cloned().collect()
    }

    /// Removes all entries of a memory. Returns about how many bytes of JSON they were.
    pub(crate) fn forget(&mut self, id: &str) -> usize {
        let contents = self.memories.remove(id).unwrap_or_default();
        let texts = [self.recalled.remove(id), self.conversations.remove(id)];
        let texts = texts
            .into_iter()
            .flatten()
            .map(|text| text.len() + id.len());
        json_length(&contents) + texts.sum::<usize>()
    }

    /// Removes all contents of a memory but the newest. Returns about how many bytes of JSON they were.
    pub(crate) fn forget_older_contents(&mut self, id: &str) -> usize {
        let Some(contents) = self.memories.get_mut(id) else {
            return 0;
        };
        let newest = contents.len().saturating_sub(1);
        let older: Vec<KnownContent> = contents.drain(..newest).collect();
        json_length(&older)
    }

    /// Returns true if the entries of a memory differ from those of another record.
    fn differs_in(&self, other: &Self, id: &str) -> bool {
        self.memories.get(id) != other.memories.get(id)
            || self.conversations.get(id) != other.conversations.get(id)
    }

    /// Returns true if any content of a memory is recorded.
    pub(crate) fn has_memory(&self, id: &str) -> bool {
        self.memories.contains_key(id)
    }

    /// Iterates over the ids of memories with a recorded content.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.memories.keys().map(String::as_str)
    }

    /// Adds a content. A content of the user stays the user's.
    pub(crate) fn add_content(&mut self, id: &str, text: &str, by: ContentOrigin) {
        let text = fold_line_ends(text);
        let hash = content_hash(&text);
        let contents = self.memories.entry(id.to_owned()).or_default();
        let before = contents.iter().position(|c| c.hash == hash);
        let by = match before.map(|at| contents.remove(at).by) {
            Some(ContentOrigin::User) => ContentOrigin::User,
            _ => by,
        };
        contents.push(KnownContent {
            hash,
            bytes: text.len() as u64,
            by,
            deleted: false,
        });
        let surplus = contents.len().saturating_sub(MAX_CONTENTS);
        contents.drain(..surplus);
    }

    /// Revokes trust: in all contents of some memories, or in all contents that came with the
    /// repository. Returns the number of memories that changed.
    pub(crate) fn revoke(&mut self, ids: Option<&[String]>) -> usize {
        let before = self.memories.clone();
        match ids {
            Some(ids) => self.memories.retain(|id, _| !ids.contains(id)),
            None => self.memories.retain(|_, contents| {
                contents.retain(|content| content.by == ContentOrigin::User);
                !contents.is_empty()
            }),
        }
        let is_changed = |(id, contents): &(&String, &Vec<KnownContent>)| {
            self.memories.get(*id) != Some(*contents)
        };
        before.iter().filter(is_changed).count()
    }

    /// Counts the memories that came with the repository and were trusted.
    pub fn count_trusted(&self) -> usize {
        let is_trusted =
            |contents: &&Vec<KnownContent>| contents.iter().any(|c| c.by == ContentOrigin::Trust);
        self.memories.values().filter(is_trusted).count()
    }
}

fn json_length(contents: &[KnownContent]) -> usize {
    serde_json::to_vec(contents).map_or(0, |json| json.len())
}

/// Returns the BLAKE3 hash of a text, in hex.
pub(crate) fn content_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The records of all directories, a file each.
#[derive(Debug, Clone)]
pub struct DirectoryRecords {
    root: PathBuf,
}

impl DirectoryRecords {
    /// Makes the records below a directory of the user's own state.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Locks the choice of ids in all directories, until the memory that has the id is written.
    ///
    /// # Errors
    /// When the directory cannot be written, or another process holds the lock for too long.
    pub(crate) fn lock_ids(&self) -> Result<Lock> {
        self.lock(IDS_LOCK)
    }

    /// Locks imports, from the look at what is known until all is written: of two at once each would import all.
    ///
    /// # Errors
    /// As [`Self::lock_ids`].
    pub(crate) fn lock_imports(&self) -> Result<Lock> {
        self.lock(IMPORTS_LOCK)
    }

    fn lock(&self, name: &str) -> Result<Lock> {
        let lock = Lock::lock_timeout(&Dir::create(&self.root)?, name, LOCK_TIMEOUT)?;
        lock.ok_or_else(|| MemoryError::Locked(self.root.clone()))
    }

    /// Reads the record of a directory.
    ///
    /// # Errors
    /// When it is too large or damaged: an empty one would make the user's memories untrusted.
    pub fn read(&self, directory: &MemoryDirectory) -> Result<DirectoryRecord> {
        Ok(read_record(&self.path(directory))?.unwrap_or_default())
    }

    /// Reads all records.
    pub fn all(&self) -> Vec<DirectoryRecord> {
        let names = Dir::open(&self.root).and_then(|dir| dir.names(Path::new(""), usize::MAX));
        let names = names.unwrap_or_default();
        let is_record = |name: &&OsString| {
            let name = name.to_string_lossy();
            name.ends_with(".json") && !name.ends_with(HASHES)
        };
        let paths = names
            .iter()
            .filter(is_record)
            .map(|name| self.root.join(name));
        paths
            .filter_map(|path| read_record(&path).ok().flatten())
            .collect()
    }

    /// Updates the record of a directory under the lock.
    ///
    /// # Errors
    /// When the record cannot be written, or another process holds the lock for too long.
    pub(crate) fn update<T>(
        &self,
        directory: &MemoryDirectory,
        change: impl FnOnce(&mut DirectoryRecord) -> T,
    ) -> Result<T> {
        let changed = self.update_within(LOCK_TIMEOUT, directory, change)?;
        changed.ok_or_else(|| MemoryError::Locked(self.root.clone()))
    }

    /// Updates the record of a directory, unless another process holds the lock.
    pub(crate) fn try_update(
        &self,
        directory: &MemoryDirectory,
        change: impl FnOnce(&mut DirectoryRecord),
    ) {
        let _ = self.update_within(SHORT_LOCK_TIMEOUT, directory, change);
    }

    fn update_within<T>(
        &self,
        timeout: Duration,
        directory: &MemoryDirectory,
        change: impl FnOnce(&mut DirectoryRecord) -> T,
    ) -> Result<Option<T>> {
        let Some(_lock) = Lock::lock_timeout(&Dir::create(&self.root)?, LOCK, timeout)? else {
            return Ok(None);
        };
        let before = self.read(directory)?;
        let mut record = before.clone();
        record.path.clone_from(&directory.path);
        let changed = change(&mut record);
        if record != before {
            self.write(directory, &mut record, &before)?;
        }
        Ok(Some(changed))
    }

    /// Writes a record. Where it is too large, it forgets memories without a file that the present change
    /// does not concern.
    fn write(
        &self,
        directory: &MemoryDirectory,
        record: &mut DirectoryRecord,
        before: &DirectoryRecord,
    ) -> Result<()> {
        let path = self.path(directory);
        let dir = directory.open()?;
        let changed = record.clone();
        let is_kept = |id: &str| {
            changed.differs_in(before, id) || dir.as_ref().is_some_and(|dir| has_memory(dir, id))
        };
        let json = encode_record(record, RECORD_LIMIT, &is_kept, &path)?;
        Ok(private::write(&path, &json)?)
    }

    /// Reads the hashes of the files that this program wrote in a directory. They are apart from the
    /// record: each worktree has its own, and prompts do not need them.
    ///
    /// # Errors
    /// When they are too large or damaged: the next writer would replace them by its own alone.
    pub(crate) fn read_hashes(&self, directory: &MemoryDirectory) -> Result<FileHashes> {
        let path = self.hashes_path(directory);
        let Some(bytes) = private::read(&path, HASHES_LIMIT)? else {
            return Ok(FileHashes::new());
        };
        serde_json::from_slice(&bytes).map_err(|_| {
            MemoryError::refused_with_hint(
                format!("`{}` is damaged", path.display()),
                "move it away; generated pages of the project that changed since are not written again then",
            )
        })
    }

    /// Updates the hashes of a directory whose lock the caller holds.
    ///
    /// # Errors
    /// When they cannot be read or written.
    pub(crate) fn update_hashes(
        &self,
        directory: &MemoryDirectory,
        change: impl FnOnce(&mut FileHashes),
    ) -> Result<()> {
        let before = self.read_hashes(directory)?;
        let mut hashes = before.clone();
        change(&mut hashes);
        if hashes != before {
            let text = serde_json::to_vec(&hashes).unwrap_or_default();
            private::write(&self.hashes_path(directory), &text)?;
        }
        Ok(())
    }

    fn path(&self, directory: &MemoryDirectory) -> PathBuf {
        self.root.join(file_name(&directory.identity()) + ".json")
    }

    fn hashes_path(&self, directory: &MemoryDirectory) -> PathBuf {
        self.root.join(file_name(&directory.path) + HASHES)
    }
}

/// Returns the name of a file about a directory, without extension.
fn file_name(directory: &Path) -> String {
    hash_name(directory.as_os_str().as_encoded_bytes())
}

/// Reads a record; `None` if there is no file.
fn read_record(path: &Path) -> Result<Option<DirectoryRecord>> {
    let bytes = private::read(path, RECORD_LIMIT as u64)?;
    let record = bytes.map(|bytes| serde_json::from_slice(&bytes));
    record.transpose().map_err(|_| {
        MemoryError::refused_with_hint(
            format!("`{}` is damaged", path.display()),
            "move it away; memories of the project wait for `session-search trust` then",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_keeps_its_origin_until_it_is_deleted_or_revoked() {
        let mut record = DirectoryRecord::default();
        record.add_content("mem-a", "1", ContentOrigin::Trust);
        record.add_content("mem-b", "2", ContentOrigin::User);
        record.add_content("mem-b", "2", ContentOrigin::Trust);
        assert!(record.has_length("mem-a", 1) && !record.has_length("mem-a", 3));
        record.mark_deleted("mem-a");
        assert_eq!(record.find_origin("mem-a", "1"), None);
        record.unmark_deleted("mem-a", "1");
        assert_eq!(record.find_origin("mem-a", "1"), Some(ContentOrigin::Trust));
        assert_eq!(record.find_origin("mem-a", "2"), None);
        assert_eq!(record.find_origin("mem-b", "2"), Some(ContentOrigin::User));
        assert_eq!(record.count_trusted(), 1);
        assert_eq!(record.revoke(None), 1);
        assert_eq!(record.find_origin("mem-a", "1"), None);
        assert_eq!(record.find_origin("mem-b", "2"), Some(ContentOrigin::User));
        assert_eq!(record.revoke(Some(&["mem-b".into(), "mem-c".into()])), 1);
        assert!(!record.has_memory("mem-b"));
    }

    #[test]
    fn a_content_stays_known_where_git_writes_the_ends_of_its_lines_otherwise() {
        let mut record = DirectoryRecord::default();
        record.add_content("mem-a", "one\ntwo\n", ContentOrigin::User);
        record.add_content("mem-b", "one\r\ntwo\r\n", ContentOrigin::User);
        for id in ["mem-a", "mem-b"] {
            for text in ["one\ntwo\n", "one\r\ntwo\r\n", "one\r\ntwo\n"] {
                assert_eq!(record.find_origin(id, text), Some(ContentOrigin::User));
                assert!(record.has_length(id, text.len() as u64), "{text:?}");
            }
            for text in ["one\rtwo\n", "one\n\rtwo\n", "one\r\n\r\ntwo\n"] {
                assert_eq!(record.find_origin(id, text), None, "{text:?}");
            }
        }
        record.mark_deleted("mem-b");
        record.unmark_deleted("mem-b", "one\r\ntwo\r\n");
        let origin = record.find_origin("mem-b", "one\ntwo\n");
        assert_eq!(origin, Some(ContentOrigin::User));
    }

    #[test]
    fn the_newest_contents_are_kept() {
        let mut record = DirectoryRecord::default();
        for n in 0..2 * MAX_CONTENTS {
            record.add_content("mem-a", &n.to_string(), ContentOrigin::User);
        }
        assert_eq!(record.find_origin("mem-a", "7"), None);
        assert!(record.find_origin("mem-a", "8").is_some());
        assert!(record.find_origin("mem-a", "15").is_some());
    }
}
