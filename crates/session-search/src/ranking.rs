//! The stages from candidates to a ranking: pure functions of what was read.

use crate::calibration::{CalibratedHit, calibrate};
use crate::candidates::Candidates;
use crate::cosines::{DenseCosines, VectorTarget};
use crate::exact_terms::ExactTerms;
use crate::filtered_index::FilteredIndex;
use crate::fused_list::FusedList;
use crate::lexical::LexicalCandidates;
use crate::nearest::NearestTargets;
use crate::promotion::ExactTermPromotion;
use crate::request::{Level, SearchRequest};
use crate::search_results::HitId;
use crate::session_context::SessionContext;
use rustc_hash::FxHashMap;
use session_store::{SessionId, TurnId};

/// The ranked turns or sessions, best first, with what their order follows from.
pub(crate) struct Ranking<'a> {
    pub(crate) hits: Vec<CalibratedHit>,
    pub(crate) list: FusedList,
    pub(crate) lexical: &'a LexicalCandidates,
    exact: &'a ExactTerms,
    request: &'a SearchRequest,
    promotion: ExactTermPromotion,
    context: Option<SessionContext>,
}

/// The nearest targets at each level that a request needs.
pub(crate) struct NearestByLevel<'a> {
    /// At the level of the hits.
    pub(crate) of_level: NearestTargets<'a>,
    /// At the level of sessions, where the hits are turns.
    pub(crate) of_sessions: Option<NearestTargets<'a>>,
}

impl<'a> NearestByLevel<'a> {
    /// Finds what is nearest at a level.
    pub(crate) fn find(
        cosines: &DenseCosines<'a>,
        level: Level,
        filtered: &FilteredIndex<'_>,
    ) -> Self {
        let find = |level| NearestTargets::find(cosines, level, filtered);
        Self {
            of_level: find(level),
            of_sessions: (level == Level::Turn).then(|| find(Level::Session)),
        }
    }

    /// Sets more precise cosines by the first model.
    pub(crate) fn set_cosines(&mut self, precise: &FxHashMap<VectorTarget, f32>) {
        let lists = [Some(&mut self.of_level), self.of_sessions.as_mut()];
        for nearest in lists.into_iter().flatten() {
            nearest.set_cosines(precise);
        }
    }
}

/// Ranks candidates: fusion, context of the session, rare exact terms, calibration.
pub(crate) fn rank<'a>(
    candidates: &'a Candidates<'_>,
    nearest: &NearestByLevel<'_>,
    request: &'a SearchRequest,
    filtered: &FilteredIndex<'_>,
) -> Ranking<'a> {
    let (level, lexical) = (request.level, &candidates.lexical);
    let fuse = |nearest, level| FusedList::new(candidates, nearest, request, level, filtered);
    let mut list = fuse(&nearest.of_level, level);
    let context = nearest.of_sessions.as_ref().map(|nearest| {
        let sessions = fuse(nearest, Level::Session);
        SessionContext::new(&sessions.hits, request.tuning.context_share)
    });
    if let Some(context) = &context {
        list.apply_session_context(context);
    }
    let promotion = ExactTermPromotion::new(&candidates.holders, level, &list.hits);
    promotion.apply(level, &mut list.hits);
    Ranking {
        hits: calibrate(&list, &promotion, lexical, request),
        list,
        lexical,
        exact: &candidates.exact,
        request,
        promotion,
        context,
    }
}

impl Ranking<'_> {
    /// Returns the turn that is shown for a session: the one with the greatest fused score, of those that hold a rare
    /// exact term of the query where any does.
    pub(crate) fn shown_turn(&self, session: SessionId) -> Option<TurnId> {
        let mut scores = self.score_turns(session);
        if let Some(holding) = self.promotion.holding_turns(session) {
            scores.retain(|turn, _| holding.contains(turn));
            if scores.is_empty() {
                return holding.last().copied();
            }
        }
        let scored = scores
            .into_iter()
            .map(|(turn, score)| (turn, score * self.exact_factor(HitId::Turn(turn))));
        let best = scored.max_by(|(a, by), (b, than)| by.total_cmp(than).then(a.cmp(b)));
        best.map(|(turn, _)| turn)
    }

    /// Returns the fused scores of a session's turns.
    fn score_turns(&self, session: SessionId) -> FxHashMap<TurnId, f32> {
        let alpha = self.list.weights.alpha;
        let lists = [
            (&self.lexical.turns, 1.0 - alpha),
            (&self.list.nearest_turns, alpha),
        ];
        let mut scores = FxHashMap::default();
        for (candidates, weight) in lists {
            let best = candidates.first().map_or(0.0, |best| best.score);
            let own = candidates.iter().filter(|one| one.session == session);
            for (turn, score) in own.filter_map(|one| Some((one.turn?, one.score))) {
                let scaled = if best > 0.0 { score / best } else { 0.0 };
                *scores.entry(turn).or_default() += weight * scaled.max(0.0);
            }
        }
        scores
    }

    /// Returns the factor by which exact terms that a hit lacks change its score.
    pub(crate) fn exact_factor(&self, hit: HitId) -> f32 {
        self.exact
            .score_factor(hit, self.request.tuning.exact_penalty)
    }

    /// Returns the factor by which a session changes the scores of its turns; 1 for a session.
    pub(crate) fn context_factor(&self, session: SessionId) -> f32 {
        self.context
            .as_ref()
            .map_or(1.0, |context| context.score_factor(session))
    }
}
