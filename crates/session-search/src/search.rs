//! One search, from request to hits.

use crate::calibration;
use crate::candidates::{self, Candidates};
use crate::context::Context;
use crate::cosine_stats::CosineStats;
use crate::dense::{self, Dense, ModelCosines};
use crate::filtered_index::FilteredIndex;
use crate::fusion_weights::{FusionWeights, ListWeight};
use crate::hit::{Explanation, Hit, Results, Searched};
use crate::identifiers::{self, Holders};
use crate::lexical::{self, LexicalList};
use crate::request::{Level, Ranking, Request};
use crate::snippet::snippet;
use rustc_hash::FxHashMap;
use session_core::{Band, Fused, Normalization, fuse};
use session_store::{Reader, SessionRow, StoreError};

/// Candidates of each list.
const LEXICAL: usize = 500;
const DENSE: usize = 1000;
/// What has a lower fused score is no hit, unless it holds a word of the query. Where no session
/// does, what has less evidence is none.
const LEAST: f32 = 0.02;
/// Where no session holds a word of the query, and nothing is likely by its meaning, so many hits
/// are enough.
const NEAREST: usize = 3;
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
    let filtered = FilteredIndex::new(index, sessions, &request.filter)?;
    let words = match request.ranking {
        Ranking::Vector => LexicalList::default(),
        _ => lexical::list(index, &request.query, &filtered)?,
    };
    let mut holders = identifiers::find(index, request, &words, &filtered)?;
    let scans = match request.ranking {
        Ranking::Keyword => Vec::new(),
        _ => dense::scan(index, dense, &filtered)?,
    };
    let asked = Asked {
        index,
        request,
        scans: &scans,
        words: &words,
        named: holders.share,
    };
    let lists = Lists::of(&asked, request.level, &filtered);
    let mut fused = lists.fused();
    let context = match request.level {
        Level::Session => Context::default(),
        Level::Turn => {
            let sessions = Lists::of(&asked, Level::Session, &filtered);
            Context::of(&sessions.fused(), request.tuning.context)
        }
    };
    if request.level == Level::Turn {
        lists.put_in(&context, &mut fused);
    }
    holders.promote(request.level, &mut fused);
    let (best, scores) = found(fused, &lists, &holders, request.limit, &words);
    let sessions = filtered.sessions();
    let shown = Shown {
        lists: &lists,
        holders: &holders,
        context: &context,
        sessions,
    };
    let hits = best
        .iter()
        .zip(scores)
        .enumerate()
        .filter_map(|(i, (fused, score))| hit(&asked, i + 1, fused, score, &shown).transpose())
        .collect::<Result<_, _>>()?;
    let explanation = Explanation {
        weighing: lists.weighing,
        named: holders.terms,
        missing: words.missing(&request.query),
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
    scans: &'a [ModelCosines<'a>],
    words: &'a LexicalList,
    /// The share of the query's information that few sessions hold by identifiers.
    named: f32,
}

/// The two lists of a level, and how they are fused.
struct Lists {
    lexical: Candidates,
    nearest: Candidates,
    weighing: FusionWeights,
    spreads: Vec<CosineStats>,
}

impl Lists {
    fn of(asked: &Asked<'_>, level: Level, filtered: &FilteredIndex<'_>) -> Self {
        let (request, words) = (asked.request, asked.words);
        let near = dense::list(asked.scans, level, request, words.held(), filtered);
        let by_level = match level {
            Level::Session => candidates::sessions,
            Level::Turn => candidates::turns,
        };
        let lexical = by_level(&words.evidence, LEXICAL);
        Self {
            weighing: FusionWeights::new(request, words, &lexical, &near, asked.named),
            lexical,
            nearest: by_level(&near.evidence, DENSE),
            spreads: near.spreads,
        }
    }

