//! The parts of the index that a reader keeps between queries while it stays open.

use crate::error::Result;
use crate::id::{ModelId, SessionId, TurnId};
use crate::matrix::VectorMatrix;
use crate::model::Level;
use crate::vectors::VectorRow;
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Parts of one state of the database that every query reads: the sessions of turns, the rows of vectors
/// with what they embed, and mapped matrices.
#[derive(Default)]
pub(crate) struct KeptParts {
    parts: RefCell<VersionedParts>,
    /// [`crate::Reader::data_version`] of the snapshot that is open, once it was asked for.
    pub(crate) snapshot_version: Cell<Option<u64>>,
}

type ByModelAndLevel<T> = HashMap<(ModelId, Level), T>;

#[derive(Default)]
struct VersionedParts {
    /// [`crate::Reader::data_version`] of that state.
    version: u64,
    sessions: Option<FxHashMap<TurnId, SessionId>>,
    rows: ByModelAndLevel<Vec<VectorRow>>,
    matrices: ByModelAndLevel<VectorMatrix>,
}

impl KeptParts {
    /// Returns the session of a turn; `read` reads those of all turns once a version.
    pub(crate) fn session_of(
        &self,
        version: u64,
        turn: TurnId,
        read: impl FnOnce() -> Result<FxHashMap<TurnId, SessionId>>,
    ) -> Result<Option<SessionId>> {
        let find = |kept: &mut VersionedParts| {
            let sessions = kept.sessions.as_ref()?;
            Some(sessions.get(&turn).copied())
        };
        if let Some(found) = self.at(version, find) {
            return Ok(found);
        }
        let sessions = read()?;
        let found = sessions.get(&turn).copied();
        self.at(version, |kept| kept.sessions = Some(sessions));
        Ok(found)
    }

    /// Returns the rows that are kept at this version, or reads and keeps them.
    pub(crate) fn rows(
        &self,
        version: u64,
        of: (ModelId, Level),
        read: impl FnOnce() -> Result<Vec<VectorRow>>,
    ) -> Result<Vec<VectorRow>> {
        self.part(version, |kept| &mut kept.rows, of, read)
    }

    /// Returns the matrix that is kept at this version, or opens and keeps it.
    pub(crate) fn matrix(
        &self,
        version: u64,
        of: (ModelId, Level),
        open: impl FnOnce() -> Result<VectorMatrix>,
    ) -> Result<VectorMatrix> {
        self.part(version, |kept| &mut kept.matrices, of, open)
    }

    fn part<T: Clone>(
        &self,
        version: u64,
        parts: fn(&mut VersionedParts) -> &mut ByModelAndLevel<T>,
        of: (ModelId, Level),
        read: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        if let Some(part) = self.at(version, |kept| parts(kept).get(&of).cloned()) {
            return Ok(part);
        }
        let part = read()?;
        self.at(version, |kept| parts(kept).insert(of, part.clone()));
        Ok(part)
    }

    /// Looks at what is kept; what is of another version is dropped.
    fn at<T>(&self, version: u64, look: impl FnOnce(&mut VersionedParts) -> T) -> T {
        let mut kept = self.parts.borrow_mut();
        if kept.version != version {
            *kept = VersionedParts {
                version,
                ..VersionedParts::default()
            };
        }
        look(&mut kept)
    }
}
