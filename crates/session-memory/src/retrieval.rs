//! Which memories match a text, by words and by meaning.

pub(crate) mod duplicates;
pub(crate) mod lexical_index;
pub(crate) mod memory_embedder;
pub(crate) mod rank;
pub(crate) mod readable;
pub(crate) mod replacement_scores;
pub(crate) mod similarity;
pub(crate) mod vector_cache;
