//! One search, from request to hits.

use crate::candidates::{self, Candidates};
use crate::dense::{self, Dense, DenseList};
use crate::hit::{Explanation, Hit, Results, Searched};
use crate::lexical::{self, LexicalList};
use crate::named::{self, Named};
use crate::passing::Passing;
use crate::request::{Level, Ranking, Request};
use crate::snippet::snippet;
use crate::weighing::{Side, Weighing};
use rustc_hash::FxHashMap;
use session_core::{Band, Fused, fuse};
use session_store::{Reader, SessionRow, StoreError};

/// Candidates of each list.
const LEXICAL: usize = 150;
const DENSE: usize = 250;
/// A fused score below this is no hit, unless it holds a word of the query.
const LEAST_SCORE: f32 = 0.02;
const PREVIEW_CHARS: usize = 200;

/// Answers a request over `sessions`, all of the index's. `dense` is the query as
/// each model sees it, the best model first; each speaks for what it has
/// embedded. Without any the lexical list is all there is.
///
/// # Errors
/// When the index fails.
pub fn search(
    index: &Reader,
    sessions: &[SessionRow],
    request: &Request,
    dense: &[Dense],
) -> Result<Results, StoreError> {
    let mut passing = Passing::new(index, sessions, &request.filter);
    let words = match request.ranking {
        Ranking::Vector => LexicalList::default(),
        _ => lexical::list(index, &request.query, &mut passing)?,
    };
    let near = match request.ranking {
        Ranking::Keyword => DenseList::default(),
        _ => dense::list(index, dense, request, &mut passing)?,
    };
    let named = named::find(index, request, &words, &mut passing)?;
    let weighing = Weighing::of(request, &words, &near, named.share);
    let fusion = weighing.fusion(request, words.worth_of_a_rare_word());
    let (lexical, nearest) = match request.level {
        Level::Session => (
            candidates::sessions(&words.evidence, LEXICAL),
            candidates::sessions(&near.evidence, DENSE),
        ),
        Level::Turn => (
            candidates::turns(&words.evidence, LEXICAL),
            candidates::turns(&near.evidence, DENSE),
        ),
    };
    let mut fused = fuse(&lexical.scored, &nearest.scored, &fusion);
    named.promote(request.level, &mut fused);
    let best: Vec<Fused> = fused
        .into_iter()
        .filter(|f| f.score >= LEAST_SCORE || f.lexical.is_some())
        .take(request.limit)
        .collect();
    let sessions = passing.sessions();
    let hits = best
        .iter()
        .enumerate()
        .filter_map(|(i, fused)| {
            hit(
                index,
                request,
                i + 1,
                fused,
                &[&lexical, &nearest],
                (&weighing, &named),
                sessions,
            )
            .transpose()
        })
        .collect::<Result<_, _>>()?;
    let explanation = Explanation {
        fusion,
        weighing,
        named: named.terms,
        terms: words.found.terms,
        models: dense.iter().map(|d| d.model.name.clone()).collect(),
        spreads: near.spreads,
    };
    Ok(Results {
        level: request.level,
        hits,
        searched: Searched::count(sessions.values().copied()),
        explanation,
    })
}

fn hit(
    index: &Reader,
    request: &Request,
    rank: usize,
    fused: &Fused,
    lists: &[&Candidates; 2],
    (weighing, named): (&Weighing, &Named),
    sessions: &FxHashMap<i64, &SessionRow>,
) -> Result<Option<Hit>, StoreError> {
    let turn = match request.level {
        Level::Turn => Some(fused.id),
        Level::Session => named
            .turn_of(fused.id)
            .or_else(|| best_turn(fused, lists, weighing)),
    };
    let turn = turn.map(|id| index.turn(id)).transpose()?.flatten();
    let session = turn.as_ref().map_or(fused.id, |t| t.session);
    let Some(session) = sessions.get(&session) else {
        return Ok(None);
    };
    let content = turn
        .as_ref()
        .map(|t| index.content(t.id))
        .transpose()?
        .unwrap_or_default();
    Ok(Some(Hit {
        rank,
        score: fused.score,
        band: Band::of(fused.score),
        session: (*session).clone(),
        preview: snippet(&content, &request.query, PREVIEW_CHARS),
        files: content.files,
        tools: content.tools,
        turn,
        lexical: fused.lexical,
        dense: fused.dense,
    }))
}

/// The turn of the list whose word for a session is worth more.
fn best_turn(fused: &Fused, lists: &[&Candidates; 2], weighing: &Weighing) -> Option<i64> {
    let of = |list: &Candidates| list.best_turn.get(&fused.id).map(|(turn, _)| *turn);
    let [lexical, dense] = lists.map(of);
    let worth = |standing: Option<session_core::Standing>, side: Side| {
        standing.map_or(0.0, |s| s.scaled * side.worth)
    };
    if worth(fused.lexical, weighing.lexical) >= worth(fused.dense, weighing.dense) {
        lexical.or(dense)
    } else {
        dense.or(lexical)
    }
}
