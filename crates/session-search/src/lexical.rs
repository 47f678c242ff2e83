//! The lexical list.

use crate::candidates::Evidence;
use crate::passing::Passing;
use session_core::Query;
use session_store::{Lexical, Reader, StoreError};

/// Most turns taken from the word index. At session level they are grouped,
/// so that some hundred sessions remain.
const TURNS: usize = 500;

/// What the words of the query found, best first.
pub(crate) struct LexicalList {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) found: Lexical,
}

impl LexicalList {
    /// The share of the query's information that the best hit matched: what
    /// the best of this list is worth.
    pub(crate) fn top(&self) -> f32 {
        let best = self.found.hits.first();
        best.map_or(0.0, |hit| self.found.share(hit.id))
    }
}

pub(crate) fn list(
    index: &Reader,
    query: &Query,
    passing: &mut Passing<'_>,
) -> Result<LexicalList, StoreError> {
    let mut places = Vec::new();
    let found = index.lexical(query, TURNS, |turn| {
        let place = passing.place_of(turn)?;
        places.extend(place);
        Ok(place.is_some())
    })?;
    let placed = found.hits.iter().zip(places);
    let evidence = placed
        .map(|(hit, (turn, session))| Evidence {
            session,
            turn,
            score: hit.score,
        })
        .collect();
    Ok(LexicalList { evidence, found })
}
