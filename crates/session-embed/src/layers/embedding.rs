//! Vectors of tokens.

use super::Backend;
use crate::kernel::threads::min_tasks;
use crate::stored_matrix::StoredMatrix;
use candle_core::{Device, Result, Tensor};
use rayon::prelude::*;

/// A row a token. The table stays where it lies, on every device: few of its
/// rows are read.
#[derive(Debug, Clone)]
pub(crate) struct TokenEmbedding {
    table: StoredMatrix,
    device: Device,
}

impl TokenEmbedding {
    /// Creates an embedding over a table.
    pub(crate) fn new(table: StoredMatrix, backend: &Backend) -> Self {
        Self {
            table,
            device: backend.device.clone(),
        }
    }

    /// Returns the rows of tokens; zeros for a token beyond the table.
    pub(crate) fn forward(&self, ids: &[u32]) -> Result<Tensor> {
        self.forward_add(ids, &[])
    }

    /// Returns the rows of tokens, and adds those of other tables of the same
    /// width, each with as many ids of its own. candle's addition costs a
    /// fifteenth of MiniLM's time, most of it threads that wait for each other.
    pub(crate) fn forward_add(&self, ids: &[u32], others: &[(&Self, &[u32])]) -> Result<Tensor> {
        let width = self.table.columns();
        let mut rows = vec![0.0; ids.len() * width];
        let rows_of_tokens = rows.par_chunks_exact_mut(width).enumerate();
        rows_of_tokens
            .with_min_len(min_tasks().max(64))
            .for_each_init(
                || vec![0.0; width],
                |other_row, (at, row)| {
                    self.table.read_row(ids[at] as usize, row);
                    for (other, ids) in others {
                        other_row.fill(0.0);
                        other.table.read_row(ids[at] as usize, other_row);
                        let sums = row.iter_mut().zip(other_row.iter());
                        sums.for_each(|(sum, x)| *sum += x);
                    }
                },
            );
        Tensor::from_vec(rows, (ids.len(), width), &self.device)
    }
}
