//! What is asked.

use crate::tuning::Tuning;
use serde::Serialize;
use session_core::{Filter, Query};

/// A search.
#[derive(Debug, Clone)]
pub struct Request {
    /// The words.
    pub query: Query,
    /// Sessions or turns.
    pub level: Level,
    /// Which of them count.
    pub filter: Filter,
    /// How the two lists are weighed.
    pub ranking: Ranking,
    /// The constants of the ranking.
    pub tuning: Tuning,
    /// Most hits wanted.
    pub limit: usize,
}

/// What a hit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Which session was it?
    Session,
    /// Which exchange?
    Turn,
}

/// How the lexical and the dense list are weighed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ranking {
    /// Both, each as much as it found for the query.
    Adaptive,
    /// Both, the dense list with this weight, 0 to 1.
    Hybrid(f32),
    /// The dense list alone.
    Vector,
    /// The lexical list alone.
    Keyword,
}

impl Request {
    /// A search for sessions with everything as by default.
    pub fn new(query: &str) -> Self {
        Self {
            query: Query::new(query),
            level: Level::Session,
            filter: Filter::default(),
            ranking: Ranking::Adaptive,
            tuning: Tuning::default(),
            limit: 10,
        }
    }
}
