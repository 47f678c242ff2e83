//! The constants of the ranking.

/// The constants of the ranking, so that other values can be measured on a labelled set
/// (`eval --tune`). `docs/ranking.md` has the formulas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankingTuning {
    /// Weight of the dense list where both lists have the same strength, 0 to 1.
    pub dense_base_weight: f32,
    /// Exponent of the confidence of the lexical list in its strength: below 1, since terms that the best
    /// turn lacks are often there in other words.
    pub lexical_power: f32,
    /// The share of a turn's score that its session decides, 0 to 1.
    pub context_share: f32,
    /// The penalty of a hit for exact terms that it lacks, as a part of their share of the query, 0 to 1.
    pub exact_penalty: f32,
}

impl Default for RankingTuning {
    fn default() -> Self {
        Self {
            dense_base_weight: 0.35,
            lexical_power: 0.7,
            context_share: 0.4,
            exact_penalty: 0.9,
        }
    }
}

impl RankingTuning {
    /// Sets a constant.
    pub fn set(&mut self, constant: RankingConstant, value: f32) {
        let field = match constant {
            RankingConstant::Base => &mut self.dense_base_weight,
            RankingConstant::Power => &mut self.lexical_power,
            RankingConstant::Context => &mut self.context_share,
            RankingConstant::Exact => &mut self.exact_penalty,
        };
        *field = value;
    }
}

/// A constant of [`RankingTuning`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankingConstant {
    /// The `dense_base_weight`.
    Base,
    /// The `lexical_power`.
    Power,
    /// The `context_share`.
    Context,
    /// The `exact_penalty`.
    Exact,
}

impl RankingConstant {
    /// All constants.
    pub const ALL: [Self; 4] = [Self::Base, Self::Power, Self::Context, Self::Exact];

    /// Returns the name by which `eval --tune` sets it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Power => "power",
            Self::Context => "context",
            Self::Exact => "exact",
        }
    }
}
