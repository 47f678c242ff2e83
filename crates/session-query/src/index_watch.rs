//! Watches an index for commits of other threads and processes.

use session_store::{IndexIdentity, Reader, StoreError};
use std::path::{Path, PathBuf};

/// Tells whether an index was written, or another one put in its place, since it was last asked.
pub struct IndexWatch {
    root: PathBuf,
    open: Option<WatchedIndex>,
}

struct WatchedIndex {
    index: Reader,
    identity: IndexIdentity,
    /// [`Reader::data_version`] when it was last asked for.
    version: u64,
}

impl IndexWatch {
    /// Names the index, which need not exist yet.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            open: None,
        }
    }

    /// Returns true where the index may have changed since the last call, and for the first one: also
    /// where it cannot be read.
    pub fn has_changed(&mut self) -> bool {
        let before = self.open.as_ref().map(|open| (open.identity, open.version));
        let now = self.open_current();
        if now.is_err() {
            self.open = None;
        }
        now.map_or(true, |now| before != Some(now))
    }

    /// Returns the index that is there now, and its version.
    fn open_current(&mut self) -> Result<(IndexIdentity, u64), StoreError> {
        let identity = IndexIdentity::read(&self.root)?;
        let open = match self.open.take().filter(|open| open.identity == identity) {
            Some(open) => self.open.insert(open),
            None => self.open.insert(WatchedIndex {
                index: Reader::open(&self.root)?,
                identity,
                version: 0,
            }),
        };
        open.version = open.index.data_version()?;
        Ok((identity, open.version))
    }
}
