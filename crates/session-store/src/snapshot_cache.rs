//! Caches what every query reads, while a reader stays open and no other connection commits.

use crate::embeddings::matrix::{MatrixId, VectorMatrix};
use crate::embeddings::vector_owners::VectorOwners;
use crate::error::Result;
use crate::turn_columns::TurnColumns;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// The age that the cached parts of an index may have where a query reads them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CacheAge {
    /// They are those of the last commit.
    #[default]
    Current,
    /// Another connection may have committed since. The query does not find what was written then, and may fail on deleted
    /// rows.
    MayBeStale,
}

/// Caches parts of one state of the database that every query reads: the sessions of turns, the owners of matrices'
/// rows, and mapped matrices.
#[derive(Default)]
pub(crate) struct SnapshotCache {
    parts: RefCell<VersionedParts>,
    /// [`crate::Reader::data_version`] of the snapshot that is open, once it was asked for.
    pub(crate) snapshot_version: Cell<Option<u64>>,
    pub(crate) age: Cell<CacheAge>,
}

#[derive(Default)]
struct VersionedParts {
    /// [`crate::Reader::data_version`] of that state.
    version: u64,
    turns: Option<TurnColumns>,
    owners: HashMap<MatrixId, VectorOwners>,
    matrices: HashMap<MatrixId, VectorMatrix>,
}

impl SnapshotCache {
    /// Returns the version of the parts, where there are any and stale ones will do.
    pub(crate) fn stale_version(&self) -> Option<u64> {
        let parts = self.parts.borrow();
        (self.age.get() == CacheAge::MayBeStale && parts.turns.is_some()).then_some(parts.version)
    }

    /// Returns the columns of turns of this version, read where they are not cached.
    pub(crate) fn turns(
        &self,
        version: u64,
        read: impl FnOnce() -> Result<TurnColumns>,
    ) -> Result<TurnColumns> {
        if let Some(turns) = self.with_parts(version, |parts| parts.turns.clone()) {
            return Ok(turns);
        }
        let turns = read()?;
        self.with_parts(version, |parts| parts.turns = Some(turns.clone()));
        Ok(turns)
    }

    /// Returns the owners of this version, read where they are not cached.
    pub(crate) fn owners(
        &self,
        version: u64,
        matrix: MatrixId,
        read: impl FnOnce() -> Result<VectorOwners>,
    ) -> Result<VectorOwners> {
        self.part(version, |parts| &mut parts.owners, matrix, read)
    }

    /// Returns the matrix of this version, opened where it is not cached.
    pub(crate) fn matrix(
        &self,
        version: u64,
        matrix: MatrixId,
        open: impl FnOnce() -> Result<VectorMatrix>,
    ) -> Result<VectorMatrix> {
        self.part(version, |parts| &mut parts.matrices, matrix, open)
    }

    /// Returns a part of a matrix, read where it is not cached.
    fn part<T: Clone>(
        &self,
        version: u64,
        parts: fn(&mut VersionedParts) -> &mut HashMap<MatrixId, T>,
        matrix: MatrixId,
        read: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        if let Some(part) = self.with_parts(version, |all| parts(all).get(&matrix).cloned()) {
            return Ok(part);
        }
        let part = read()?;
        self.with_parts(version, |all| parts(all).insert(matrix, part.clone()));
        Ok(part)
    }

    /// Calls `visit` with the parts of a version; those of another one are dropped.
    fn with_parts<T>(&self, version: u64, visit: impl FnOnce(&mut VersionedParts) -> T) -> T {
        let mut parts = self.parts.borrow_mut();
        if parts.version != version {
            *parts = VersionedParts {
                version,
                ..VersionedParts::default()
            };
        }
        visit(&mut parts)
    }
}
