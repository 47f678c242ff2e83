//! Reads ranked turns and sessions from the index as hits with previews.

use crate::calibration::CalibratedHit;
use crate::filtered_index::FilteredIndex;
use crate::hit::SearchHit;
use crate::ranking::Ranking;
use crate::snippet::find_snippet;
use crate::snippet_words::SnippetWords;
use session_core::parallel::map_on_two_threads;
use session_core::{ConfidenceBand, TurnContent};
use session_store::{PackedTurns, Reader, SessionRow, StoreError, Target, TurnRow};

/// Characters of a preview.
const PREVIEW_CHARS: usize = 200;

/// A hit of a ranking as the index holds it.
struct ReadHit<'a> {
    ranked: &'a CalibratedHit,
    session: &'a SessionRow,
    turn: Option<TurnRow>,
    content: Option<PackedTurns<'a>>,
}

/// Reads the hits of a ranking. One whose session is gone from the index is left out.
pub(crate) fn read(
    index: &Reader,
    filtered: &FilteredIndex<'_>,
    ranking: &Ranking,
) -> Result<Vec<SearchHit>, StoreError> {
    let mut read = Vec::with_capacity(ranking.hits.len());
    for ranked in &ranking.hits {
        let turn = read_turn(index, ranking, ranked)?;
        let Some(session) = find_session(filtered, ranked, turn.as_ref()) else {
            continue;
        };
        let content = turn.as_ref().map(|turn| index.packed_turn(turn.id));
        read.push(ReadHit {
            ranked,
            session,
            content: content.transpose()?,
            turn,
        });
    }
    let words = SnippetWords::from_stats(&ranking.lexical.hits.terms);
    let contents = map_on_two_threads(&read, |hit| {
        let content = hit.content.as_ref().map(PackedTurns::unpack_first);
        let content = content.unwrap_or_default();
        (find_snippet(&content, &words, PREVIEW_CHARS), content)
    });
    let hits = read.into_iter().zip(contents).enumerate();
    let hits = hits.map(|(i, (hit, (preview, content)))| SearchHit {
        rank: i + 1,
        score: hit.ranked.probability,
        band: ConfidenceBand::from_probability(hit.ranked.probability),
        fused: hit.ranked.fused.score,
        session: hit.session.clone(),
        preview,
        files: content.files,
        tools: content.tools,
        turn: hit.turn,
        lexical: hit.ranked.fused.lexical,
        dense: hit.ranked.fused.dense,
        context: ranking.context_factor(hit.session.id),
        exact: ranking.exact_factor(hit.ranked.fused.id),
    });
    Ok(hits.collect())
}

/// Returns the passage that is shown of a turn which no query found.
pub(crate) fn preview_newest(content: &TurnContent) -> String {
    find_snippet(content, &SnippetWords::default(), PREVIEW_CHARS)
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
