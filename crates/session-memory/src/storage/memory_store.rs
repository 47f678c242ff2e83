//! The store of memories: a directory of Markdown files for each state.

use crate::content::keywords::most_common_keywords;
use crate::content::memory::{Memory, MemoryScope, MemoryState};
use crate::content::redaction::redact_memory;
use crate::content::replaced_secrets::ReplacedSecrets;
use crate::error::{DamagedFile, MemoryError, Result};
use crate::storage::directory_records::{ContentOrigin, DirectoryRecord, DirectoryRecords};
use crate::storage::memory_directory::MemoryDirectory;
use crate::storage::open_directory::{MemoryFiles, OpenDirectory, clear_lost_replacements};
use crate::storage::replacement_cycles::find_replacement_cycles;
use crate::storage::views;
use crate::triggers::event_matcher::EventMatcher;
use crate::triggers::{TRIGGERS_KEY, Triggers};
use crate::trust::Trust;
use session_redact::Redactor;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The most bytes of memories that are read while a prompt waits.
const PROMPT_LIMIT: usize = 3 << 20;

/// A store of the memories in some directories. New ones are saved in the first directory.
#[derive(Debug, Clone)]
pub struct MemoryStore {
    directories: Vec<MemoryDirectory>,
    records: DirectoryRecords,
    redactor: Redactor,
    index_directory: Option<PathBuf>,
}

/// The memories of a listing, and the files that are damaged.
#[derive(Debug, Clone, Default)]
pub struct MemoryListing {
    /// The memories, the newest first.
    pub memories: Vec<Memory>,
    /// The files that cannot be read or parsed.
    pub damaged: Vec<DamagedFile>,
}

/// The file of a memory in a directory, by its state and id.
pub(crate) struct StoredFile<'i> {
    pub(crate) state: MemoryState,
    pub(crate) id: &'i str,
}

impl MemoryStore {
    /// Makes a store of these directories, whether they exist or not.
    pub fn new(directories: Vec<MemoryDirectory>, records: DirectoryRecords) -> Self {
        Self {
            directories,
            records,
            redactor: Redactor::default(),
            index_directory: None,
        }
    }

    /// Redacts what is saved by the user's settings.
    pub fn with_redactor(self, redactor: Redactor) -> Self {
        Self { redactor, ..self }
    }

    /// Removes vectors and edits from below this directory, that of the index, where a memory is removed for good.
    pub fn with_index_directory(self, directory: &Path) -> Self {
        Self {
            index_directory: Some(directory.to_owned()),
            ..self
        }
    }

    /// Returns the directory of the index, below which vectors are cached, where it is known.
    pub(crate) fn index_directory(&self) -> Option<&Path> {
        self.index_directory.as_deref()
    }

    /// Makes a store of other directories with the same records and redaction.
    pub(crate) fn with_directories(&self, directories: Vec<MemoryDirectory>) -> Self {
        Self {
            directories,
            ..self.clone()
        }
    }

    /// Returns the directories.
    pub fn directories(&self) -> &[MemoryDirectory] {
        &self.directories
    }

    /// Returns the records of this machine.
    pub fn records(&self) -> &DirectoryRecords {
        &self.records
    }

    /// Makes a store of one directory alone.
    pub(crate) fn with_directory(&self, directory: &MemoryDirectory) -> Self {
        self.with_directories(vec![directory.clone()])
    }

    /// Reads the memories in some states, without secrets. A damaged file does not affect the others.
    pub fn list(&self, states: &[MemoryState]) -> MemoryListing {
        let mut listing = self.list_raw(states);
        self.redact_for_output(&mut listing.memories);
        for damage in &mut listing.damaged {
            self.redactor.redact_in_place(&mut damage.reason);
        }
        listing
    }

    /// Reads the memories in some states that wait for trust, redacted as [`Self::list`] has them.
    pub fn list_waiting(&self, states: &[MemoryState]) -> Vec<Memory> {
        let mut waiting = self.list(states).memories;
        waiting.retain(|memory| !memory.trust.is_trusted());
        waiting
    }

    /// Reads the memories in some states as they are in their files.
    pub(crate) fn list_raw(&self, states: &[MemoryState]) -> MemoryListing {
        self.list_in(states, |_| true)
    }

    /// Redacts memories that are read for output: the user may have written a secret into a file. Only the raw text
    /// stays as it is.
    pub(crate) fn redact_for_output(&self, memories: &mut [Memory]) {
        for memory in memories {
            redact_memory(&self.redactor, memory);
        }
    }

