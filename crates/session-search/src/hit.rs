//! What is found.

use crate::dense::DenseScale;
use crate::request::Level;
use serde::Serialize;
use session_core::{Band, Fusion, Standing};
use session_store::{SessionRow, TermCount, TurnRow};

/// All that a search found.
#[derive(Debug, Clone)]
pub struct Results {
    /// Sessions or turns.
    pub level: Level,
    /// Best first.
    pub hits: Vec<Hit>,
    /// Sessions that the filter let through, subagents left out.
    pub searched: Vec<SessionRow>,
    /// How the scores came to be.
    pub explanation: Explanation,
}

/// How the scores of a search came to be.
#[derive(Debug, Clone, Serialize)]
pub struct Explanation {
    /// Weights and worths.
    pub fusion: Fusion,
    /// How common the query's terms are.
    pub terms: Vec<TermCount>,
    /// Name of the model, if there was a dense list.
    pub model: Option<String>,
    /// What its cosines mean.
    pub scale: Option<DenseScale>,
}

/// One hit.
#[derive(Debug, Clone)]
pub struct Hit {
    /// From 1.
    pub rank: usize,
    /// 0 to 1.
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
    /// What the lexical list said.
    pub lexical: Option<Standing>,
    /// What the dense list said.
    pub dense: Option<Standing>,
}
