//! Changes of matrices since the writer's last commit.

use crate::embeddings::document_series::DocumentSeries;
use crate::embeddings::matrix::MatrixAppenders;
use crate::embeddings::vector_entries::Orphan;

/// Changes of matrices that are not yet committed.
#[derive(Default)]
pub(crate) struct MatrixChanges {
    /// The matrices to which rows are appended.
    pub(crate) appenders: MatrixAppenders,
    /// The session whose documents are stored in slices; it goes on after a commit.
    pub(crate) series: Option<DocumentSeries>,
    /// Rows that have died.
    pub(crate) orphans: Vec<Orphan>,
    /// A matrix has a new generation.
    pub(crate) has_new_generation: bool,
}
