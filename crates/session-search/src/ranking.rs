//! The stages from candidates to a ranking: pure functions of what was read.

use crate::calibration::{CalibratedHit, calibrate};
use crate::candidates::Candidates;
use crate::filtered_index::FilteredIndex;
use crate::fused_list::FusedList;
use crate::hit::FusedHit;
use crate::lexical::LexicalCandidates;
use crate::promotion::Promotion;
use crate::request::Request;
use crate::session_context::SessionContext;
use session_store::{Level, SessionId, TurnId};

/// The ranked turns or sessions, best first, with what their order follows from.
pub(crate) struct Ranking<'a> {
    pub(crate) hits: Vec<CalibratedHit>,
    pub(crate) list: FusedList,
    lexical: &'a LexicalCandidates,
    promotion: Promotion,
    context: Option<SessionContext>,
}

/// Ranks candidates: fusion, context of the session, identifiers, calibration.
pub(crate) fn rank<'a>(
    candidates: &'a Candidates<'_>,
    request: &Request,
    filtered: &FilteredIndex<'_>,
) -> Ranking<'a> {
    let (level, lexical) = (request.level, &candidates.lexical);
    let mut list = FusedList::new(candidates, request, level, filtered);
    let context = match level {
        Level::Session => None,
        Level::Turn => Some(session_context(candidates, request, filtered)),
    };
    if let Some(context) = &context {
        list.weigh_by_session(context);
    }
    let promotion = Promotion::new(&candidates.holders, level, &list.hits);
    promotion.apply(level, &mut list.hits);
    Ranking {
        hits: calibrate(&list, &promotion, lexical, request.limit),
        list,
        lexical,
        promotion,
        context,
    }
}

fn session_context(
    candidates: &Candidates<'_>,
    request: &Request,
    filtered: &FilteredIndex<'_>,
) -> SessionContext {
    let sessions = FusedList::new(candidates, request, Level::Session, filtered);
    SessionContext::new(&sessions.hits, request.tuning.context)
}

impl Ranking<'_> {
    /// Returns the turn that is shown for a session: one that holds an identifier of the query, or
    /// else the best turn of the list that found more.
    pub(crate) fn shown_turn(&self, session: SessionId, hit: &FusedHit) -> Option<TurnId> {
        let by_identifier = self.promotion.turn_of(session, self.lexical);
        by_identifier.or_else(|| self.list.best_turn(session, hit))
    }

    /// Returns the factor by which a session changes the scores of its turns; 1 for a session.
    pub(crate) fn context_factor(&self, session: SessionId) -> f32 {
        self.context
            .as_ref()
            .map_or(1.0, |context| context.factor(session))
    }
}
