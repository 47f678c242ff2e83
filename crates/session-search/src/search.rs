//! One search, from request to hits.

use crate::candidates::{self, Candidates, Evidence};
use crate::dense::{self, Dense};
use crate::hit::{Explanation, Hit, Results, Searched};
use crate::lexical::{self, LexicalList};
use crate::passing::Passing;
use crate::request::{Level, Ranking, Request};
use crate::snippet::snippet;
use session_core::{Band, Fused, Fusion, fuse};
use session_store::{Lexical, Reader, SessionRow, StoreError};
use std::collections::HashMap;

/// Candidates of each list.
const LEXICAL: usize = 150;
const DENSE: usize = 250;
/// A fused score below this is no hit, unless it holds a word of the query.
const LEAST_SCORE: f32 = 0.02;
const PREVIEW_CHARS: usize = 200;

/// Answers a request over `sessions`, all of the index's. `dense` is the query as
/// each model sees it, the best model first; the others speak for what those
/// before them have not embedded. Without any the lexical list is all there is.
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
        Ranking::Vector => LexicalList {
            evidence: Vec::new(),
            found: Lexical::default(),
        },
        _ => lexical::list(index, &request.query, &mut passing)?,
    };
    let near = match (dense, request.ranking) {
        ([], _) | (_, Ranking::Keyword) => Vec::new(),
        (dense, _) => dense::list(index, dense, request, &mut passing)?,
    };
    let fusion = fusion(request, dense, words.top(&request.query), near.first());
    let (lexical, near) = match request.level {
        Level::Session => (
            candidates::sessions(&words.evidence, LEXICAL),
            candidates::sessions(&near, DENSE),
        ),
        Level::Turn => (
            candidates::turns(&words.evidence, LEXICAL),
            candidates::turns(&near, DENSE),
        ),
    };
    let fused = fuse(&lexical.scored, &near.scored, &fusion);
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
            hit(index, request, i + 1, fused, &[&lexical, &near], sessions).transpose()
        })
        .collect::<Result<_, _>>()?;
    let explanation = Explanation {
        fusion,
        terms: words.found.terms,
        models: dense.iter().map(|d| d.model.name.clone()).collect(),
        scale: dense.first().map(|d| d.scale),
    };
    Ok(Results {
        level: request.level,
        hits,
        searched: Searched::count(sessions.values().copied()),
        explanation,
    })
}

/// How the two lists are fused, by what their best are worth.
fn fusion(
    request: &Request,
    dense: &[Dense],
    lexical_top: f32,
    nearest: Option<&Evidence>,
) -> Fusion {
    let words = request.query.terms.len();
    let worth = |(d, best): (&Dense, &Evidence)| d.scale.worth(best.score, words);
    let dense_top = dense.first().zip(nearest).map_or(0.0, worth);
    Fusion {
        alpha: yielded(alpha(request, dense), dense_top, lexical_top),
        lexical_top,
        dense_floor: dense.first().map_or(0.0, |d| d.scale.floor(words)),
        dense_top,
    }
}

/// A dense list that found less than the lexical one yields weight to it, in
/// proportion: where nothing is near in meaning, an exact word has all of it.
fn yielded(alpha: f32, dense_top: f32, lexical_top: f32) -> f32 {
    let dense = alpha * dense_top;
    let lexical = (1.0 - alpha) * lexical_top;
    if dense_top < lexical_top && lexical > 0.0 {
        dense / (dense + lexical)
    } else {
        alpha
    }
}

/// The weight that was asked for; one list has all of it where the other
/// cannot speak: no model, no vector, or nothing in the query that is a word.
fn alpha(request: &Request, dense: &[Dense]) -> f32 {
    let speaks = dense.iter().any(Dense::speaks);
    match request.ranking {
        Ranking::Hybrid(_) if !speaks => 0.0,
        Ranking::Hybrid(_) if request.query.terms.is_empty() => 1.0,
        ranking => ranking.alpha(),
    }
}

fn hit(
    index: &Reader,
    request: &Request,
    rank: usize,
    fused: &Fused,
    lists: &[&Candidates; 2],
    sessions: &HashMap<i64, &SessionRow>,
) -> Result<Option<Hit>, StoreError> {
    let turn = match request.level {
        Level::Turn => Some(fused.id),
        Level::Session => best_turn(fused, lists),
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

/// The turn of the list that contributed more to a session.
fn best_turn(fused: &Fused, lists: &[&Candidates; 2]) -> Option<i64> {
    let of = |list: &Candidates| list.best_turn.get(&fused.id).map(|(turn, _)| *turn);
    let [lexical, dense] = lists.map(of);
    let worth = |standing: Option<session_core::Standing>| standing.map_or(0.0, |s| s.scaled);
    if worth(fused.lexical) >= worth(fused.dense) {
        lexical.or(dense)
    } else {
        dense.or(lexical)
    }
}
