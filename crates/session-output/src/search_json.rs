//! The answer of a search as JSON. `docs/cli.md` is the schema; fields are only ever added.

use crate::json_session::JsonSessionFields;
use crate::memory_json::JsonMemoryMatch;
use crate::search_listing::SearchListing;
use crate::work::JsonWork;
use serde::Serialize;
use session_agents::resume_line;
use session_core::{ConfidenceBand, ListScore};
use session_display::Preview;
use session_indexer::RefreshOutcome;
use session_search::{
    HitOrder, Level, SearchExplanation, SearchHit, SearchResults, SearchedCounts, UnfoundTerms,
};
use std::borrow::Cow;

/// The answer of a search.
#[derive(Serialize)]
pub struct JsonSearch<'a> {
    query: &'a str,
    level: Level,
    hits: Vec<JsonHit<'a>>,
    searched: SearchedCounts,
    /// Null, as is `index`, where the index was not compared with the histories.
    complete: Option<bool>,
    index: Option<JsonFreshness>,
    left_out: &'a [String],
    #[serde(flatten)]
    unfound: Cow<'a, UnfoundTerms>,
    hints: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a SearchExplanation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memories: Option<Vec<JsonMemoryMatch<'a>>>,
}

/// How far the index was up to date with the histories.
#[derive(Serialize)]
struct JsonFreshness {
    files_left: usize,
    sessions_left: usize,
    places_unread: usize,
    locked: bool,
}

impl JsonFreshness {
    fn new(outcome: &RefreshOutcome) -> Self {
        Self {
            files_left: outcome.files_left,
            sessions_left: outcome.sessions_left,
            places_unread: outcome.unreadable_paths,
            locked: outcome.locked,
        }
    }
}

#[derive(Serialize)]
struct JsonHit<'a> {
    rank: usize,
    /// Null, as is the band, where hits are listed by time.
    score: Option<f32>,
    band: Option<ConfidenceBand>,
    #[serde(flatten)]
    session: JsonSessionFields<'a>,
    turn: Option<u32>,
    turns: u32,
    branch: Option<&'a str>,
    preview: &'a str,
    matches: Vec<[usize; 2]>,
    files: &'a [String],
    tools: &'a [String],
    resume: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<JsonWork<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<JsonExplanation>,
}

impl<'a> JsonSearch<'a> {
    /// Returns the answer where there is no history, with hints that say why.
    pub fn without_history(
        query: &'a str,
        level: Level,
        refreshed: Option<&RefreshOutcome>,
        hints: Vec<String>,
    ) -> Self {
        Self {
            query,
            level,
            hits: Vec::new(),
            searched: SearchedCounts::default(),
            complete: refreshed.map(RefreshOutcome::has_read_all),
            index: refreshed.map(JsonFreshness::new),
            left_out: &[],
            unfound: Cow::default(),
            hints,
            explanation: None,
            memories: None,
        }
    }

    /// Adds the memories that answer the query, where they were asked for.
    pub fn with_memories(mut self, memories: Option<Vec<JsonMemoryMatch<'a>>>) -> Self {
        self.memories = memories;
        self
    }
}

#[derive(Serialize)]
struct JsonExplanation {
    lexical: Option<ListScore>,
    dense: Option<ListScore>,
    /// The fused score, by which hits are ordered.
    fused: f32,
    context: f32,
    exact: f32,
}

impl<'a> SearchListing<'a> {
    /// Returns the answer as JSON.
    pub fn to_json(&self) -> JsonSearch<'a> {
        let (answer, results) = (self.answer, &self.answer.results);
        let hits = results.hits.iter().zip(self.previews);
        let mut hits: Vec<JsonHit<'a>> = hits
            .map(|(hit, preview)| to_json_hit(results, hit, preview, self.explain))
            .collect();
        for (hit, work) in hits.iter_mut().zip(self.work) {
            hit.done = Some(JsonWork::new(work, &self.with));
        }
        JsonSearch {
            query: &answer.query.typed,
            level: results.level,
            hits,
            searched: results.searched.clone(),
            complete: self.refreshed.map(RefreshOutcome::has_read_all),
            index: self.refreshed.map(JsonFreshness::new),
            left_out: &answer.filter.excluded_callers,
            unfound: Cow::Borrowed(&results.explanation.unfound),
            hints: self.hints(),
            explanation: self.explain.then_some(&results.explanation),
            memories: None,
        }
    }
}

fn to_json_hit<'a>(
    results: &SearchResults,
    hit: &'a SearchHit,
    preview: &'a Preview,
    explain: bool,
) -> JsonHit<'a> {
    let session = &hit.session;
    let is_ranked = results.order == HitOrder::Relevance;
    JsonHit {
        rank: hit.rank,
        score: is_ranked.then_some((hit.probability * 10_000.0).round() / 10_000.0),
        band: is_ranked.then_some(hit.band),
        session: JsonSessionFields::new(session, hit.time_ms),
        turn: hit.turn.as_ref().map(|t| t.index),
        turns: session.turns,
        branch: match &hit.turn {
            Some(turn) => session.branch_of(turn),
            None => session.branch.as_deref(),
        },
        preview: &preview.text,
        matches: preview.char_ranges(),
        files: &hit.files,
        tools: &hit.tools,
        resume: resume_line(session),
        done: None,
        explain: explain.then_some(JsonExplanation {
            lexical: hit.lexical,
            dense: hit.dense,
            fused: hit.fused_score,
            context: hit.context_factor,
            exact: hit.exact_factor,
        }),
    }
}
