//! Writes in a memory directory under its lock. The hash of a memory is recorded before its file is
//! written, so that it is known as this program's.

use crate::content::memory::{Memory, MemoryState};
use crate::error::{MemoryError, Result};
use crate::storage::directory_records::{ContentOrigin, FileHashes, content_hash};
use crate::storage::memory_directory::MemoryDirectory;
use crate::storage::memory_file::{FILE_LIMIT, MAX_FILES, MAX_NAMES, has_memory, memory_path};
use crate::storage::memory_store::MemoryStore;
use crate::storage::views;
use session_files::{Dir, Durability, FileError, Lock, remove_temporary_files};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The directory of conversations that memories were saved from.
pub(crate) const CONVERSATIONS_DIRECTORY: &str = "raw";
/// The beginning of the key of a conversation's hash until its memory is written.
const UNFINISHED: &str = "unfinished:";
/// The beginning of the key of a memory's file from before it is deleted until its trust is withdrawn.
const DELETED: &str = "deleted:";
/// The most bytes of a conversation.
pub(crate) const MAX_CONVERSATION_BYTES: u64 = 8 << 20;
const IGNORE_FILE: &str = ".gitignore";
/// The ignore file of the directory itself. The views of two branches would conflict, and each user's differ by trust.
const IGNORE_PATTERNS: &str = "raw/\ntrash/\n/index.md\n/daily/\n.lock\n.new-*\n";
/// The ignore file of a directory that git ignores wholly.
const IGNORE_ALL: &str = "*\n";
const IGNORE_LIMIT: u64 = 4096;
/// The lock of a directory's writers.
pub(crate) const LOCK: &str = ".lock";
/// The longest time that a command waits for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

/// Waits for the lock of a directory's writers; `None` if another process holds it for too long.
pub(crate) fn lock_directory(dir: &Dir) -> Result<Option<Lock>> {
    Ok(Lock::lock_timeout(dir, LOCK, LOCK_TIMEOUT)?)
}

/// A memory that is not written yet.
pub(crate) struct UnwrittenMemory {
    pub(crate) id: String,
    /// The text of its file.
    pub(crate) text: String,
    pub(crate) state: MemoryState,
    /// The origin to record of its text; `None` if it is untrusted.
    pub(crate) origin: Option<ContentOrigin>,
    /// The conversation that it is saved from, where it is new.
    pub(crate) conversation: Option<String>,
}

/// A writer that holds the lock of a directory until it is dropped.
pub(crate) struct DirectoryWriter<'a> {
    pub(crate) directory: &'a MemoryDirectory,
    store: &'a MemoryStore,
    pub(crate) dir: Dir,
    _lock: Lock,
}

impl<'a> DirectoryWriter<'a> {
    /// Creates and locks a directory, and removes what a killed process left there.
    ///
    /// # Errors
    /// When the directory cannot be written, or another process holds the lock for too long.
    pub(crate) fn open(store: &'a MemoryStore, directory: &'a MemoryDirectory) -> Result<Self> {
        let dir = directory.create()?;
        let lock = lock_directory(&dir)?;
        let lock = lock.ok_or_else(|| MemoryError::Locked(directory.path.clone()))?;
        let writer = Self {
            directory,
            store,
            dir,
            _lock: lock,
        };
        let states = MemoryState::ALL.map(MemoryState::directory_name);
        for subdirectory in ["", CONVERSATIONS_DIRECTORY, views::DAILY]
            .iter()
            .chain(&states)
        {
            remove_temporary_files(&writer.dir, Path::new(subdirectory), MAX_FILES);
        }
        if !writer.dir.exists(Path::new(IGNORE_FILE)) {
            writer.write(Path::new(IGNORE_FILE), IGNORE_PATTERNS)?;
        }
        views::record_existing_views(store, directory, &writer.dir)?;
        writer.settle_unfinished()?;
        Ok(writer)
    }

    /// Writes memories, each after its conversation. What is recorded of them is written first, once: a recorded content
    /// that is never written does no harm, and a kill leaves marks by which the next writer removes conversations
    /// without a memory.
    ///
    /// # Errors
    /// When one is too long, or there would be more than are read: then none is written. When the record or a file cannot
    /// be written, or git would not ignore a conversation.
    pub(crate) fn write_memories(&self, memories: &[UnwrittenMemory]) -> Result<()> {
        let mut all = memories.iter();
        all.try_for_each(|memory| check_length(&memory.id, &memory.text))?;
        MemoryState::ALL
            .iter()
            .try_for_each(|&state| self.check_count(state, memories))?;
        self.record_contents(memories)?;
        for memory in memories {
            if let Some(text) = &memory.conversation {
                self.ensure_ignored(CONVERSATIONS_DIRECTORY)?;
                self.write(&conversation_path(&memory.id), text)?;
            }
            self.write_memory_file(memory.state, &memory.id, &memory.text)?;
        }
        Ok(())
    }

