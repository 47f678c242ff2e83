//! Writes the word index: tokens of turns, gathered until a commit and written as a segment of FTS5.
//!
//! FTS5's own `INSERT` cuts a text into tokens and looks up each of them on the thread that writes. Here
//! the threads that read histories cut texts ([`WordTokenizer`]), a turn's tokens are inverted at once
//! ([`TurnWords`]), and all that is to be committed becomes one segment ([`PendingWords`]). Where that is much,
//! another thread sorts it in batches ([`word_sorter`]), and merges these at the commit. What is read,
//! merged and deleted stays with FTS5: the segment is the one that it would have written
//! (`fts5_index.c` in <https://sqlite.org/src> describes the format, which stays as it is).

mod byte_lists;
mod doclist_index;
mod doclists;
mod fts5_tokenizer;
mod leaf_reader;
mod pending_words;
mod segment;
mod segment_rows;
mod sorted_run;
mod structure;
mod term_table;
mod turn_words;
mod vocabulary;
mod word_sorter;
mod word_tokenizer;

pub(crate) use fts5_tokenizer::Fts5Tokenizer;
pub(crate) use pending_words::PendingWords;
pub(crate) use term_table::SharedTerms;
pub(crate) use turn_words::TurnWords;
pub(crate) use vocabulary::{TermSizes, Vocabulary};
pub(crate) use word_tokenizer::WordTokenizer;

/// Columns of `words`: answer, prompt, title, commands, paths, errors, parts of identifiers.
pub(crate) const COLUMNS: usize = 7;

#[cfg(test)]
mod tests;
