//! Promotes the sessions that hold rare exact terms of the query.

use crate::exact_holders::{EXACT_TERMS_ONLY_SHARE, ExactTermHolder, ExactTermHolders};
use crate::request::Level;
use crate::search_results::{FusedHit, HitId};
use session_store::{SessionId, TurnId};
use std::collections::BTreeSet;

/// Factor of the fused score beside the share by turns: small, since it only decides between equal shares.
const TIE_BREAK: f32 = 0.01;

/// The holders of rare exact terms in the order in which they are promoted.
#[derive(Debug, Default)]
pub(crate) struct ExactTermPromotion {
    ordered: Vec<OrderedHolder>,
    /// The greatest share of the query's idf that a holder has in exact terms, 0 to 1.
    share: f32,
}

/// A holder with the score that orders those of the same share.
#[derive(Debug)]
struct OrderedHolder {
    holder: ExactTermHolder,
    order_score: f32,
}

impl ExactTermPromotion {
    /// Orders the holders. If the query has only exact terms, a session that changed a file of that name comes first, then
    /// the session that works with the terms most. Otherwise the fused score decides, since it counts the other words.
    pub(crate) fn new(holders: &ExactTermHolders, level: Level, hits: &[FusedHit]) -> Self {
        let share = holders.greatest_share();
        let is_exact_terms_only = share >= EXACT_TERMS_ONLY_SHARE;
        let order = |holder: &ExactTermHolder| {
            let hit_ids = holder.hit_ids(level);
            let hit = hits.iter().find(|hit| hit_ids.contains(&hit.id));
            let score = hit.map_or(0.0, |hit| hit.score);
            let order_score = if is_exact_terms_only {
                let changes_file = f32::from(u8::from(holder.changes_file));
                changes_file + holder.turn_weighted_share * (1.0 + TIE_BREAK * score)
            } else {
                score
            };
            let holder = holder.clone();
            OrderedHolder {
                holder,
                order_score,
            }
        };
        let mut ordered: Vec<OrderedHolder> = holders.sessions.iter().map(order).collect();
        ordered.sort_by(|a, b| {
            let by_share = b.holder.share.total_cmp(&a.holder.share);
            let by_score = b.order_score.total_cmp(&a.order_score);
            if is_exact_terms_only {
                by_share.then(by_score)
            } else {
                by_score
            }
        });
        Self { ordered, share }
    }

    /// Raises the score of each holder, or of its best turn, to
    /// `best score * order score / order score of the first holder`. A holder that is no candidate yet becomes one.
    pub(crate) fn apply(&self, level: Level, hits: &mut Vec<FusedHit>) {
        let best = hits.first().map_or(1.0, |hit| hit.score);
        let first = self.ordered.first().map_or(1.0, |first| first.order_score);
        for OrderedHolder {
            holder,
            order_score,
        } in self.ordered.iter().rev()
        {
            let relative_score = if first > 0.0 {
                (order_score / first).min(1.0)
            } else {
                1.0
                // none is a candidate yet
            };
            promote_best(hits, &holder.hit_ids(level), best * relative_score);
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    }

    /// Returns true if a session is promoted: the first hit is one.
    pub(crate) fn has_promoted_session(&self) -> bool {
        self.share > 0.0
    }

    /// Raises the probability of the best hit of each holder to what its exact terms alone make it: the share of the
    /// query that they are, divided among the holders by their turns.
    pub(crate) fn raise_probabilities(
        &self,
        level: Level,
        hits: &[FusedHit],
        probabilities: &mut [f32],
    ) {
        // Of a common name only those are holders that changed the file; the others' turns count, too.
        let shares = self
            .ordered
            .iter()
            .map(|one| one.holder.turn_weighted_share);
        let all: f32 = shares.sum();
        let all = all.max(self.share);
        for OrderedHolder { holder, .. } in &self.ordered {
            let hit_ids = holder.hit_ids(level);
            let best = hits.iter().position(|hit| hit_ids.contains(&hit.id));
            if let Some(probability) = best.and_then(|best| probabilities.get_mut(best)) {
                let by_turns = holder.turn_weighted_share / all.max(f32::EPSILON);
                *probability = probability.max(self.share * by_turns);
            }
        }
    }

    /// Returns the turns of a session that hold an exact term, if the session is a holder.
    pub(crate) fn holding_turns(&self, session: SessionId) -> Option<&BTreeSet<TurnId>> {
        let mut holders = self.ordered.iter().map(|one| &one.holder);
        Some(&holders.find(|holder| holder.session == session)?.turns)
    }
}

/// Moves the best of some hits to the front, with this score at least; the caller sorts stably.
fn promote_best(hits: &mut Vec<FusedHit>, hit_ids: &BTreeSet<HitId>, min_score: f32) {
    let Some(last) = hit_ids.last() else {
        return;
    };
    let mut first = match hits.iter().position(|hit| hit_ids.contains(&hit.id)) {
        Some(position) => hits.remove(position),
        None => FusedHit {
            id: *last,
            score: 0.0,
            lexical: None,
            dense: None,
        },
    };
    first.score = first.score.max(min_score);
    hits.insert(0, first);
}
