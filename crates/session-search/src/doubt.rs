//! Lowers the probabilities of hits by words that were probably not meant.

use crate::hit::SearchResults;
use session_core::ConfidenceBand;

/// The probability that another word was meant than the one that was searched in its place: of mistyped words one in
/// twelve was corrected wrongly, of names and words that a history does not hold most.
const DOUBT: f32 = 0.31;

impl SearchResults {
    /// Lowers the probabilities of the hits by the share of the query's words in whose place other words were searched.
    pub fn lower_probabilities(&mut self, replaced_share: f32) {
        for hit in &mut self.hits {
            hit.score *= 1.0 - DOUBT * replaced_share.min(1.0);
            hit.band = ConfidenceBand::from_probability(hit.score);
        }
    }
}
