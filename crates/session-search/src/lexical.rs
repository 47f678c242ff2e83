//! The lexical list.

use crate::candidates::Evidence;
use crate::filtered_index::FilteredIndex;
use session_core::Query;
use session_store::{LexicalHits, Reader, StoreError};

/// Most turns taken from the word index. At session level they are grouped,
/// so that some hundred sessions remain.
const TURNS: usize = 2000;

/// Matched words are worth their full share from this rarity on: half the
/// information of a word that one turn alone holds.
const RARE: f32 = 0.5;
/// What a query of stop words alone is worth at most.
const STOP_WORDS: f32 = 0.4;

/// What the words of the query found, best first.
#[derive(Default)]
pub(crate) struct LexicalList {
    /// Scored by BM25 times the root of the share of the query's information
    /// that the turn holds: one word said often is less than all of them said.
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) found: LexicalHits,
    /// The turn of the index that is best, wherever it is shown.
    best: Option<i64>,
}

impl LexicalList {
    /// What the best of this list is worth: the share of the query's information
    /// that it matched, less where the words that it matched are common.
    pub(crate) fn worth(&self, query: &Query) -> f32 {
        let Some(best) = self.best else {
            return 0.0;
        };
        let rare = (self.found.relative_idf(best) / RARE).min(1.0);
        let telling = if query.telling { 1.0 } else { STOP_WORDS };
        self.found.idf_share(best) * rare * telling
    }

    /// Returns true when no turn that the filter lets through holds a word of the query, also where
    /// it has none.
    pub(crate) fn holds_none(&self) -> bool {
        self.evidence.is_empty()
    }

    /// Returns true when the query has words and the filter lets through no turn with any of them.
    pub(crate) fn is_silent(&self) -> bool {
        !self.found.terms.is_empty() && self.holds_none()
    }

    /// Returns true when the query has words and no turn of the index holds any of them.
    fn is_unknown(&self) -> bool {
        let mut terms = self.found.terms.iter();
        !self.found.terms.is_empty() && terms.all(|term| term.turns == 0)
    }

    /// The terms that no turn holds: the identifiers among them, or all where no term is held.
    pub(crate) fn missing(&self, query: &Query) -> Vec<String> {
        let is_missing = |text: &str| {
            let mut counts = self.found.terms.iter();
            counts.any(|count| count.turns == 0 && count.term == text)
        };
        let told = query.terms.iter();
        let told = told.filter(|t| self.is_unknown() || t.exact && is_missing(&t.text));
        told.map(|term| term.text.clone()).collect()
    }

    /// The part of the query's terms that some turn holds; 0 where there is none.
    #[expect(clippy::cast_precision_loss, reason = "terms of a query")]
    pub(crate) fn held(&self) -> f32 {
        let terms = &self.found.terms;
        let held = terms.iter().filter(|term| term.turns > 0).count();
        match terms.len() {
            0 => 0.0,
            all => held as f32 / all as f32,
        }
    }
}

pub(crate) fn list(
    index: &Reader,
    query: &Query,
    filtered: &FilteredIndex<'_>,
) -> Result<LexicalList, StoreError> {
    let mut places = Vec::new();
    let found = index.search_lexical(query, TURNS, |turn| {
        let place = filtered.resolve_turn(index, turn)?;
        places.extend(place);
        Ok(place.is_some())
    })?;
    let mut scored: Vec<(f32, i64, (i64, i64))> = found
        .hits
        .iter()
        .zip(places)
        .map(|(hit, place)| (hit.score * found.idf_share(hit.id).sqrt(), hit.id, place))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    Ok(LexicalList {
        best: scored.first().map(|(_, id, _)| *id),
        evidence: scored.into_iter().map(evidence).collect(),
        found,
    })
}

fn evidence((score, _, (turn, session)): (f32, i64, (i64, i64))) -> Evidence {
    Evidence {
        session,
        turn,
        score,
    }
}