    fn check_count(&self, state: MemoryState, memories: &[UnwrittenMemory]) -> Result<()> {
        let added: BTreeSet<OsString> = memories
            .iter()
            .filter(|memory| memory.state == state)
            .map(|memory| format!("{}.md", memory.id).into())
            .collect();
        if added.is_empty() {
            return Ok(());
        }
        let path = Path::new(state.directory_name());
        let stored = self.dir.names(path, MAX_NAMES).unwrap_or_default();
        let is_memory = |name: &&OsString| Path::new(name).extension().is_some_and(|e| e == "md");
        let others = stored.iter().filter(is_memory);
        let others = others.filter(|name| !added.contains(*name)).count();
        match others + added.len() {
            0..=MAX_FILES => Ok(()),
            count => Err(MemoryError::refused_with_hint(
                format!(
                    "`{}` would have {count} memories, {MAX_FILES} at most are read",
                    self.directory.path.join(path).display()
                ),
                "`session-search memory archive` or `memory delete` those that nobody needs, or import fewer",
            )),
        }
    }

    /// Withdraws the trust in memories that were written into the trash, until the user takes them back.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub(crate) fn withdraw_trust(&self, memories: &[UnwrittenMemory]) -> Result<()> {
        if memories.iter().all(|memory| memory.origin.is_none()) {
            return Ok(());
        }
        self.store.records().update(self.directory, |record| {
            let ids = memories.iter().map(|memory| &memory.id);
            ids.for_each(|id| record.mark_deleted(id));
        })
    }

    fn write_memory_file(&self, state: MemoryState, id: &str, text: &str) -> Result<()> {
        self.ensure_ignored(state.directory_name())?;
        self.write(&memory_path(state, id), text)
    }

    fn record_trusted(&self, memories: &[UnwrittenMemory]) -> Result<()> {
        self.store.records().update(self.directory, |record| {
            for memory in memories {
                let Some(origin) = memory.origin else {
                    continue;
                };
                record.add_content(&memory.id, &memory.text, origin);
                if let Some(text) = &memory.conversation {
                    record.add_conversation(&memory.id, text);
                }
            }
        })
    }

    /// Records the contents of trusted memories, and marks the conversations as unfinished.
    fn record_contents(&self, memories: &[UnwrittenMemory]) -> Result<()> {
        let has_trusted = memories.iter().any(|memory| memory.origin.is_some());
        if has_trusted {
            self.record_trusted(memories)?;
        }
        self.store
            .records()
            .update_hashes(self.directory, |written| {
                for memory in memories {
                    let Some(text) = &memory.conversation else {
                        continue;
                    };
                    let key = path_key(&conversation_path(&memory.id));
                    written.insert(format!("{UNFINISHED}{key}"), content_hash(text));
                    written.insert(key, content_hash(text));
                }
            })
    }

    /// Marks memories whose files are about to be deleted, so that a kill before their trust is withdrawn leaves that
    /// to the next writer.
    ///
    /// # Errors
    /// When the marks cannot be written.
    pub(crate) fn note_deletions(&self, memories: &[Memory]) -> Result<()> {
        self.store
            .records()
            .update_hashes(self.directory, |written| {
                for memory in memories {
                    // One that is in the trash already loses its trust where it is not active as well.
                    let state = match memory.state {
                        MemoryState::Trash => MemoryState::Active,
                        state => state,
                    };
                    let key = path_key(&memory_path(state, memory.id()));
                    written.insert(format!("{DELETED}{key}"), content_hash(&memory.raw_text));
                }
            })
    }

    /// Moves a memory's file to another state. What the trash has of its id is replaced: git brought the memory back after
    /// an earlier deletion.
    ///
    /// # Errors
    /// When it cannot be moved, or one is there already.
    pub(crate) fn rename(&self, id: &str, from: MemoryState, to: MemoryState) -> Result<()> {
        self.ensure_ignored(to.directory_name())?;
        if to == MemoryState::Trash {
            self.remove_file(&memory_path(to, id))?;
        }
        self.dir
            .rename(&memory_path(from, id), &memory_path(to, id))
            .map_err(|error| match error {
                FileError::Exists(path) => {
                    let own = self.directory.path.join(memory_path(from, id));
                    MemoryError::refused_with_hint(
                        format!("`{}` is there already and would be lost", path.display()),
                        format!("compare it with `{}` and remove one of them", own.display()),
                    )
                }
                error => error.into(),
            })
    }

    /// Removes the conversation that a memory was saved from, and then its files in all states, since git may have
    /// brought back one that is in the trash: a kill in between leaves the memory, which can be removed again.
    ///
    /// # Errors
    /// When they cannot be removed, or the memory's files are gone.
    pub(crate) fn remove(&self, id: &str) -> Result<()> {
        self.remove_file(&conversation_path(id))?;
        let mut is_removed = false;
        for state in MemoryState::ALL {
            is_removed |= self.remove_file(&memory_path(state, id))?;
        }
        if is_removed {
            Ok(())
        } else {
            Err(MemoryError::Unknown(id.to_owned()))
        }
    }

    /// Removes a file; false where there is none. Something else than a file there is not ours.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(crate) fn remove_file(&self, path: &Path) -> Result<bool> {
        match self.dir.remove(path) {
            Err(_) if self.dir.length(path).is_none() => Ok(false),
            removed => Ok(removed?),
        }
    }

    /// Writes the generated views without memories whose files are about to be removed for good: the views hold their
    /// topics and texts.
    ///
    /// # Errors
    /// When a view or a record cannot be written.
    pub(crate) fn remove_from_views(&self, memories: &[Memory]) -> Result<()> {
        views::rebuild_views(self.store, self.directory, &self.dir, memories)
    }

    /// Completes a change that left nothing but the views to write. An error is left for the next writer: the memories
    /// are as they should be.
    pub(crate) fn finish(self) {
        let _ = self.complete();
    }

    /// Takes the marks of unfinished conversations away, and rebuilds the generated views.
    ///
    /// # Errors
    /// When a view or a record cannot be written.
    pub(crate) fn complete(self) -> Result<()> {
        let settled = self.settle_unfinished();
        views::rebuild_views(self.store, self.directory, &self.dir, &[])?;
        settled
    }

    fn write(&self, path: &Path, text: &str) -> Result<()> {
        Ok(self.dir.write(path, text.as_bytes(), Durability::Durable)?)
    }

    /// Ensures that git ignores the conversations and the trash. The innermost ignore file has
    /// precedence, so any other content there is an error.
    fn ensure_ignored(&self, subdirectory: &str) -> Result<()> {
        if subdirectory != CONVERSATIONS_DIRECTORY
            && subdirectory != MemoryState::Trash.directory_name()
        {
            return Ok(());
        }
        let path = Path::new(subdirectory).join(IGNORE_FILE);
        match self.dir.read_text(&path, IGNORE_LIMIT)? {
            None => self.write(&path, IGNORE_ALL),
            Some(text) if text == IGNORE_ALL => Ok(()),
            Some(_) => Err(MemoryError::refused_with_hint(
                format!(
                    "`{}` is not ours, and git might take what is written beside it",
                    self.directory.path.join(path).display()
                ),
                "remove that file, or leave out `--from`; a deleted memory goes for good with `--purge`",
            )),
        }
    }

    /// Takes the marks of unfinished changes away. Conversations whose save was killed before their memory was written
    /// are removed where they are unchanged; memories whose file was deleted lose their trust.
    ///
    /// A memory that is gone otherwise may be on another branch: git does not bring its conversation back.
    ///
    /// # Errors
    /// When the record or the marks cannot be written.
    pub(crate) fn settle_unfinished(&self) -> Result<()> {
        let written = self.store.records().read_hashes(self.directory)?;
        for (key, hash) in &written {
            let unfinished = key.strip_prefix(UNFINISHED);
            if let Some(path) = unfinished.filter(|path| self.is_orphan(path, hash)) {
                self.dir.remove(Path::new(path))?;
            }
        }
        let deleted = written.keys().filter_map(|key| key.strip_prefix(DELETED));
        let deleted = deleted.map(Path::new).filter(|path| !self.dir.exists(path));
        let deleted: Vec<_> = deleted.filter_map(Path::file_stem).collect();
        if !deleted.is_empty() {
            self.store.records().update(self.directory, |record| {
                let ids = deleted.iter().map(|id| id.to_string_lossy());
                ids.for_each(|id| record.mark_deleted(&id));
            })?;
        }
        let is_mark = |key: &String| key.starts_with(UNFINISHED) || key.starts_with(DELETED);
        if written.keys().any(is_mark) {
            self.store
                .records()
                .update_hashes(self.directory, |written| {
                    written.retain(|key, _| !is_mark(key));
                    for id in &deleted {
                        self.forget_missing_conversation(written, &id.to_string_lossy());
                    }
                })
        } else {
            Ok(())
        }
    }

    /// Forgets the hash of a deleted memory's conversation, unless its text is there: it would confirm a guess at it.
    fn forget_missing_conversation(&self, written: &mut FileHashes, id: &str) {
        let path = conversation_path(id);
        if !self.dir.exists(&path) {
            written.remove(&path_key(&path));
        }
    }

    fn is_orphan(&self, path: &str, hash: &str) -> bool {
        let path = Path::new(path);
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = self.dir.read_text(path, MAX_CONVERSATION_BYTES);
        let is_unchanged = text.is_ok_and(|text| text.is_some_and(|t| content_hash(&t) == hash));
        path.starts_with(CONVERSATIONS_DIRECTORY) && is_unchanged && !has_memory(&self.dir, &id)
    }
}

