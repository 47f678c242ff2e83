//! The candidates by word.

use crate::candidate_list::Candidate;
use crate::filtered_index::FilteredIndex;
use session_core::Query;
use session_store::{LexicalMatches, Reader, StoreError, TurnId};

/// Greatest number of turns read from the word index: grouped to sessions, some hundreds remain.
const MAX_TURNS: usize = 2000;

/// The part of the idf of a term that one turn holds from which matched terms count with their full share.
const FULL_CONFIDENCE_IDF: f32 = 0.5;
/// The greatest confidence of a query of stop words alone.
const STOP_WORD_CONFIDENCE: f32 = 0.4;

/// The turns that hold words of the query, best first.
#[derive(Default)]
pub(crate) struct LexicalCandidates {
    /// Scored by `BM25 * sqrt(coverage)`, with the share of the query's idf that the turn matches as its coverage: one term that
    /// occurs often counts less than all terms once.
    pub(crate) turns: Vec<Candidate>,
    /// The matches of the query in the word index.
    pub(crate) matches: LexicalMatches,
    /// The best turn, as the index holds it: it may be shown as a copy.
    best: Option<TurnId>,
}

impl LexicalCandidates {
    /// Reads the best turns by word that the filter lets through.
    pub(crate) fn read(
        index: &Reader,
        filtered: &FilteredIndex<'_>,
        query: &Query,
    ) -> Result<Self, StoreError> {
        let passes = |turn| Ok(filtered.resolve_turn(turn).is_some());
        let matches = index.search_lexical(query, MAX_TURNS, passes)?;
        let mut scored: Vec<(TurnId, Candidate)> = Vec::with_capacity(matches.turns.len());
        for found in &matches.turns {
            let Some(copy) = filtered.resolve_turn(found.id) else {
                continue;
            };
            let candidate = Candidate {
                session: copy.session,
                turn: Some(copy.turn),
                score: found.score * matches.idf_share(found.id).sqrt(),
            };
            scored.push((found.id, candidate));
        }
        scored.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
        Ok(Self {
            best: scored.first().map(|(turn, _)| *turn),
            turns: scored.into_iter().map(|(_, turn)| turn).collect(),
            matches,
        })
    }

    /// Returns the confidence of the best turn, `coverage * min(1, matched idf / (0.5 * idf of one turn))`, 0 to 1: less where its
    /// terms are common.
    pub(crate) fn confidence(&self, query: &Query) -> f32 {
        let Some(best) = self.best else {
            return 0.0;
        };
        let rare = (self.matches.relative_idf(best) / FULL_CONFIDENCE_IDF).min(1.0);
        let content = if query.has_content_words {
            1.0
        } else {
            STOP_WORD_CONFIDENCE
        };
        self.matches.idf_share(best) * rare * content
    }

    /// Returns true when no turn that the filter lets through holds a word of the query, also where
    /// it has none.
    pub(crate) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Returns true when the query has words and the filter lets through no turn with any of them.
    pub(crate) fn matches_no_term(&self) -> bool {
        !self.matches.terms.is_empty() && self.is_empty()
    }

    /// Returns the share of the query's terms that some turn holds; 0 where there is none.
    pub(crate) fn held_term_share(&self) -> f32 {
        let terms = &self.matches.terms;
        let held = terms.iter().filter(|term| term.turns > 0).count();
        share_of(held, terms.len())
    }
}

/// Returns a share of terms, 0 to 1; 0 where there is none.
#[expect(clippy::cast_precision_loss, reason = "terms of a query")]
pub(crate) fn share_of(some: usize, all: usize) -> f32 {
    (some as f32 / all.max(1) as f32).min(1.0)
}
