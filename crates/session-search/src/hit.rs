//! What is found.

use crate::cosine_stats::CosineStats;
use crate::fusion_weights::FusionWeights;
use crate::request::Level;
use serde::Serialize;
use session_core::{Band, Standing};
use session_store::{SessionRow, TermStats, TurnRow};
use std::collections::{BTreeMap, HashSet};

/// All that a search found.
#[derive(Debug, Clone)]
pub struct Results {
    /// Sessions or turns.
    pub level: Level,
    /// Best first.
    pub hits: Vec<Hit>,
    /// What the filter let through.
    pub searched: Searched,
    /// How the scores came to be.
    pub explanation: Explanation,
}

/// How much was searched.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Searched {
    /// Sessions.
    pub sessions: usize,
    /// Projects they belong to.
    pub projects: usize,
    /// Sessions by agent.
    pub sources: BTreeMap<String, usize>,
}

impl Searched {
    /// Counts sessions that have turns.
    pub fn count<'a>(sessions: impl Iterator<Item = &'a SessionRow>) -> Self {
        let mut counts = Self::default();
        let mut projects = HashSet::new();
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

/// How the scores of a search came to be.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// The weight that counted, and what each list found, from which it follows.
    pub weighing: FusionWeights,
    /// Identifiers that few sessions hold; these go first.
    pub named: Vec<String>,
    /// Terms that no session of the index holds: identifiers, or all where none is held.
    pub missing: Vec<String>,
    /// How common the query's terms are.
    pub terms: Vec<TermStats>,
    /// Names of the models, the best first.
    pub models: Vec<String>,
    /// How the cosines lie of each model that has some.
    pub spreads: Vec<CosineStats>,
}

/// One hit.
#[derive(Debug, Clone)]
pub struct Hit {
    /// From 1.
    pub rank: usize,
    /// The probability that it answers, 0 to 1 (`docs/ranking.md`).
    pub score: f32,
    /// How sure that is.
    pub band: Band,
    /// The session.
    pub session: SessionRow,
    /// The turn that was found, or that speaks best for the session.
    pub turn: Option<TurnRow>,
    /// A line or two of it around the words of the query.
    pub preview: String,
    /// Files that the turn named.
    pub files: Vec<String>,
    /// Tools that the turn used.
    pub tools: Vec<String>,
    /// The fused score from which it follows, 0 to 1: the order of the hits.
    pub fused: f32,
    /// What the lexical list said.
    pub lexical: Option<Standing>,
    /// What the dense list said.
    pub dense: Option<Standing>,
    /// What a turn's session makes of its score: a factor from 0.6 to 1. 1 for
    /// a session.
    pub context: f32,
}
