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
use crate::session_scores::SessionScores;
use rustc_hash::FxHashMap;
use session_core::{BestScores, FusedItem, Normalization, ScoredItem, fuse};
use session_store::{SessionId, TurnId};

/// The ranked turns or sessions, best first, with what their order follows from.
pub(crate) struct Ranking<'a> {
    pub(crate) hits: Vec<CalibratedHit>,
    pub(crate) list: FusedList,
    pub(crate) lexical: &'a LexicalCandidates,
    exact: &'a ExactTerms,
    request: &'a SearchRequest,
    promotion: ExactTermPromotion,
    context: Option<SessionScores>,
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
        SessionScores::new(&sessions.hits, request.tuning.context_share)
    });
    if let Some(context) = &context {
        list.apply_session_scores(context);
    }
    let promotion = ExactTermPromotion::new(&candidates.holders, level, &list.hits);
    promotion.apply(level, &mut list.hits);
    Ranking {
        hits: calibrate(&list, &promotion, candidates, request),
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
    pub(crate) fn shown_turn(
        &self,
        session: SessionId,
        nearest: &NearestTargets<'_>,
    ) -> Option<TurnId> {
        let mut turns = self.fuse_turns(session, nearest);
        if let Some(holding) = self.promotion.holding_turns(session) {
            turns.retain(|turn| holding.contains(&turn.id));
            if turns.is_empty() {
                return holding.last().copied();
            }
        }
        for turn in &mut turns {
            turn.score *= self.exact_factor(HitId::Turn(turn.id));
        }
        let best = turns.into_iter().max_by(|a, b| {
            let by_score = a.score.total_cmp(&b.score);
            by_score.then(a.id.cmp(&b.id))
        });
        best.map(|turn| turn.id)
    }

    /// Fuses the turns of a session, scored as among those of all sessions.
    fn fuse_turns(
        &self,
        session: SessionId,
        nearest: &NearestTargets<'_>,
    ) -> Vec<FusedItem<TurnId>> {
        let lexical = &self.lexical.turns;
        let own = lexical.iter().filter(|turn| turn.session == session);
        let by_words = own.filter_map(|own| scored_turn(own.turn, own.score));
        let targets = nearest.targets.iter();
        let own = targets.filter(|target| target.shown.session == session);
        let by_vector = own.filter_map(|own| scored_turn(own.shown.turn, nearest.score(own)));
        let best = BestScores {
            lexical: lexical.first().map_or(0.0, |best| best.score),
            dense: nearest.best_score(),
        };
        fuse(
            &by_words.collect::<Vec<_>>(),
            &by_vector.collect::<Vec<_>>(),
            self.list.weights.alpha,
            Normalization::ByBestOfAll(best),
        )
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

/// Returns a turn with its score in a list; `None` for a chunk of a session.
fn scored_turn(turn: Option<TurnId>, score: f32) -> Option<ScoredItem<TurnId>> {
    Some(ScoredItem { id: turn?, score })
}
