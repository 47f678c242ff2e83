//! The parts of the index that a reader keeps between queries while it stays open.

use crate::error::Result;
use crate::id::ModelId;
use crate::matrix::VectorMatrix;
use crate::model::Level;
use crate::turn_columns::TurnColumns;
use crate::vector_owners::VectorOwners;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Parts of one state of the database that every query reads: the sessions of turns, what the rows of
/// matrices embed, and mapped matrices.
#[derive(Default)]
pub(crate) struct KeptParts {
    parts: RefCell<VersionedParts>,
    /// [`crate::Reader::data_version`] of the snapshot that is open, once it was asked for.
    pub(crate) snapshot_version: Cell<Option<u64>>,
    /// The parts are used though another connection has committed since they were read.
    pub(crate) may_be_stale: Cell<bool>,
}

type ByModelAndLevel<T> = HashMap<(ModelId, Level), T>;

#[derive(Default)]
struct VersionedParts {
    /// [`crate::Reader::data_version`] of that state.
    version: u64,
    turns: Option<TurnColumns>,
    owners: ByModelAndLevel<VectorOwners>,
    matrices: ByModelAndLevel<VectorMatrix>,
}

impl KeptParts {
    /// Returns the version of the parts, where there are any and stale ones will do.
    pub(crate) fn stale_version(&self) -> Option<u64> {
        let parts = self.parts.borrow();
        (self.may_be_stale.get() && parts.turns.is_some()).then_some(parts.version)
    }

    /// Returns the columns of turns that are kept at this version, or reads and keeps them.
    pub(crate) fn turns(
        &self,
        version: u64,
        read: impl FnOnce() -> Result<TurnColumns>,
    ) -> Result<TurnColumns> {
        if let Some(turns) = self.at(version, |kept| kept.turns.clone()) {
            return Ok(turns);
        }
        let turns = read()?;
        self.at(version, |kept| kept.turns = Some(turns.clone()));
        Ok(turns)
    }

    /// Returns the owners that are kept at this version, or reads and keeps them.
    pub(crate) fn owners(
        &self,
        version: u64,
        of: (ModelId, Level),
        read: impl FnOnce() -> Result<VectorOwners>,
    ) -> Result<VectorOwners> {
        self.part(version, |kept| &mut kept.owners, of, read)
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
