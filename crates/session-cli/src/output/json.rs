//! JSON output. `docs/cli.md` is the schema; fields are only ever added.

use crate::args::With;
use crate::command::search;
use crate::output::preview::Preview;
use crate::output::session::{project, resume, rfc3339};
use crate::output::work::JsonWork;
use anyhow::Result;
use serde::Serialize;
use session_core::safe_json;
use session_core::{Band, ListScore};
use session_export::{ShownSession, ShownTurn};
use session_indexer::Outcome;
use session_report::WorkSummary;
use session_search::{Explanation, Hit, HitOrder, Level, Results, Searched};
use std::io::Write;

/// Prints a value as one JSON document, its strings made printable.
///
/// # Errors
/// When stdout cannot be written.
pub fn print(value: &impl Serialize) -> Result<()> {
    print_text(&safe_json::pretty(value)?)
}

/// Prints a value as one JSON document that keeps its strings to the byte.
///
/// # Errors
/// When stdout cannot be written.
pub fn print_lossless(value: &impl Serialize) -> Result<()> {
    print_text(&safe_json::lossless(value)?)
}

fn print_text(json: &str) -> Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{json}")?)
}

/// The answer to a search.
#[derive(Serialize)]
pub struct JsonSearch<'a> {
    query: &'a str,
    level: Level,
    hits: Vec<JsonHit<'a>>,
    searched: Searched,
    index: Option<Freshness>,
    left_out: &'a [String],
    /// Terms that no session holds.
    missing: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<&'a Explanation>,
}

/// The answer to a search with memories beside it.
#[derive(Serialize)]
pub struct WithMemories<'a> {
    #[serde(flatten)]
    answer: JsonSearch<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memories: Option<Vec<crate::command::memory::JsonMemoryCandidate<'a>>>,
}

/// Puts memories, where they were asked for, beside what else was found.
pub fn with_memories<'a>(
    answer: JsonSearch<'a>,
    memories: Option<Vec<crate::command::memory::JsonMemoryCandidate<'a>>>,
) -> WithMemories<'a> {
    WithMemories { answer, memories }
}

/// How far the index was as the histories are.
#[derive(Serialize)]
struct Freshness {
    complete: bool,
    files_left: usize,
    sessions_left: usize,
    locked: bool,
}

impl Freshness {
    fn new(outcome: &Outcome) -> Self {
        Self {
            complete: outcome.is_complete(),
            files_left: outcome.files_left,
            sessions_left: outcome.sessions_left,
            locked: outcome.locked,
        }
    }
}

#[derive(Serialize)]
struct JsonHit<'a> {
    rank: usize,
    /// Null, as is the band, where hits are listed by time.
    score: Option<f32>,
    band: Option<Band>,
    source: &'a str,
    session: &'a str,
    turn: Option<u32>,
    turns: u32,
    project: &'a str,
    path: Option<&'a str>,
    date: Option<String>,
    branch: Option<&'a str>,
    title: Option<&'a str>,
    preview: &'a str,
    matches: Vec<[usize; 2]>,
    files: &'a [String],
    tools: &'a [String],
    resume: Option<String>,
    parent: Option<&'a str>,
    gone: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    prompts_only: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<JsonWork<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explain>,
}

impl<'a> JsonSearch<'a> {
    /// Adds what was done in each hit: the parts that are wanted.
    pub fn with(mut self, done: &'a [WorkSummary], wanted: &[With]) -> Self {
        for (hit, work) in self.hits.iter_mut().zip(done) {
            hit.done = Some(JsonWork::new(work, wanted));
        }
        self
    }
}

#[derive(Serialize)]
struct Explain {
    lexical: Option<ListScore>,
    dense: Option<ListScore>,
    /// The fused score, by which hits are ordered.
    fused: f32,
    context: f32,
}

/// A search's results as they are printed. `refreshed`: what came before, if
/// anything did.
pub fn answer<'a>(
    answer: &'a search::SearchAnswer,
    explain: bool,
    refreshed: Option<&Outcome>,
) -> JsonSearch<'a> {
    let results = &answer.results;
    let hits = results.hits.iter().zip(&answer.previews);
    JsonSearch {
        query: &answer.query,
        level: results.level,
        hits: hits
            .map(|(hit, preview)| json_hit(results, hit, preview, explain))
            .collect(),
        searched: results.searched.clone(),
        index: refreshed.map(Freshness::new),
        left_out: &answer.left_out,
        missing: &results.explanation.missing,
        explanation: explain.then_some(&results.explanation),
    }
}

