//! The choice of ids for new memories.

use crate::content::memory::MemoryScope;
use crate::content::memory_id::is_valid_id;
use crate::error::Result;
use crate::storage::directory_writer::conversation_path;
use crate::storage::memory_directory::MemoryDirectory;
use crate::storage::memory_file::has_memory;
use crate::storage::memory_store::MemoryStore;
use crate::storage::open_directory::OpenDirectory;
use jiff::Zoned;
use session_files::Lock;
use std::collections::{BTreeSet, HashSet};

/// The ids that are taken, under the lock of ids. A global memory is seen in every project, so that those which are
/// recorded of any directory count, too.
pub(crate) struct NewIds<'a> {
    opened: Vec<OpenDirectory<'a>>,
    /// The ids in the records of all directories of this machine.
    recorded: BTreeSet<String>,
    /// The ids that were chosen and are not written yet.
    chosen: HashSet<String>,
    _lock: Lock,
}

impl<'a> NewIds<'a> {
    /// Locks the choice of ids, until the memories that have them are written.
    ///
    /// # Errors
    /// When the lock cannot be taken.
    pub(crate) fn lock(store: &'a MemoryStore) -> Result<Self> {
        let lock = store.records().lock_ids()?;
        let records = store.records().all();
        let ids = records.iter().flat_map(|record| record.ids());
        Ok(Self {
            opened: store.open_directories(&mut Vec::new()),
            recorded: ids.map(str::to_owned).collect(),
            chosen: HashSet::new(),
            _lock: lock,
        })
    }

    /// Chooses an id for a memory of this time.
    pub(crate) fn choose(&mut self, created: &Zoned) -> String {
        let base = format!("mem-{}", created.strftime("%Y%m%d-%H%M%S"));
        let named = |n: usize| match n {
            1 => base.clone(),
            n => format!("{base}-{n}"),
        };
        let is_free = |id: &String| !self.recorded.contains(id) && !self.is_in_use(id);
        let free = (1..).map(named).find(is_free).unwrap_or(base.clone());
        self.chosen.insert(free.clone());
        free
    }

    /// Takes the id that a memory of an import brings; false where it is not free. A recorded id without a file is
    /// free for the content that is recorded: an earlier import was killed, or the file was removed by hand.
    pub(crate) fn try_take(&mut self, id: &str, text: &str, directory: &MemoryDirectory) -> bool {
        let mut records = self.opened.iter().map(|open| &open.record);
        let is_recorded = match directory.scope {
            MemoryScope::Global => self.recorded.contains(id),
            // Another worktree has it, with which the record is shared.
            MemoryScope::Project => records.clone().any(|record| record.has_memory(id)),
        };
        let is_same = records.any(|record| record.find_origin_even_deleted(id, text).is_some());
        let is_free = is_valid_id(id) && !self.is_in_use(id) && (!is_recorded || is_same);
        is_free && self.chosen.insert(id.to_owned())
    }

    fn is_in_use(&self, id: &str) -> bool {
        let has = |open: &OpenDirectory<'_>| {
            has_memory(&open.dir, id) || open.dir.exists(&conversation_path(id))
        };
        self.chosen.contains(id) || self.opened.iter().any(has)
    }
}
