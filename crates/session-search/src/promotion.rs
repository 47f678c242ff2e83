//! Promotes the sessions that hold the query's identifiers.

use crate::identifiers::{IDENTIFIERS_ONLY_SHARE, IdentifierHolder, IdentifierHolders};
use crate::lexical::LexicalCandidates;
use crate::search_results::FusedHit;
use session_store::{Level, SessionId, Target, TurnId};
use std::collections::BTreeSet;

/// Factor of the fused score beside the weight: small, since it only decides between equal weights.
const TIE_BREAK: f32 = 0.01;

/// The holders of identifiers in the order in which they are promoted.
#[derive(Debug, Default)]
pub(crate) struct IdentifierPromotion {
    ranked: Vec<RankedHolder>,
    share: f32,
}

#[derive(Debug)]
struct RankedHolder {
    holder: IdentifierHolder,
    rank: f32,
}

impl IdentifierPromotion {
    /// Orders the holders. Where the query is nothing but identifiers, a session that changed a file of that name goes first,
    /// then the one that works with them most; else the fused score decides, which the other words make.
    pub(crate) fn new(holders: &IdentifierHolders, level: Level, hits: &[FusedHit]) -> Self {
        let share = holders.greatest_share();
        let is_identifiers_only = share >= IDENTIFIERS_ONLY_SHARE;
        let rank = |holder: &IdentifierHolder| {
            let targets = holder.targets(level);
            let hit = hits.iter().find(|hit| targets.contains(&hit.id));
            let score = hit.map_or(0.0, |hit| hit.score);
            let rank = if is_identifiers_only {
                let changes_file = f32::from(u8::from(holder.changes_file));
                changes_file + holder.weight * (1.0 + TIE_BREAK * score)
            } else {
                score
            };
            let holder = holder.clone();
            RankedHolder { holder, rank }
        };
        let mut ranked: Vec<RankedHolder> = holders.sessions.iter().map(rank).collect();
        ranked.sort_by(|a, b| {
            let by_share = b.holder.share.total_cmp(&a.holder.share);
            let by_rank = b.rank.total_cmp(&a.rank);
            if is_identifiers_only {
                by_share.then(by_rank)
            } else {
                by_rank
            }
        });
        Self { ranked, share }
    }

    /// Raises the score of each holder, or of its best turn, to `best score * rank / rank of the first holder`. A holder that
    /// is no candidate yet becomes one.
    pub(crate) fn apply(&self, level: Level, hits: &mut Vec<FusedHit>) {
        let best = hits.first().map_or(1.0, |hit| hit.score);
        let first = self.ranked.first().map_or(1.0, |ranked| ranked.rank);
        for ranked in self.ranked.iter().rev() {
            let relative_rank = if first > 0.0 {
                (ranked.rank / first).min(1.0)
            } else {
                1.0
                // none is a candidate yet
            };
            promote_best(hits, &ranked.holder.targets(level), best * relative_rank);
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    }

    /// Returns true when a session is promoted.
    pub(crate) fn is_promoting(&self) -> bool {
        self.share > 0.0
    }

    /// Raises the probability of the best hit of each holder to what its identifiers alone make it: the share of the
    /// query that they are, divided among the holders by their turns.
    pub(crate) fn raise_probabilities(
        &self,
        level: Level,
        hits: &[FusedHit],
        probabilities: &mut [f32],
    ) {
        // Of a common name those are ranked alone that changed the file; the others' turns count, too.
        let all: f32 = self.ranked.iter().map(|r| r.holder.weight).sum();
        let all = all.max(self.share);
        for RankedHolder { holder, .. } in &self.ranked {
            let targets = holder.targets(level);
            let best = hits.iter().position(|hit| targets.contains(&hit.id));
            if let Some(probability) = best.and_then(|best| probabilities.get_mut(best)) {
                let by_identifiers = self.share * holder.weight / all.max(f32::EPSILON);
                *probability = probability.max(by_identifiers);
            }
        }
    }

    /// Returns the turn that is shown for a session, if that is a holder: of its turns that hold an
    /// identifier the best by word.
    pub(crate) fn promoted_turn(
        &self,
        session: SessionId,
        lexical: &LexicalCandidates,
    ) -> Option<TurnId> {
        let holders = || self.ranked.iter().map(|ranked| &ranked.holder);
        let turns = &holders().find(|holder| holder.session == session)?.turns;
        let by_word = lexical.turns.iter().filter_map(|candidate| candidate.turn);
        let mut by_word = by_word.filter(|turn| turns.contains(turn));
        by_word.next().or_else(|| turns.last().copied())
    }
}

/// Moves the best of some targets to the front, with this score at least; the caller sorts stably.
fn promote_best(hits: &mut Vec<FusedHit>, targets: &BTreeSet<Target>, min_score: f32) {
    let Some(last) = targets.last() else {
        return;
    };
    let mut first = match hits.iter().position(|hit| targets.contains(&hit.id)) {
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