fn json_hit<'a>(
    results: &Results,
    hit: &'a Hit,
    preview: &'a Preview,
    explain: bool,
) -> JsonHit<'a> {
    let session = &hit.session;
    let is_ranked = results.order == HitOrder::Relevance;
    JsonHit {
        rank: hit.rank,
        score: is_ranked.then_some((hit.score * 10_000.0).round() / 10_000.0),
        band: is_ranked.then_some(hit.band),
        source: &session.source,
        session: &session.uid,
        turn: hit.turn.as_ref().map(|t| t.index),
        turns: session.turns,
        project: project(session),
        path: session.project.as_deref(),
        date: rfc3339(date(results.level, hit)),
        branch: hit
            .turn
            .as_ref()
            .and_then(|t| t.branch.as_deref())
            .or(session.branch.as_deref()),
        title: session.title.as_deref(),
        preview: &preview.text,
        matches: preview.offsets(),
        files: &hit.files,
        tools: &hit.tools,
        resume: resume(session),
        parent: session.parent.as_deref(),
        gone: session.gone,
        prompts_only: session.prompts_only,
        done: None,
        explain: explain.then_some(Explain {
            lexical: hit.lexical,
            dense: hit.dense,
            fused: hit.fused,
            context: hit.context,
        }),
    }
}

/// The time of a hit: the turn's, or the session's last activity.
pub fn date(level: Level, hit: &Hit) -> Option<i64> {
    let turn = hit.turn.as_ref().and_then(|t| t.started_ms);
    match level {
        Level::Session => hit.session.ended_ms.or(turn),
        Level::Turn => turn.or(hit.session.ended_ms),
    }
}

/// The answer where there is no history.
pub fn nothing<'a>(query: &'a str, depth: u8, refreshed: Option<&Outcome>) -> JsonSearch<'a> {
    let level = if depth == 1 {
        Level::Session
    } else {
        Level::Turn
    };
    JsonSearch {
        query,
        level,
        hits: Vec::new(),
        searched: Searched::default(),
        index: refreshed.map(Freshness::new),
        left_out: &[],
        missing: &[],
        explanation: None,
    }
}

/// The three levels of the demo; those after nothing was found are null.
#[derive(Serialize)]
pub struct JsonDemo<'a> {
    pub sessions: JsonSearch<'a>,
    pub turns: Option<JsonSearch<'a>>,
    pub shown: Option<ShownSession<'a, Vec<ShownTurn<'a>>>>,
}

/// A memory.
#[derive(Serialize)]
pub struct JsonMemory<'a> {
    id: &'a str,
    topic: &'a str,
    key_info: Vec<String>,
    kind: session_memory::MemoryKind,
    importance: session_memory::Importance,
    tags: &'a [String],
    keywords: &'a [String],
    cues: &'a [String],
    created: String,
    updated: String,
    state: session_memory::MemoryState,
    scope: session_memory::MemoryScope,
    /// `own`, `trusted`, `waiting` or `changed`.
    trust: session_memory::Trust,
    superseded_by: Option<&'a str>,
    source: Option<&'a session_memory::MemorySource>,
    path: String,
    content: &'a str,
}

impl<'a> JsonMemory<'a> {
    /// As it is printed.
    pub fn new(memory: &'a session_memory::Memory) -> Self {
        let front = &memory.front;
        Self {
            id: &front.id,
            topic: &front.topic,
            key_info: memory.key_info(),
            kind: front.kind,
            importance: front.importance,
            tags: &front.tags,
            keywords: &front.keywords,
            cues: &front.cues,
            created: front.created.to_string(),
            updated: memory.updated().to_string(),
            state: memory.state,
            scope: memory.scope,
            trust: memory.trust,
            superseded_by: front.superseded_by.as_deref(),
            source: front.source.as_ref(),
            path: memory.path.display().to_string(),
            content: &memory.body,
        }
    }
}
