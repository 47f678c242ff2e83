//! A place that one process writes: under its lock, beneath its folder, every content noted
//! before it is written.

use crate::error::{MemoryError, Result};
use crate::file::relative;
use crate::memory::State;
use crate::place::Place;
use crate::record::{KnownBy, Records, content_hash};
use crate::views;
use session_files::{Dir, Durability, FileError, Lock, remove_temporary_files};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of conversations that memories were saved from.
const RAW: &str = "raw";
/// Most bytes of such a conversation.
pub(crate) const RAW_LIMIT: u64 = 8 << 20;
const IGNORE_FILE: &str = ".gitignore";
/// What is not for a repository, in the folder itself.
const IGNORED: &str = "raw/\ntrash/\n.lock\n.new-*\n";
/// The same in a folder of which nothing is.
const IGNORED_WHOLLY: &str = "*\n";
const IGNORE_LIMIT: u64 = 4096;
const LOCK: &str = ".lock";
/// How long another process may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The right to write in a place, held until it is dropped.
pub(crate) struct Writing<'a> {
    place: &'a Place,
    records: &'a Records,
    pub(crate) dir: Dir,
    _lock: Lock,
}

impl<'a> Writing<'a> {
    /// Takes the lock of a place, makes its folder if need be, and removes what a process that
    /// died was writing.
    ///
    /// # Errors
    /// When the folder cannot be written, or another process holds the lock for too long.
    pub(crate) fn begin(place: &'a Place, records: &'a Records) -> Result<Self> {
        let dir = place.create()?;
        let lock = Lock::within(&dir, LOCK, PATIENCE)?;
        let lock = lock.ok_or_else(|| MemoryError::Locked(place.folder.clone()))?;
        let writing = Self {
            place,
            records,
            dir,
            _lock: lock,
        };
        let states = State::ALL.map(State::folder);
        for folder in ["", RAW, views::DAILY].iter().chain(&states) {
            remove_temporary_files(&writing.dir, Path::new(folder), crate::file::FILES);
        }
        if !writing.dir.exists(Path::new(IGNORE_FILE)) {
            writing.write(Path::new(IGNORE_FILE), IGNORED)?;
        }
        views::adopt(place, &writing.dir, records)?;
        writing.remove_orphan_conversations()?;
        Ok(writing)
    }

    /// Writes a memory's file. Its content counts as the user's from then on where `known` says
    /// so; noted first, since a content that is never written does no harm.
    ///
    /// # Errors
    /// When the record or the file cannot be written.
    pub(crate) fn write_memory(
        &self,
        state: State,
        id: &str,
        text: &str,
        known: Option<KnownBy>,
    ) -> Result<()> {
        if let Some(by) = known {
            self.records
                .update(self.place, |record| record.learn(id, text, by))?;
        }
        self.keep_from_git(state.folder())?;
        self.write(&relative(state, id), text)
    }

    /// Writes the conversation that a memory is saved from.
    ///
    /// # Errors
    /// When it cannot be written, or the repository would offer it to `git add`.
    pub(crate) fn write_conversation(&self, id: &str, text: &str) -> Result<()> {
        self.keep_from_git(RAW)?;
        let path = conversation(id);
        let key = path.to_string_lossy().into_owned();
        self.records.update_written(self.place, |written| {
            written.insert(key, content_hash(text));
        })?;
        self.write(&path, text)
    }

    /// Moves a memory's file to another state.
    ///
    /// # Errors
    /// When it cannot be moved, or one is there already.
    pub(crate) fn rename(&self, id: &str, from: State, to: State) -> Result<()> {
        self.keep_from_git(to.folder())?;
        self.dir
            .rename(&relative(from, id), &relative(to, id))
            .map_err(|error| match error {
                FileError::Exists(path) => MemoryError::Refused(format!(
                    "`{}` is there already and would be lost\nhint: compare it with `{}` and remove one of them",
                    path.display(),
                    self.place.folder.join(relative(from, id)).display()
                )),
                error => error.into(),
            })
    }

    /// Removes a memory's file, and the conversation that it was saved from.
    ///
    /// # Errors
    /// When they cannot be removed.
    pub(crate) fn remove(&self, state: State, id: &str) -> Result<()> {
        self.dir.remove(&relative(state, id))?;
        // Something else than a file there is not ours.
        let _ = self.dir.remove(&conversation(id));
        Ok(())
    }

    /// Brings the generated views up to date. What fails is left for the next time: the memories
    /// are the truth.
    pub(crate) fn finish(self) {
        let _ = views::rebuild(self.place, &self.dir, self.records);
    }

    fn write(&self, path: &Path, text: &str) -> Result<()> {
        Ok(self.dir.write(path, text.as_bytes(), Durability::Durable)?)
    }

    /// Sees that git ignores all of a folder that is not for a repository. The ignore file that
    /// lies deepest wins over all others, so it has to be ours.
    fn keep_from_git(&self, folder: &str) -> Result<()> {
        if folder != RAW && folder != State::Trash.folder() {
            return Ok(());
        }
        let path = Path::new(folder).join(IGNORE_FILE);
        match self.dir.read_text(&path, IGNORE_LIMIT)? {
            None => self.write(&path, IGNORED_WHOLLY),
            Some(text) if text == IGNORED_WHOLLY => Ok(()),
            Some(_) => Err(MemoryError::Refused(format!(
                "`{}` is not ours, and git might take what is written beside it\nhint: remove that file, or leave out `--from`; a deleted memory goes for good with `--purge`",
                self.place.folder.join(path).display()
            ))),
        }
    }

    /// Removes conversations whose memory is gone: of one removed by hand, or of a save that was
    /// killed. Only such as this program wrote, and nobody changed since.
    fn remove_orphan_conversations(&self) -> Result<()> {
        let written = self.records.written(self.place);
        let orphans = written
            .iter()
            .filter(|(path, hash)| self.is_orphan(path, hash));
        let orphans: Vec<&String> = orphans.map(|(path, _)| path).collect();
        if orphans.is_empty() {
            return Ok(());
        }
        for path in &orphans {
            self.dir.remove(Path::new(path))?;
        }
        self.records.update_written(self.place, |written| {
            written.retain(|path, _| !orphans.contains(&path));
        })
    }

    fn is_orphan(&self, path: &str, hash: &str) -> bool {
        let path = Path::new(path);
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut states = State::ALL.into_iter();
        path.starts_with(RAW)
            && !states.any(|state| self.dir.exists(&relative(state, &id)))
            && match self.dir.read_text(path, RAW_LIMIT) {
                Ok(Some(text)) => content_hash(&text) == hash,
                Ok(None) => true,
                Err(_) => false,
            }
    }
}

/// Where the conversation lies that a memory was saved from, in its folder.
pub(crate) fn conversation(id: &str) -> PathBuf {
    Path::new(RAW).join(format!("{id}{}", crate::file::ENDING))
}