fn check_length(id: &str, text: &str) -> Result<()> {
    match text.len() as u64 {
        0..=FILE_LIMIT => Ok(()),
        bytes => Err(MemoryError::refused_with_hint(
            format!("memory `{id}` would have {bytes} bytes, {FILE_LIMIT} at most are read"),
            "shorten its key information, or save several",
        )),
    }
}

/// Returns the key of a file among the hashes of a directory.
fn path_key(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Returns the path of a memory's conversation below its [`MemoryDirectory`].
pub(crate) fn conversation_path(id: &str) -> PathBuf {
    Path::new(CONVERSATIONS_DIRECTORY)
        .join(format!("{id}{}", crate::storage::memory_file::EXTENSION))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::draft::MemoryDraft;
    use crate::storage::directory_records::DirectoryRecords;
    use crate::storage::memory_directory::{StorageLocation, memory_directories};

    #[test]
    fn a_conversation_whose_save_was_killed_is_removed_by_the_next_writer() {
        let home = tempfile::tempdir().unwrap();
        let records = DirectoryRecords::new(home.path().join("records"));
        let location = StorageLocation::GlobalOnly;
        let directories = memory_directories(None, home.path(), location).unwrap();
        let store = MemoryStore::new(directories.clone(), records);
        let open = || DirectoryWriter::open(&store, &directories[0]).unwrap();
        let text = "---\ntopic: Pool\ncreated: 2026-01-10\n---\n";
        let writer = open();
        let new = |id: &str| UnwrittenMemory {
            id: id.to_owned(),
            text: text.to_owned(),
            state: MemoryState::Active,
            origin: None,
            conversation: Some("User: why?".to_owned()),
        };
        let all = ["mem-killed", "mem-edited", "mem-saved"].map(new);
        writer.write_memories(&all).unwrap();
        for id in ["mem-killed", "mem-edited"] {
            writer
                .dir
                .remove(&memory_path(MemoryState::Active, id))
                .unwrap();
        }
        let edited = conversation_path("mem-edited");
        writer.write(&edited, "mine").unwrap();
        drop(writer); // killed before it finished
        let writer = open();
        let has = |id: &str| writer.dir.exists(&conversation_path(id));
        assert!(!has("mem-killed") && has("mem-edited") && has("mem-saved"));
    }

    #[test]
    fn a_deletion_that_was_killed_is_completed_where_its_file_is_gone() {
        let home = tempfile::tempdir().unwrap();
        let records = DirectoryRecords::new(home.path().join("records"));
        let location = StorageLocation::GlobalOnly;
        let directories = memory_directories(None, home.path(), location).unwrap();
        let store = MemoryStore::new(directories.clone(), records.clone());
        let open = || DirectoryWriter::open(&store, &directories[0]).unwrap();
        let draft = |topic: &str| MemoryDraft {
            topic: topic.to_owned(),
            key_info: vec!["info".to_owned()],
            ..MemoryDraft::default()
        };
        let save = |topic| {
            store
                .save(&draft(topic), None, &jiff::Zoned::now())
                .unwrap()
        };
        let all = ["Moved", "Removed", "Left"].map(save);
        let writer = open();
        writer.note_deletions(&all).unwrap();
        let (active, trash) = (MemoryState::Active, MemoryState::Trash);
        writer.rename(all[0].id(), active, trash).unwrap();
        writer.remove(all[1].id()).unwrap();
        drop(writer); // killed
        let is_trusted = || {
            let record = records.read(&directories[0]).unwrap();
            let origin = |memory: &Memory| record.find_origin(memory.id(), &memory.raw_text);
            all.each_ref().map(|memory| origin(memory).is_some())
        };
        assert_eq!(is_trusted(), [true, true, true]);
        drop(open());
        assert_eq!(is_trusted(), [false, false, true]);
        drop(open());
        assert_eq!(is_trusted(), [false, false, true]);
    }
}
