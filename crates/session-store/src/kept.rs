//! What a reader that stays open keeps between queries.

use crate::error::Result;
use crate::id::ModelId;
use crate::matrix::VectorMatrix;
use crate::model::Level;
use crate::vectors::VectorRow;
use std::cell::RefCell;
use std::collections::HashMap;

/// The vectors of one state of the database: rows with what they embed, and mapped matrices.
#[derive(Default)]
pub(crate) struct KeptVectors(RefCell<VersionedVectors>);

#[derive(Default)]
struct VersionedVectors {
    /// [`crate::Reader::data_version`] of that state.
    version: u64,
    rows: HashMap<(ModelId, Level), Vec<VectorRow>>,
    matrices: HashMap<(ModelId, Level), VectorMatrix>,
}

impl KeptVectors {
    /// Returns the rows that are kept at this version, or reads and keeps them.
    pub(crate) fn rows(
        &self,
        version: u64,
        of: (ModelId, Level),
        read: impl FnOnce() -> Result<Vec<VectorRow>>,
    ) -> Result<Vec<VectorRow>> {
        let kept = self.at(version, |kept| kept.rows.get(&of).cloned());
        let Some(kept) = kept else {
            let rows = read()?;
            self.at(version, |kept| kept.rows.insert(of, rows.clone()));
            return Ok(rows);
        };
        Ok(kept)
    }

    /// Returns the matrix that is kept at this version, or opens and keeps it.
    pub(crate) fn matrix(
        &self,
        version: u64,
        of: (ModelId, Level),
        open: impl FnOnce() -> Result<VectorMatrix>,
    ) -> Result<VectorMatrix> {
        let kept = self.at(version, |kept| kept.matrices.get(&of).cloned());
        let Some(kept) = kept else {
            let matrix = open()?;
            self.at(version, |kept| kept.matrices.insert(of, matrix.clone()));
            return Ok(matrix);
        };
        Ok(kept)
    }

    /// Looks at what is kept; what is of another version is dropped.
    fn at<T>(&self, version: u64, look: impl FnOnce(&mut VersionedVectors) -> T) -> T {
        let mut kept = self.0.borrow_mut();
        if kept.version != version {
            *kept = VersionedVectors {
                version,
                ..VersionedVectors::default()
            };
        }
        look(&mut kept)
    }
}