    fn fused(&self) -> Vec<Fused> {
        fuse(
            &self.lexical.scored,
            &self.nearest.scored,
            self.weighing.alpha,
            Normalization::ByBest,
        )
    }

    /// Lets the turns' sessions count.
    fn put_in(&self, context: &Context, turns: &mut [Fused]) {
        for turn in turns.iter_mut() {
            let of = |list: &Candidates| list.session_of.get(&turn.id).copied();
            let session = of(&self.lexical).or_else(|| of(&self.nearest));
            turn.score *= session.map_or(1.0, |session| context.factor(session));
        }
        turns.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
}

/// The hits, best first, each with the probability that it answers.
fn found(
    mut fused: Vec<Fused>,
    lists: &Lists,
    holders: &Holders,
    limit: usize,
    words: &LexicalList,
) -> (Vec<Fused>, Vec<f32>) {
    let speaks = |f: &Fused| match words.holds_none() {
        true => calibration::evidence(f, &lists.weighing) >= LEAST,
        false => f.lexical.is_some() || f.score >= LEAST,
    };
    let first = fused.first().map(|f| f.id);
    let is_named = |f: &Fused| holders.share > 0.0 && Some(f.id) == first;
    fused.retain(|f| speaks(f) || is_named(f));
    let mut scores = calibration::probabilities(&fused, &lists.weighing);
    if let Some(best) = scores.first_mut() {
        *best = best.max(holders.probability());
    }
    let unlikely = scores.first().is_none_or(|p| Band::of(*p) == Band::Weak);
    let enough = match words.is_silent() && unlikely {
        true => limit.min(NEAREST),
        false => limit,
    };
    fused.truncate(enough);
    (fused, scores)
}

/// What a hit is shown with.
struct Shown<'a> {
    lists: &'a Lists,
    holders: &'a Holders,
    context: &'a Context,
    sessions: &'a FxHashMap<i64, &'a SessionRow>,
}

fn hit(
    asked: &Asked<'_>,
    rank: usize,
    fused: &Fused,
    score: f32,
    shown: &Shown<'_>,
) -> Result<Option<Hit>, StoreError> {
    let (lists, holders) = (shown.lists, shown.holders);
    let (index, request) = (asked.index, asked.request);
    let turn = match request.level {
        Level::Turn => Some(fused.id),
        Level::Session => holders
            .turn_of(fused.id, asked.words)
            .or_else(|| best_turn(fused, lists)),
    };
    let turn = turn.map(|id| index.turn(id)).transpose()?.flatten();
    let session = turn.as_ref().map_or(fused.id, |t| t.session);
    let Some(session) = shown.sessions.get(&session) else {
        return Ok(None);
    };
    let content = turn
        .as_ref()
        .map(|t| index.content(t.id))
        .transpose()?
        .unwrap_or_default();
    Ok(Some(Hit {
        rank,
        score,
        band: Band::of(score),
        fused: fused.score,
        session: (*session).clone(),
        preview: snippet(&content, &request.query, PREVIEW_CHARS),
        files: content.files,
        tools: content.tools,
        turn,
        lexical: fused.lexical,
        dense: fused.dense,
        context: match request.level {
            Level::Session => 1.0,
            Level::Turn => shown.context.factor(session.id),
        },
    }))
}

/// The turn of the list whose word for a session is worth more.
fn best_turn(fused: &Fused, lists: &Lists) -> Option<i64> {
    let of = |list: &Candidates| list.best_turn.get(&fused.id).map(|(turn, _)| *turn);
    let (lexical, dense) = (of(&lists.lexical), of(&lists.nearest));
    let worth = |standing: Option<session_core::Standing>, side: ListWeight| {
        standing.map_or(0.0, |s| s.scaled * side.worth)
    };
    let weighing = lists.weighing;
    if worth(fused.lexical, weighing.lexical) >= worth(fused.dense, weighing.dense) {
        lexical.or(dense)
    } else {
        dense.or(lexical)
    }
}
