//! Writes in a memory directory under its lock. The hash of a memory is recorded before its file is
//! written, so that it is known as this program's.

use crate::directory_records::{ContentOrigin, DirectoryRecords, content_hash};
use crate::error::{MemoryError, Result};
use crate::memory::MemoryState;
use crate::memory_directory::MemoryDirectory;
use crate::memory_file::{FILE_LIMIT, has_memory, memory_path};
use crate::trust::Trust;
use crate::views;
use session_files::{Dir, Durability, FileError, Lock, remove_temporary_files};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The directory of conversations that memories were saved from.
const CONVERSATIONS_DIRECTORY: &str = "raw";
/// The beginning of the key of a conversation's hash until its memory is written.
const UNFINISHED: &str = "unfinished:";
/// The most bytes of a conversation.
pub(crate) const MAX_CONVERSATION_BYTES: u64 = 8 << 20;
const IGNORE_FILE: &str = ".gitignore";
/// The ignore file of the directory itself. The views of two branches would conflict, and each user's differ by trust.
const IGNORE_PATTERNS: &str = "raw/\ntrash/\n/index.md\n/daily/\n.lock\n.new-*\n";
/// The ignore file of a directory that git ignores wholly.
const IGNORE_ALL: &str = "*\n";
const IGNORE_LIMIT: u64 = 4096;
const LOCK: &str = ".lock";
/// The longest time that a command waits for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

/// A writer that holds the lock of a directory until it is dropped.
pub(crate) struct DirectoryWriter<'a> {
    pub(crate) directory: &'a MemoryDirectory,
    records: &'a DirectoryRecords,
    pub(crate) dir: Dir,
    _lock: Lock,
}

impl<'a> DirectoryWriter<'a> {
    /// Creates and locks a directory, and removes what a killed process left there.
    ///
    /// # Errors
    /// When the directory cannot be written, or another process holds the lock for too long.
    pub(crate) fn open(
        directory: &'a MemoryDirectory,
        records: &'a DirectoryRecords,
    ) -> Result<Self> {
        let dir = directory.create()?;
        let lock = Lock::within(&dir, LOCK, LOCK_TIMEOUT)?;
        let lock = lock.ok_or_else(|| MemoryError::Locked(directory.path.clone()))?;
        let writer = Self {
            directory,
            records,
            dir,
            _lock: lock,
        };
        let states = MemoryState::ALL.map(MemoryState::directory_name);
        for subdirectory in ["", CONVERSATIONS_DIRECTORY, views::DAILY]
            .iter()
            .chain(&states)
        {
            remove_temporary_files(
                &writer.dir,
                Path::new(subdirectory),
                crate::memory_file::MAX_FILES,
            );
        }
        if !writer.dir.exists(Path::new(IGNORE_FILE)) {
            writer.write(Path::new(IGNORE_FILE), IGNORE_PATTERNS)?;
        }
        views::record_existing_views(directory, &writer.dir, records)?;
        writer.settle_conversations()?;
        Ok(writer)
    }

    /// Writes a memory's file, and records its content with an origin, if one is given. The record is
    /// written first: a recorded content that is never written does no harm.
    ///
    /// # Errors
    /// When the record or the file cannot be written.
    pub(crate) fn write_memory(
        &self,
        state: MemoryState,
        id: &str,
        text: &str,
        origin: Option<ContentOrigin>,
    ) -> Result<()> {
        if text.len() as u64 > FILE_LIMIT {
            return Err(MemoryError::refused_with_hint(
                format!(
                    "memory `{id}` would have {} bytes, {FILE_LIMIT} at most are read",
                    text.len()
                ),
                "shorten its key information, or save several",
            ));
        }
        if let Some(origin) = origin {
            self.records.update(self.directory, |record| {
                record.add_content(id, text, origin)
            })?;
        }
        self.ensure_ignored(state.directory_name())?;
        self.write(&memory_path(state, id), text)
    }

    /// Writes the conversation that a memory is saved from. A kill before the memory is written leaves the
    /// mark by which the next writer removes it. Its hash is recorded where the memory is trusted.
    ///
    /// # Errors
    /// When it cannot be written, or git would not ignore it.
    pub(crate) fn write_conversation(&self, id: &str, text: &str, trust: Trust) -> Result<()> {
        self.ensure_ignored(CONVERSATIONS_DIRECTORY)?;
        if trust.is_trusted() {
            self.records.update(self.directory, |record| {
                record.add_conversation(id, text);
            })?;
        }
        let path = conversation_path(id);
        let key = path.to_string_lossy().into_owned();
        self.records.update_hashes(self.directory, |written| {
            written.insert(format!("{UNFINISHED}{key}"), content_hash(text));
            written.insert(key, content_hash(text));
        })?;
        self.write(&path, text)
    }

