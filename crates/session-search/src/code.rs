//! Turns that are code. A word in code is mostly there by chance: `list`, `file` and `check` stand in
//! every other function. So the more of a turn is code, the less its words count and the more
//! its meaning does, by models that read code. Identifiers are meant as they stand.

use crate::lexical::LexicalList;
use crate::request::{Ranking, Request};
use rustc_hash::FxHashMap;
use session_core::Fused;
use session_store::{Reader, StoreError};

/// Turns of code that were read by a model which reads code, each with the part of it
/// that is code, times how well the model does.
pub(crate) type Read = FxHashMap<i64, f32>;

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
    ) -> Result<Self, StoreError> {
        let lean = match request.ranking {
            Ranking::Adaptive => request.tuning.lean * plain(request, words),
            _ => 0.0,
        };
        Ok(Self {
            shares: index.code_shares()?.into_iter().collect(),
            lean,
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

    /// Fuses what was said of turns by the weight of each, where there is something to weigh.
    pub(crate) fn weigh(&self, alpha: f32, read: &Read, turns: &mut [Fused]) {
        if alpha <= 0.0 {
            return; // the dense list cannot speak, or must not
        }
        for turn in turns {
            if let Some(code) = read.get(&turn.id) {
                turn.weigh(alpha + (1.0 - alpha) * self.lean * code);
            }
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
