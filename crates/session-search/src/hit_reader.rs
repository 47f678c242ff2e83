//! Reads ranked turns and sessions from the index as hits with previews.

use crate::calibration::CalibratedHit;
use crate::filtered_index::FilteredIndex;
use crate::nearest::NearestTargets;
use crate::ranking::Ranking;
use crate::search_results::{HitId, SearchHit};
use crate::snippet::{find_snippet, find_snippet_beside_title};
use crate::snippet_words::SnippetWords;
use crate::unlisted_history::unmark_unlisted;
use session_core::parallel::map_on_two_threads;
use session_core::{ConfidenceBand, TurnContent};
use session_store::{PackedTurns, Reader, SessionRow, StoreError, TurnRow};

/// Greatest number of characters of a preview: two lines of a wide terminal.
const PREVIEW_CHARS: usize = 200;

/// A hit of a ranking with its rows and its packed content, read from the index.
struct ReadHit<'a> {
    ranked: &'a CalibratedHit,
    session: &'a SessionRow,
    turn: Option<TurnRow>,
    content: Option<PackedTurns<'a>>,
}

/// The passage that is shown of a hit, with the content that it is from.
struct HitPreview {
    passage: String,
    content: TurnContent,
}

impl ReadHit<'_> {
    /// Unpacks the content of the hit and finds the passage that is shown of it.
    fn find_preview(&self, words: &SnippetWords) -> HitPreview {
        let content = self.content.as_ref().map(PackedTurns::unpack_first);
        let content = content.unwrap_or_default();
        HitPreview {
            passage: find_passage(&content, words, self.session),
            content,
        }
    }

    /// Returns when the turn began, or the session ended.
    fn time_ms(&self) -> Option<i64> {
        let began = self.turn.as_ref().and_then(|turn| turn.started_ms);
        match self.ranked.fused.id {
            HitId::Session(_) => self.session.ended_ms.or(began),
            HitId::Turn(_) => began.or(self.session.ended_ms),
        }
    }

    fn into_search_hit(self, ranking: &Ranking<'_>, preview: HitPreview, rank: usize) -> SearchHit {
        let CalibratedHit { fused, probability } = *self.ranked;
        SearchHit {
            rank,
            probability,
            band: ConfidenceBand::from_probability(probability),
            fused_score: fused.score,
            time_ms: self.time_ms(),
            session: self.session.clone(),
            preview: preview.passage,
            files: preview.content.files,
            tools: preview.content.tools,
            turn: self.turn,
            lexical: fused.lexical,
            dense: fused.dense,
            context_factor: ranking.context_factor(self.session.id),
            exact_factor: ranking.exact_factor(fused.id),
        }
    }
}

/// Reads the hits of a ranking. One whose session is gone from the index is left out.
pub(crate) fn read(
    index: &Reader,
    filtered: &FilteredIndex<'_>,
    ranking: &Ranking,
    nearest: &NearestTargets<'_>,
) -> Result<Vec<SearchHit>, StoreError> {
    let mut read = Vec::with_capacity(ranking.hits.len());
    for ranked in &ranking.hits {
        let turn = read_turn(index, ranking, nearest, ranked)?;
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
    let words = SnippetWords::from_stats(&ranking.lexical.matches.terms);
    let previews = map_on_two_threads(&read, |hit| hit.find_preview(&words));
    let hits = read.into_iter().zip(previews).zip(1..);
    let hits = hits.map(|((hit, preview), rank)| hit.into_search_hit(ranking, preview, rank));
    let mut hits: Vec<SearchHit> = hits.collect();
    let mut sessions = hits.iter_mut().map(|hit| &mut hit.session);
    sessions.try_for_each(|session| unmark_unlisted(index, session))?;
    Ok(hits)
}

/// Returns the passage that is shown of a turn of a session which no query found.
pub(crate) fn preview_newest(content: &TurnContent, session: &SessionRow) -> String {
    find_passage(content, &SnippetWords::default(), session)
}

fn find_passage(content: &TurnContent, words: &SnippetWords, session: &SessionRow) -> String {
    match &session.title {
        Some(title) => find_snippet_beside_title(content, words, title, PREVIEW_CHARS),
        None => find_snippet(content, words, PREVIEW_CHARS),
    }
}

/// Reads the turn of a hit, or the turn that is shown for a session.
fn read_turn(
    index: &Reader,
    ranking: &Ranking,
    nearest: &NearestTargets<'_>,
    hit: &CalibratedHit,
) -> Result<Option<TurnRow>, StoreError> {
    let turn = match hit.fused.id {
        HitId::Turn(turn) => Some(turn),
        HitId::Session(session) => ranking.shown_turn(session, nearest),
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
        (None, HitId::Session(session)) => session,
        (None, HitId::Turn(_)) => return None,
    };
    filtered.session(session)
}