    /// Lists the memories of any state that `is_meant` accepts as they are in their files, in the directories for which a
    /// condition holds. A memory that has files in several states is listed once.
    pub fn list_where(
        &self,
        is_meant: impl FnMut(&Memory) -> bool,
        is_wanted: impl FnMut(&MemoryDirectory) -> bool,
    ) -> Vec<Memory> {
        let mut memories = self.list_in(&MemoryState::ALL, is_wanted).memories;
        memories.retain(is_meant);
        let mut seen = HashSet::new();
        memories.retain(|memory| seen.insert((memory.scope, memory.front.id.clone())));
        self.redact_for_output(&mut memories);
        memories
    }

    /// Reads the memories in some states, in the directories for which a condition holds.
    fn list_in(
        &self,
        states: &[MemoryState],
        mut is_wanted: impl FnMut(&MemoryDirectory) -> bool,
    ) -> MemoryListing {
        let mut listing = MemoryListing::default();
        let opened = self.open_directories(&mut listing.damaged);
        for directory in opened.iter().filter(|open| is_wanted(open.directory)) {
            directory.read_states(states, &mut listing);
        }
        sort_newest_first(&mut listing.memories);
        clear_lost_replacements(&mut listing.memories, &opened);
        let cycles = find_replacement_cycles(&listing.memories);
        listing.damaged.extend(cycles);
        listing
    }

    /// Reads the active memories that may be injected, at most `PROMPT_LIMIT` bytes. In a project
    /// only files with a recorded content are opened, so that a repository cannot delay a prompt. They are as their
    /// files are: a hook redacts what it injects of them alone.
    pub(crate) fn list_trusted(&self) -> Vec<Memory> {
        self.list_trusted_where(&|_| true)
    }

    /// Returns the `limit` most common keywords of the active memories that may be injected, without those that are
    /// `leaving`. They are put before a model as instructions, so untrusted memories have none.
    pub fn trusted_keywords(&self, leaving: &[Memory], limit: usize) -> Vec<String> {
        let mut memories = self.list_trusted();
        memories.retain(|memory| !memory.is_among(leaving));
        self.redact_for_output(&mut memories);
        most_common_keywords(&memories, limit)
    }

    /// Lists the active memories that nobody trusts, with the damaged files among them.
    pub(crate) fn list_untrusted(&self) -> MemoryListing {
        let mut listing = MemoryListing::default();
        for directory in &self.open_directories(&mut Vec::new()) {
            directory.read_untrusted(&mut listing);
        }
        listing
    }

    /// Lists the memories that may be injected and whose triggers match an event. Of the others the triggers alone are
    /// parsed.
    pub(crate) fn list_triggered(&self, event: &EventMatcher<'_>) -> Vec<Memory> {
        let may_match = |text: &str| match Triggers::parse_without_frontmatter(text) {
            Some(triggers) => event.matches(&triggers),
            None => text.contains(TRIGGERS_KEY),
        };
        let mut memories = self.list_trusted_where(&may_match);
        memories.retain(|memory| event.matches(&memory.front.when));
        memories
    }

    fn list_trusted_where(&self, is_wanted: &dyn Fn(&str) -> bool) -> Vec<Memory> {
        let opened = self.open_directories(&mut Vec::new());
        let mut memories = Vec::new();
        let mut budget = PROMPT_LIMIT;
        // The user's own first: a repository cannot use up their budget.
        let in_scope = |scope| opened.iter().filter(move |o| o.directory.scope == scope);
        for directory in in_scope(MemoryScope::Global).chain(in_scope(MemoryScope::Project)) {
            let ids = match directory.directory.scope {
                MemoryScope::Global => directory.ids(MemoryState::Active).ids,
                MemoryScope::Project => directory.record.ids().map(str::to_owned).collect(),
            };
            for id in ids {
                let memory = directory.read_trusted(&id, is_wanted);
                let fits = memory.filter(|memory| memory.raw_text.len() <= budget);
                budget -= fits.as_ref().map_or(0, |memory| memory.raw_text.len());
                memories.extend(fits);
            }
        }
        sort_newest_first(&mut memories);
        clear_lost_replacements(&mut memories, &opened);
        memories
    }

    /// Finds the memory of an id, or of a unique prefix of one, without secrets; `mem-` may be left out.
    ///
    /// # Errors
    /// When no id or several ids match, or the file or the record of its directory is damaged.
    pub fn find(&self, id: &str) -> Result<Memory> {
        let mut found = self.find_all(&[id])?;
        found
            .pop()
            .ok_or_else(|| MemoryError::Unknown(id.to_owned()))
    }

