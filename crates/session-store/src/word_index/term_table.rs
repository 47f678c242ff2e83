//! Numbers of terms, shared by all threads that cut texts.

use super::byte_lists::ByteLists;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Terms from which on a table takes no further turns: identifiers never end.
const FULL_TERMS: usize = 300_000;

/// A term of a [`TermTable`].
pub(super) type TermId = u32;

/// Terms by number.
#[derive(Debug, Default)]
pub(crate) struct TermTable(Mutex<IndexSet<Box<[u8]>, FxBuildHasher>>);

impl TermTable {
    /// Returns the number of a term, which it gets now if it is new.
    pub(super) fn intern(&self, term: &[u8]) -> TermId {
        let mut terms = self.terms();
        let position = match terms.get_index_of(term) {
            Some(known) => known,
            None => terms.insert_full(term.into()).0,
        };
        TermId::try_from(position).unwrap_or(TermId::MAX)
    }

    /// Copies all terms, by number, so that the table takes others while these are written.
    pub(super) fn to_list(&self) -> ByteLists {
        let terms = self.terms();
        let mut list = ByteLists {
            ends: Vec::with_capacity(terms.len()),
            bytes: Vec::new(),
        };
        for term in terms.iter() {
            list.bytes.extend_from_slice(term);
            list.ends.push(list.bytes.len());
        }
        list
    }

    fn terms(&self) -> MutexGuard<'_, IndexSet<Box<[u8]>, FxBuildHasher>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The table that new turns use.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedTerms(Arc<Mutex<Arc<TermTable>>>);

impl SharedTerms {
    /// Returns the table, another one where that was full.
    pub(super) fn current(&self) -> Arc<TermTable> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if current.terms().len() >= FULL_TERMS {
            *current = Arc::default();
        }
        Arc::clone(&current)
    }
}
