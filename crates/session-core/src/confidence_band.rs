//! Bands of scores: strong, moderate, weak.

use serde::Serialize;

/// The confidence of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfidenceBand {
    /// Likely unrelated.
    Weak,
    /// Possibly related.
    Moderate,
    /// Likely relevant.
    Strong,
}

/// The least score of each band but the weak one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BandThresholds {
    /// The least score of [`ConfidenceBand::Moderate`].
    pub moderate: f32,
    /// The least score of [`ConfidenceBand::Strong`].
    pub strong: f32,
}

impl BandThresholds {
    /// Returns the band of a score.
    pub fn classify(&self, score: f32) -> ConfidenceBand {
        match score {
            s if s >= self.strong => ConfidenceBand::Strong,
            s if s >= self.moderate => ConfidenceBand::Moderate,
            _ => ConfidenceBand::Weak,
        }
    }
}

impl ConfidenceBand {
    /// Returns the band of the probability that a hit answers.
    pub fn from_probability(probability: f32) -> Self {
        let thresholds = BandThresholds {
            moderate: 0.4,
            strong: 0.7,
        };
        thresholds.classify(probability)
    }

    /// Returns the band's name in output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Moderate => "moderate",
            Self::Weak => "weak",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_begins_at_its_threshold() {
        let bands = [0.0, 0.39, 0.4, 0.69, 0.7, 1.0].map(ConfidenceBand::from_probability);
        use ConfidenceBand::{Moderate, Strong, Weak};
        assert_eq!(bands, [Weak, Weak, Moderate, Moderate, Strong, Strong]);
    }
}