    /// Finds the memories of ids as [`MemoryStore::find`] does, each once.
    ///
    /// # Errors
    /// As [`MemoryStore::find`].
    pub fn find_all(&self, ids: &[impl AsRef<str>]) -> Result<Vec<Memory>> {
        let found = self.find_all_raw(ids);
        let mut found = found.map_err(|error| self.redact_error(error))?;
        self.redact_for_output(&mut found);
        Ok(found)
    }

    /// Redacts what an error says of the text of a file.
    pub(crate) fn redact_error(&self, mut error: MemoryError) -> MemoryError {
        if let MemoryError::Damaged(DamagedFile { reason, .. })
        | MemoryError::Refused { reason, .. } = &mut error
        {
            self.redactor.redact_in_place(reason);
        }
        error
    }

    /// Finds the memory of an id as it is in its file.
    ///
    /// # Errors
    /// As [`MemoryStore::find`].
    pub(crate) fn find_raw(&self, id: &str) -> Result<Memory> {
        let found = self.find_all_raw(&[id])?.pop();
        found.ok_or_else(|| MemoryError::Unknown(id.to_owned()))
    }

    fn find_all_raw(&self, ids: &[impl AsRef<str>]) -> Result<Vec<Memory>> {
        let opened = self.open_directories(&mut Vec::new());
        let files = MemoryFiles::list(&opened);
        let mut found: Vec<Memory> = Vec::new();
        for id in ids {
            let memory = files.find(id.as_ref())?;
            if found.iter().all(|known| known.id() != memory.id()) {
                found.push(memory);
            }
        }
        for directory in &self.directories {
            if found.iter().any(|memory| memory.scope == directory.scope) {
                self.read_record(directory)?; // without it the trust is not known
            }
        }
        clear_lost_replacements(&mut found, &opened);
        Ok(found)
    }

    /// Lists the ids of memories whose files name a replacement for which a condition holds, wherever that one is.
    pub(crate) fn list_raw_replaced_by(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let mut listing = MemoryListing::default();
        for directory in &self.open_directories(&mut Vec::new()) {
            directory.read_states(&MemoryState::ALL, &mut listing);
        }
        let replaced = listing.memories.into_iter();
        let replaced = replaced.filter(|memory| {
            let by = memory.front.superseded_by.as_deref();
            by.is_some_and(&is_wanted)
        });
        replaced.map(|memory| memory.front.id).collect()
    }

    /// Lists the ids of the files of all states, one for each file.
    pub(crate) fn list_ids(&self) -> Vec<String> {
        let opened = self.open_directories(&mut Vec::new());
        let directories = opened.iter();
        let ids = directories.flat_map(|directory| {
            let states = MemoryState::ALL.into_iter();
            states.flat_map(|state| directory.ids(state).ids)
        });
        ids.collect()
    }

    /// Finds the secrets that are replaced in texts when they are saved.
    pub fn find_secrets(
        &self,
        texts: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> ReplacedSecrets {
        ReplacedSecrets::find(&self.redactor, texts)
    }

    /// Returns the redactor of what is saved.
    pub(crate) fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Checks that the records of the directories can be read: what is trusted is noted there.
    ///
    /// # Errors
    /// When a record cannot be read.
    pub fn check_records(&self) -> Result<()> {
        let mut directories = self.directories.iter();
        directories.try_for_each(|directory| self.read_record(directory).map(drop))
    }

    /// Trusts memories of a repository with their present content.
    ///
    /// # Errors
    /// When the record cannot be written.
    pub fn trust(&self, memories: &[Memory]) -> Result<()> {
        for own in self.group_by_directory(memories) {
            self.records.update(own.directory, |record| {
                for memory in own.memories {
                    record.add_content(memory.id(), &memory.raw_text, ContentOrigin::Trust);
                }
            })?;
        }
        Ok(())
    }

    /// Revokes the trust in some memories of the project, or in all that came with the repository.
    /// Returns their number.
    ///
    /// # Errors
    /// When the record cannot be written, or there is no project.
    pub fn revoke(&self, ids: Option<&[String]>) -> Result<usize> {
        let directory = self.directory_in(Some(MemoryScope::Project))?;
        self.records.update(directory, |record| record.revoke(ids))
    }

    /// Returns the paths of views that another program wrote, which are not overwritten.
    pub fn list_foreign_views(&self) -> Vec<PathBuf> {
        let foreign = |directory: &MemoryDirectory| views::find_foreign_views(self, directory);
        self.directories.iter().flat_map(foreign).collect()
    }

    /// Returns true if a directory holds the memories of a scope.
    pub(crate) fn has_scope(&self, scope: MemoryScope) -> bool {
        self.directories.iter().any(|own| own.scope == scope)
    }

    /// Opens the directories that exist, with their records.
    pub(crate) fn open_directories(
        &self,
        damaged: &mut Vec<DamagedFile>,
    ) -> Vec<OpenDirectory<'_>> {
        let mut all = Vec::new();
        for directory in &self.directories {
            match directory.open() {
                Ok(None) => {}
                Ok(Some(dir)) => {
                    let record = self.read_record(directory).unwrap_or_else(|error| {
                        damaged.push(DamagedFile::without_record(&directory.path, &error));
                        DirectoryRecord::default()
                    });
                    all.push(OpenDirectory {
                        directory,
                        dir,
                        record,
                    });
                }
                Err(error) => damaged.push(DamagedFile::unopened(&directory.path, &error)),
            }
        }
        all
    }

