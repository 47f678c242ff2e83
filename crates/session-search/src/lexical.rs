//! The lexical list.

use crate::candidates::Evidence;
use crate::passing::Passing;
use session_core::Query;
use session_store::{Lexical, Reader, StoreError};

/// Most turns taken from the word index. At session level they are grouped,
/// so that some hundred sessions remain.
const TURNS: usize = 500;

/// Matched words are worth their full share from this rarity on: half the
/// information of a word that one turn alone holds.
const RARE: f32 = 0.5;
/// What a query of stop words alone is worth at most.
const STOP_WORDS: f32 = 0.4;

/// What the words of the query found, best first.
pub(crate) struct LexicalList {
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) found: Lexical,
}

impl LexicalList {
    /// What the best of this list is worth: the share of the query's information
    /// that it matched, less where the words that it matched are common.
    pub(crate) fn top(&self, query: &Query) -> f32 {
        let Some(best) = self.found.hits.first() else {
            return 0.0;
        };
        let rare = (self.found.rarity(best.id) / RARE).min(1.0);
        let telling = if query.telling { 1.0 } else { STOP_WORDS };
        self.found.share(best.id) * rare * telling
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