    /// Moves a memory's file to another state.
    ///
    /// # Errors
    /// When it cannot be moved, or one is there already.
    pub(crate) fn rename(&self, id: &str, from: MemoryState, to: MemoryState) -> Result<()> {
        self.ensure_ignored(to.directory_name())?;
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

    /// Removes the conversation that a memory was saved from, and then its file: a kill in between
    /// leaves the memory, which can be removed again.
    ///
    /// # Errors
    /// When they cannot be removed, or the memory's file is gone.
    pub(crate) fn remove(&self, state: MemoryState, id: &str) -> Result<()> {
        let conversation = conversation_path(id);
        match self.dir.remove(&conversation) {
            // Something else than a file there is not ours.
            Err(_) if self.dir.length(&conversation).is_none() => {}
            removed => drop(removed?),
        }
        match self.dir.remove(&memory_path(state, id))? {
            true => Ok(()),
            false => Err(MemoryError::Unknown(id.to_owned())),
        }
    }

    /// Takes the marks of unfinished conversations away, and rebuilds the generated views. An error is left
    /// for the next writer: views hold no data.
    pub(crate) fn finish(self) {
        let _ = self.settle_conversations();
        let _ = views::rebuild_views(self.directory, &self.dir, self.records);
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

    /// Removes conversations whose save was killed before their memory was written, where they are unchanged.
    /// A memory that is gone otherwise may be on another branch: git does not bring its conversation back.
    fn settle_conversations(&self) -> Result<()> {
        let written = self.records.read_hashes(self.directory)?;
        let unfinished = written.iter().filter_map(|(key, hash)| {
            let path = key.strip_prefix(UNFINISHED)?;
            Some((path, hash))
        });
        let unfinished: Vec<(&str, &String)> = unfinished.collect();
        if unfinished.is_empty() {
            return Ok(());
        }
        for (path, hash) in &unfinished {
            if self.is_orphan(path, hash) {
                self.dir.remove(Path::new(path))?;
            }
        }
        self.records.update_hashes(self.directory, |written| {
            written.retain(|key, _| !key.starts_with(UNFINISHED));
        })
    }

    fn is_orphan(&self, path: &str, hash: &str) -> bool {
        let path = Path::new(path);
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = self.dir.read_text(path, MAX_CONVERSATION_BYTES);
        let is_unchanged = text.is_ok_and(|text| text.is_some_and(|t| content_hash(&t) == hash));
        path.starts_with(CONVERSATIONS_DIRECTORY) && is_unchanged && !has_memory(&self.dir, &id)
    }
}

/// Returns the path of a memory's conversation below its [`MemoryDirectory`].
pub(crate) fn conversation_path(id: &str) -> PathBuf {
    Path::new(CONVERSATIONS_DIRECTORY).join(format!("{id}{}", crate::memory_file::EXTENSION))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_directory::{StorageLocation, memory_directories};

    #[test]
    fn a_conversation_whose_save_was_killed_is_removed_by_the_next_writer() {
        let home = tempfile::tempdir().unwrap();
        let records = DirectoryRecords::new(home.path().join("records"));
        let location = StorageLocation::GlobalOnly;
        let directories = memory_directories(None, home.path(), location).unwrap();
        let open = || DirectoryWriter::open(&directories[0], &records).unwrap();
        let text = "---\ntopic: Pool\ncreated: 2026-01-10\n---\n";
        let writer = open();
        for id in ["mem-killed", "mem-edited", "mem-saved"] {
            writer
                .write_conversation(id, "User: why?", Trust::Own)
                .unwrap();
        }
        let saved = MemoryState::Active;
        writer.write_memory(saved, "mem-saved", text, None).unwrap();
        let edited = conversation_path("mem-edited");
        writer.write(&edited, "mine").unwrap();
        drop(writer); // killed before it finished
        let writer = open();
        let has = |id: &str| writer.dir.exists(&conversation_path(id));
        assert!(!has("mem-killed") && has("mem-edited") && has("mem-saved"));
    }
}
