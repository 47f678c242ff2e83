//! How much each list counts for a query.

use crate::candidates::Candidates;
use crate::dense::DenseList;
use crate::lexical::LexicalList;
use crate::request::{Ranking, Request};
use serde::Serialize;

/// A lexical list says little where its hit of this rank is as good as its first.
const RANK: usize = 10;

/// How much each list counts, and why.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct FusionWeights {
    /// The weight of the dense list, 0 to 1. The lexical list has the rest.
    pub alpha: f32,
    /// What the lexical list found.
    pub lexical: ListWeight,
    /// What the dense list found.
    pub dense: ListWeight,
    /// The share of the query's information that few sessions hold by identifiers.
    pub named: f32,
}

/// What one list found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct ListWeight {
    /// What it weighs beside the other list, before the base weight.
    pub strength: f32,
    /// How good its best is by its own scale, 0 to 1.
    pub worth: f32,
}

impl FusionWeights {
    /// Weighs what the lists found; `named` is the share of the query's information that few
    /// sessions hold by identifiers.
    pub(crate) fn new(
        request: &Request,
        words: &LexicalList,
        lexical: &Candidates,
        near: &DenseList,
        named: f32,
    ) -> Self {
        let worth = words.worth(&request.query);
        let mut weighing = Self {
            alpha: 0.0,
            lexical: ListWeight {
                strength: worth.powf(request.tuning.power) * (1.0 - flatness(lexical)),
                worth,
            },
            dense: ListWeight {
                strength: near.evidence.first().map_or(0.0, |best| best.score),
                worth: near.worth,
            },
            named,
        };
        weighing.alpha = weighing.alpha(request);
        weighing
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

    /// The base weight, moved by how much each list found. Identifiers are the words' to find.
    fn adapted(&self, base: f32) -> f32 {
        let dense = base * self.dense.strength;
        let lexical = (1.0 - base) * self.lexical.strength;
        dense / (dense + lexical) * (1.0 - self.named)
    }
}

/// The score of the tenth candidate as a part of the first one's: 1 where words tell nothing
/// apart.
fn flatness(lexical: &Candidates) -> f32 {
    let score = |rank: usize| lexical.scored.get(rank - 1).map(|c| c.score);
    match (score(1), score(RANK)) {
        (Some(first), Some(tenth)) if first > 0.0 => tenth / first,
        _ => 0.0,
    }
}
