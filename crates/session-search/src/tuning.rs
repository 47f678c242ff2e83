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
    /// The names that [`set`](Self::set) knows.
    pub const NAMES: [&'static str; 4] = ["base", "power", "context", "exact"];

    /// Sets the constant of a name; `None` if there is none, or the value is not in 0..=1.
    #[must_use]
    pub fn set(mut self, name: &str, value: f32) -> Option<Self> {
        let constant = match name {
            "base" => &mut self.dense_base_weight,
            "power" => &mut self.lexical_power,
            "context" => &mut self.context_share,
            "exact" => &mut self.exact_penalty,
            _ => return None,
        };
        *constant = value;
        (0.0..=1.0).contains(&value).then_some(self)
    }
}
