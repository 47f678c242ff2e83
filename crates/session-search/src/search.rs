//! One search, from request to hits.

use crate::candidates::{self, Candidates};
use crate::context::Context;
use crate::dense::{self, Dense, Scan};
use crate::hit::{Explanation, Hit, Results, Searched};
use crate::lexical::{self, LexicalList};
use crate::named::{self, Named};
use crate::passing::Passing;
use crate::request::{Level, Ranking, Request};
use crate::scale::Spread;
use crate::snippet::snippet;
use crate::weighing::{Side, Weighing};
use rustc_hash::FxHashMap;
use session_core::{Band, Fused, Fusion, fuse};
use session_store::{Reader, SessionRow, StoreError};

/// Candidates of each list.
const LEXICAL: usize = 500;
const DENSE: usize = 1000;
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
    let named = named::find(index, request, &words, &mut passing)?;
    let scans = match request.ranking {
        Ranking::Keyword => Vec::new(),
        _ => dense::scan(index, dense, &mut passing)?,
    };
    let asked = Asked {
        index,
        request,
        scans: &scans,
        words: &words,
        named: named.share,
    };
    let lists = Lists::of(&asked, request.level, &mut passing)?;
    let mut fused = lists.fused();
    let context = match request.level {
        Level::Session => Context::default(),
        Level::Turn => {
            let sessions = Lists::of(&asked, Level::Session, &mut passing)?;
            Context::of(&sessions.fused(), request.tuning.context)
        }
    };
    if request.level == Level::Turn {
        lists.put_in(&context, &mut fused);
    }
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
            hit(&asked, i + 1, fused, &lists, (&named, &context), sessions).transpose()
        })
        .collect::<Result<_, _>>()?;
    let explanation = Explanation {
        fusion: lists.fusion,
        weighing: lists.weighing,
        named: named.terms,
        terms: words.found.terms,
        models: dense.iter().map(|d| d.model.name.clone()).collect(),
        spreads: lists.spreads,
    };
    Ok(Results {
        level: request.level,
        hits,
        searched: Searched::count(sessions.values().copied()),
        explanation,
    })
}

/// What is asked, and what is known of it whatever the level.
struct Asked<'a> {
    index: &'a Reader,
    request: &'a Request,
    scans: &'a [Scan<'a>],
    words: &'a LexicalList,
    /// The share of the query's information that names one session.
    named: f32,
}

/// The two lists of a level, and how they are fused.
struct Lists {
    lexical: Candidates,
    nearest: Candidates,
    weighing: Weighing,
    fusion: Fusion,
    spreads: Vec<Spread>,
}

impl Lists {
    fn of(asked: &Asked<'_>, level: Level, passing: &mut Passing<'_>) -> Result<Self, StoreError> {
        let (request, words) = (asked.request, asked.words);
        let near = dense::list(
            asked.scans,
            level,
            request,
            words.held(),
            passing,
        )?;
        let weighing = Weighing::of(request, words, &near, asked.named);
        let by_level = match level {
            Level::Session => candidates::sessions,
            Level::Turn => candidates::turns,
        };
        Ok(Self {
            lexical: by_level(&words.evidence, LEXICAL),
            nearest: by_level(&near.evidence, DENSE),
            fusion: weighing.fusion(request, words.worth_of_a_rare_word()),
            weighing,
            spreads: near.spreads,
        })
    }

    fn fused(&self) -> Vec<Fused> {
        fuse(&self.lexical.scored, &self.nearest.scored, &self.fusion)
    }

    /// Lets the turns' sessions count.
    fn put_in(&self, context: &Context, turns: &mut [Fused]) {
        for turn in turns.iter_mut() {
            let of = |list: &Candidates| list.session_of.get(&turn.id).copied();
            let session = of(&self.lexical).or_else(|| of(&self.nearest));
            turn.score *=
                session.map_or(1.0, |session| context.factor(session));
        }
        turns.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
}

fn hit(
    asked: &Asked<'_>,
    rank: usize,
    fused: &Fused,
    lists: &Lists,
    (named, context): (&Named, &Context),
    sessions: &FxHashMap<i64, &SessionRow>,
) -> Result<Option<Hit>, StoreError> {
    let (index, request) = (asked.index, asked.request);
    let turn = match request.level {
        Level::Turn => Some(fused.id),
        Level::Session => named.turn_of(fused.id).or_else(|| best_turn(fused, lists)),
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
        context: match request.level {
            Level::Session => 1.0,
            Level::Turn => context.factor(session.id),
        },
    }))
}

/// The turn of the list whose word for a session is worth more.
fn best_turn(fused: &Fused, lists: &Lists) -> Option<i64> {
    let of = |list: &Candidates| list.best_turn.get(&fused.id).map(|(turn, _)| *turn);
    let (lexical, dense) = (of(&lists.lexical), of(&lists.nearest));
    let worth = |standing: Option<session_core::Standing>, side: Side| {
        standing.map_or(0.0, |s| s.scaled * side.worth)
    };
    let weighing = lists.weighing;
    if worth(fused.lexical, weighing.lexical) >= worth(fused.dense, weighing.dense) {
        lexical.or(dense)
    } else {
        dense.or(lexical)
    }
}
