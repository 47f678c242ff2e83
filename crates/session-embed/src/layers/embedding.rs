//! Vectors of tokens.

use super::Backend;
use crate::kernel::threads::min_tasks;
use crate::stored_matrix::StoredMatrix;
use candle_core::{Device, Result, Tensor};
use rayon::prelude::*;

/// A row a token. The table stays where it lies, on every device: few of its
/// rows are read.
#[derive(Debug, Clone)]
pub struct Embedding {
    table: StoredMatrix,
    device: Device,
}

impl Embedding {
    /// An embedding over a table.
    pub fn new(table: StoredMatrix, backend: &Backend) -> Self {
        Self {
            table,
            device: backend.device.clone(),
        }
    }

    /// Returns the rows of tokens; zeros for a token beyond the table.
    pub fn forward(&self, ids: &[u32]) -> Result<Tensor> {
        let width = self.table.columns();
        let mut rows = vec![0.0; ids.len() * width];
        let pairs = rows
            .par_chunks_exact_mut(width)
            .zip(ids)
            .with_min_len(min_tasks().max(64));
        pairs.for_each(|(row, &id)| self.table.read_row(id as usize, row));
        Tensor::from_vec(rows, (ids.len(), width), &self.device)
    }
}
