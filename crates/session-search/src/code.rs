//! Turns that are code. A word in code is mostly there by chance: `list`, `file` and `check` stand in
//! every other function. So the more of a turn is code, the less its words count and the more
//! its meaning does, by models that read code. Identifiers are meant as they stand.

use crate::dense::Dense;
use crate::lexical::LexicalList;
use crate::request::{Ranking, Request};
use rustc_hash::FxHashMap;
use session_core::Fused;
use session_store::{Reader, StoreError};

/// How much of each turn is code, and what follows.
#[derive(Debug, Default)]
pub(crate) struct Code {
    /// Turns that hold some.
    shares: FxHashMap<i64, f32>,
    /// The part of the lexical list's weight that the dense list gets in a turn
    /// that is nothing but code.
    lean: f32,
}

impl Code {
    pub(crate) fn of(
        index: &Reader,
        request: &Request,
        words: &LexicalList,
        models: &[Dense],
    ) -> Result<Self, StoreError> {
        let reads = models.iter().find(|model| model.speaks());
        let lean = match request.ranking {
            Ranking::Adaptive => request.tuning.lean * plain(request, words),
            _ => 0.0,
        };
        Ok(Self {
            shares: index.code_shares()?.into_iter().collect(),
            lean: lean * reads.map_or(0.0, |model| model.scale.code),
        })
    }

    /// The part of a turn that is code.
    pub(crate) fn share(&self, turn: i64) -> f32 {
        self.shares.get(&turn).copied().unwrap_or_default()
    }

    /// True of a turn that is code more than anything else.
    pub(crate) fn is_code(&self, turn: i64) -> bool {
        self.share(turn) > 0.5
    }

    /// The weight of the dense list for a turn, by the weight for all.
    pub(crate) fn alpha(&self, alpha: f32, turn: i64) -> f32 {
        alpha + (1.0 - alpha) * self.lean * self.share(turn)
    }

    /// Fuses what was said of turns by the weight of each, where there is something to weigh.
    pub(crate) fn weigh(&self, alpha: f32, turns: &mut [Fused]) {
        if alpha <= 0.0 {
            return; // the dense list cannot speak, or must not
        }
        for turn in turns.iter_mut().filter(|turn| self.share(turn.id) > 0.0) {
            turn.weigh(self.alpha(alpha, turn.id));
        }
    }
}

/// The share of the query's information that no identifier has.
fn plain(request: &Request, words: &LexicalList) -> f32 {
    let counts = &words.found.terms;
    let all: f32 = counts.iter().map(|t| t.idf).sum();
    let terms = request.query.terms.iter().zip(counts);
    let exact: f32 = terms.filter(|(t, _)| t.exact).map(|(_, c)| c.idf).sum();
    1.0 - exact / all.max(f32::EPSILON)
}
