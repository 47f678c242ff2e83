//! Vectors of texts: matrices on disk, who owns which row, and what is embedded.

pub(crate) mod compact;
pub(crate) mod document_series;
pub(crate) mod matrix;
pub(crate) mod matrix_changes;
pub(crate) mod matrix_checksums;
pub(crate) mod new_documents;
pub(crate) mod npy;
pub(crate) mod quantized_row;
pub(crate) mod vector_entries;
pub(crate) mod vector_owners;
pub(crate) mod vectors;
