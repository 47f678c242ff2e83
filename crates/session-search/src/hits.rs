//! The last stage: ranked turns and sessions are read from the index as hits with previews.

use crate::calibration::CalibratedHit;
use crate::filtered_index::FilteredIndex;
use crate::hit::Hit;
use crate::ranking::Ranking;
use crate::request::Request;
use crate::snippet::snippet;
use session_core::{Band, TurnContent};
use session_store::{Reader, SessionRow, StoreError, Target, TurnRow};

/// Characters of a preview.
const PREVIEW_CHARS: usize = 200;

/// Reads the hits of a ranking. One whose session is gone from the index is left out.
pub(crate) fn read(
    index: &Reader,
    filtered: &FilteredIndex<'_>,
    request: &Request,
    ranking: &Ranking,
) -> Result<Vec<Hit>, StoreError> {
    let mut hits = Vec::with_capacity(ranking.hits.len());
    for (i, ranked) in ranking.hits.iter().enumerate() {
        let turn = read_turn(index, ranking, ranked)?;
        let Some(session) = find_session(filtered, ranked, turn.as_ref()) else {
            continue;
        };
        let content = match &turn {
            Some(turn) => index.content(turn.id)?,
            None => Default::default(),
        };
        hits.push(Hit {
            rank: i + 1,
            score: ranked.probability,
            band: Band::from_probability(ranked.probability),
            fused: ranked.fused.score,
            session: session.clone(),
            preview: preview(&content, request),
            files: content.files,
            tools: content.tools,
            turn,
            lexical: ranked.fused.lexical,
            dense: ranked.fused.dense,
            context: ranking.context_factor(session.id),
        });
    }
    Ok(hits)
}

/// Returns the passage of a turn that is shown for a request.
pub(crate) fn preview(content: &TurnContent, request: &Request) -> String {
    snippet(content, &request.query, PREVIEW_CHARS)
}

/// Reads the turn of a hit, or the turn that is shown for a session.
fn read_turn(
    index: &Reader,
    ranking: &Ranking,
    hit: &CalibratedHit,
) -> Result<Option<TurnRow>, StoreError> {
    let turn = match hit.fused.id {
        Target::Turn(turn) => Some(turn),
        Target::Session(session) => ranking.shown_turn(session, &hit.fused),
    };
    Ok(turn.map(|turn| index.turn(turn)).transpose()?.flatten())
}

fn find_session<'a>(
    filtered: &FilteredIndex<'a>,
    hit: &CalibratedHit,
    turn: Option<&TurnRow>,
) -> Option<&'a SessionRow> {
    let session = match (turn, hit.fused.id) {
        (Some(turn), _) => turn.session,
        (None, Target::Session(session)) => session,
        (None, Target::Turn(_)) => return None,
    };
    filtered.session(session)
}