    /// Opens a directory with its record; `None` if there is none.
    ///
    /// # Errors
    /// When the directory cannot be opened, or its record cannot be read.
    pub(crate) fn open_directory<'a>(
        &self,
        directory: &'a MemoryDirectory,
    ) -> Result<Option<OpenDirectory<'a>>> {
        let Some(dir) = directory.open()? else {
            return Ok(None);
        };
        Ok(Some(OpenDirectory {
            directory,
            dir,
            record: self.read_record(directory)?,
        }))
    }

    /// Reads a memory that was just written, without secrets.
    ///
    /// # Errors
    /// When it is gone or damaged.
    pub(crate) fn reread(
        &self,
        directory: &MemoryDirectory,
        state: MemoryState,
        id: &str,
    ) -> Result<Memory> {
        let mut read = self.reread_all(directory, [StoredFile { state, id }].into_iter())?;
        read.pop()
            .ok_or_else(|| MemoryError::Unknown(id.to_owned()))
    }

    /// Reads memories that were just written in a directory, without secrets.
    ///
    /// # Errors
    /// When one is gone or damaged.
    pub(crate) fn reread_all<'i>(
        &self,
        directory: &MemoryDirectory,
        files: impl Iterator<Item = StoredFile<'i>>,
    ) -> Result<Vec<Memory>> {
        let Some(opened) = self.open_directory(directory)? else {
            return Ok(Vec::new());
        };
        let read = |file: StoredFile<'_>| {
            let memory = opened.read(file.state, file.id)?;
            memory.ok_or_else(|| MemoryError::Unknown(file.id.to_owned()))
        };
        let mut read = files.map(read).collect::<Result<Vec<_>>>()?;
        self.redact_for_output(&mut read);
        Ok(read)
    }

    /// Reads the record of a directory. That of the user's own decides about no trust, and is empty where
    /// it cannot be read.
    pub(crate) fn read_record(&self, directory: &MemoryDirectory) -> Result<DirectoryRecord> {
        match (self.records.read(directory), directory.scope) {
            (Err(_), MemoryScope::Global) => Ok(DirectoryRecord::default()),
            (record, _) => record,
        }
    }

    /// Returns the first directory, or that of a scope.
    ///
    /// # Errors
    /// When the configuration keeps none of that scope.
    pub(crate) fn directory_in(&self, scope: Option<MemoryScope>) -> Result<&MemoryDirectory> {
        let wanted =
            |directory: &&MemoryDirectory| scope.is_none_or(|scope| scope == directory.scope);
        let directory = self.directories.iter().find(wanted);
        directory.ok_or_else(|| MemoryError::ScopeNotKept(scope.unwrap_or(MemoryScope::Project)))
    }

    pub(crate) fn directory_of(&self, memory: &Memory) -> &MemoryDirectory {
        let own = self.directories.iter().find(|p| p.scope == memory.scope);
        own.unwrap_or(&self.directories[0])
    }
}

/// Returns the origin to record of a content with this trust; none of one that waits.
pub(crate) fn origin_of_trust(trust: Trust) -> Option<ContentOrigin> {
    match trust {
        Trust::Own => Some(ContentOrigin::User),
        Trust::Trusted => Some(ContentOrigin::Trust),
        Trust::Waiting | Trust::Changed => None,
    }
}

/// Sorts by creation, the newest first.
fn sort_newest_first(memories: &mut [Memory]) {
    let by_age = |a: &Memory, b: &Memory| {
        let by_time = a.front.created.cmp(&b.front.created);
        by_time.then_with(|| a.id_order().cmp(&b.id_order()))
    };
    memories.sort_by(|a, b| by_age(b, a));
}
