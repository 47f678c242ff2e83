//! Search requests.

use crate::filter::SearchFilter;
use crate::tuning::RankingTuning;
use crate::unfound_terms::SpellingCorrection;
use serde::{Deserialize, Serialize};
use session_core::Query;

/// Says what is searched for, at which level, and how candidates are ranked.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// The words of the query.
    pub query: Query,
    /// The words that stand in it in place of others, which were typed and no turn holds.
    pub corrections: Vec<SpellingCorrection>,
    /// The level of the hits.
    pub level: Level,
    /// The filter that hits have to pass.
    pub filter: SearchFilter,
    /// How the two lists are fused.
    pub fusion: FusionMode,
    /// The constants of the ranking.
    pub tuning: RankingTuning,
    /// Greatest number of hits.
    pub limit: usize,
}

/// The level of hits: sessions or turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Sessions.
    Session,
    /// Turns.
    Turn,
}

impl Level {
    /// Both levels, that of sessions first.
    pub const ALL: [Self; 2] = [Self::Session, Self::Turn];

    /// Returns the name that options and output have for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Turn => "turn",
        }
    }
}

/// The ways in which the lexical and the dense list are fused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FusionMode {
    /// Both, with a weight that follows what each found for the query.
    Adaptive,
    /// Both, the dense list with this weight, 0 to 1.
    Fixed(f32),
    /// The dense list alone.
    DenseOnly,
    /// The lexical list alone.
    LexicalOnly,
}

impl SearchRequest {
    /// Makes a search for sessions with the default filter, fusion and limit.
    pub fn new(query: &str) -> Self {
        Self {
            query: Query::new(query),
            corrections: Vec::new(),
            level: Level::Session,
            filter: SearchFilter::default(),
            fusion: FusionMode::Adaptive,
            tuning: RankingTuning::default(),
            limit: 10,
        }
    }
}
