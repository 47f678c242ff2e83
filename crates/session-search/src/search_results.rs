//! The results of a search.

use crate::cosine_stats::CosineStats;
use crate::fusion_weights::FusionWeights;
use crate::request::Level;
use crate::unfound_terms::UnfoundTerms;
use rustc_hash::FxHashSet;
use serde::Serialize;
use session_core::{ConfidenceBand, FusedItem, ListScore};
use session_store::{SessionId, SessionRow, TermStats, TurnId, TurnRow};
use std::collections::BTreeMap;

/// The session or turn that a hit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum HitId {
    /// A session.
    Session(SessionId),
    /// A turn.
    Turn(TurnId),
}

/// A turn or session with the score and rank of each list.
pub(crate) type FusedHit = FusedItem<HitId>;

/// The hits of a search.
#[derive(Debug, Clone)]
pub struct SearchResults {
    /// The level of the hits.
    pub level: Level,
    /// The order of the hits.
    pub order: HitOrder,
    /// The hits, in this order.
    pub hits: Vec<SearchHit>,
    /// The extent of the search.
    pub searched: SearchedCounts,
    /// The figures from which the scores follow.
    pub explanation: SearchExplanation,
}

/// The orders of hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitOrder {
    /// Their scores, best first.
    Relevance,
    /// Their times, newest first: the query has no text, and scores and bands mean nothing.
    Newest,
}

/// The counts of what a search covered: the sessions that the filter let through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SearchedCounts {
    /// Number of sessions.
    pub sessions: usize,
    /// Number of projects that they belong to.
    pub projects: usize,
    /// Number of sessions by agent.
    pub sources: BTreeMap<String, usize>,
}

impl SearchedCounts {
    /// Counts sessions that have turns.
    pub fn count_sessions<'a>(sessions: impl Iterator<Item = &'a SessionRow>) -> Self {
        let mut counts = Self::default();
        let mut projects = FxHashSet::default();
        for session in sessions.filter(|s| s.turns > 0) {
            counts.sessions += 1;
            projects.extend(session.project.as_deref());
            match counts.sources.get_mut(&session.source) {
                Some(count) => *count += 1,
                None => drop(counts.sources.insert(session.source.clone(), 1)),
            }
        }
        counts.projects = projects.len();
        counts
    }
}

impl SearchResults {
    /// Multiplies the probabilities of the hits by a factor, 0 to 1.
    pub(crate) fn scale_probabilities(&mut self, factor: f32) {
        for hit in &mut self.hits {
            hit.probability *= factor;
            hit.band = ConfidenceBand::from_probability(hit.probability);
        }
    }
}

/// The figures from which the scores of a search follow.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SearchExplanation {
    /// The weights of both lists.
    pub weights: FusionWeights,
    /// Exact terms that few sessions hold; these sessions go first.
    #[serde(rename = "identifiers")]
    pub rare_exact_terms: Vec<String>,
    /// The query's terms that no searched session holds.
    #[serde(flatten)]
    pub unfound: UnfoundTerms,
    /// The query's terms with their document frequencies.
    pub terms: Vec<TermStats>,
    /// Names of the models, the best first.
    pub models: Vec<String>,
    /// Statistics of the cosines of each model that has some.
    pub cosines: Vec<CosineStats>,
}

/// A session or turn that a search found.
#[derive(Debug, Clone)]
pub struct SearchHit {
    /// The rank, from 1.
    pub rank: usize,
    /// The probability that it answers, 0 to 1 (`docs/ranking.md`).
    pub probability: f32,
    /// The band of that probability.
    pub band: ConfidenceBand,
    /// The session.
    pub session: SessionRow,
    /// The time, in milliseconds since 1970: of a turn its beginning, of a session its end; where one is unknown, the other.
    /// A session of which turns are filtered and listed by time has that of its newest turn that passes.
    pub time_ms: Option<i64>,
    /// The turn, or the best turn of the session.
    pub turn: Option<TurnRow>,
    /// A passage of the turn around words of the query.
    pub preview: String,
    /// Files that the turn named.
    pub files: Vec<String>,
    /// Tools that the turn used.
    pub tools: Vec<String>,
    /// The fused score, 0 to 1, by which hits are ordered.
    pub fused_score: f32,
    /// Rank and score in the lexical list.
    pub lexical: Option<ListScore>,
    /// Rank and score in the dense list.
    pub dense: Option<ListScore>,
    /// The factor by which a turn's session changes its score, 0.6 to 1; 1 for a session.
    pub context_factor: f32,
    /// The factor by which exact terms of the query that it lacks change its score, 0.1 to 1.
    pub exact_factor: f32,
}
