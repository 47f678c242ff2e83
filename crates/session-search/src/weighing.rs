//! How much each list counts for a query.

use crate::dense::DenseList;
use crate::lexical::LexicalList;
use crate::request::{Ranking, Request};
use serde::Serialize;
use session_core::Fusion;

/// How much each list counted, and why.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Weighing {
    /// What the lexical list found.
    pub lexical: Side,
    /// What the dense list found.
    pub dense: Side,
    /// The share of the query's information that names one session.
    pub named: f32,
}

/// What one list found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Side {
    /// What its best is good for beside the other list's.
    pub strength: f32,
    /// What its best is worth, 0 to 1.
    pub worth: f32,
}

impl Weighing {
    /// Weighs what the lists found; `named` is the share of the query's
    /// information that names one session.
    pub(crate) fn of(request: &Request, words: &LexicalList, near: &DenseList, named: f32) -> Self {
        let worth = words.worth(&request.query);
        Self {
            lexical: Side {
                strength: worth.powf(request.tuning.power),
                worth,
            },
            dense: Side {
                strength: near.evidence.first().map_or(0.0, |best| best.score),
                worth: near.worth,
            },
            named,
        }
    }

    /// How the lists are fused: by which weight, and what the best is worth.
    pub(crate) fn fusion(&self, request: &Request, rare_word: f32) -> Fusion {
        let alpha = self.alpha(request);
        let worth = alpha * self.dense.worth + (1.0 - alpha) * self.lexical.worth;
        let rare = if alpha < 1.0 { rare_word } else { 0.0 };
        Fusion {
            alpha,
            worth: worth.max(rare),
        }
    }

    /// The weight of the dense list. One list has all of it where the other
    /// cannot speak: no model, no vector, or nothing in the query that is a word.
    fn alpha(&self, request: &Request) -> f32 {
        match request.ranking {
            Ranking::Vector => 1.0,
            Ranking::Keyword => 0.0,
            _ if self.dense.strength <= 0.0 => 0.0,
            _ if request.query.terms.is_empty() => 1.0,
            Ranking::Hybrid(alpha) => alpha,
            Ranking::Adaptive => self.adapted(request.tuning.base),
        }
    }

    /// The base weight, moved by how much each list found. What names one
    /// session is the words' to find.
    fn adapted(&self, base: f32) -> f32 {
        let dense = base * self.dense.strength;
        let lexical = (1.0 - base) * self.lexical.strength;
        dense / (dense + lexical) * (1.0 - self.named)
    }
}
