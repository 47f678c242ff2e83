//! The scale of a model's cosines.

use serde::{Deserialize, Serialize};

/// The scale of a model's cosines, as `models/*.toml` gives it; `docs/models.md` says how it is measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CosineScale {
    /// The best cosine of a history with a query that it does not answer, usually.
    pub unrelated: f32,
    /// The cosine of a good answer, usually.
    pub related: f32,
    /// The rise of both with each word of the query: long texts are nearer to everything than
    /// short ones.
    pub per_word: f32,
    /// Mean of a query's cosines with all turns of a history, usually.
    #[serde(default = "default_mean")]
    pub mean: f32,
    /// Standard deviation of these cosines, usually.
    #[serde(default = "default_deviation")]
    pub deviation: f32,
    /// Weight of the model among several.
    #[serde(default = "default_weight")]
    pub weight: f32,
}

/// Greatest number of words that raise the scale: the cosines of longer queries rise no further.
const MAX_WORDS: usize = 14;

/// Standard deviations by which the cosine of a single unrelated text is lower than the best cosine of a history.
const SINGLE_DEVIATIONS: f32 = 2.0;

impl CosineScale {
    /// Returns the cosine whose confidence is 0 for a query of so many words.
    #[expect(clippy::cast_precision_loss, reason = "at most 14")]
    fn zero_confidence_cosine(&self, words: usize) -> f32 {
        self.unrelated + self.per_word * words.min(MAX_WORDS) as f32
    }

    /// Returns the confidence of a cosine for a query of so many words,
    /// `clamp((cosine - unrelated - per_word * words) / (related - unrelated), 0, 1)`.
    pub fn confidence(&self, cosine: f32, words: usize) -> f32 {
        let width = (self.related - self.unrelated).max(f32::EPSILON);
        ((cosine - self.zero_confidence_cosine(words)) / width).clamp(0.0, 1.0)
    }

    /// Returns the confidence of the cosine of a single text, `clamp((cosine - floor) / (related - floor), 0, 1)` with
    /// `floor = unrelated - 2 * deviation`: the scale was measured for the best of many.
    pub fn normalize_single(&self, cosine: f32) -> f32 {
        let floor = self.unrelated - SINGLE_DEVIATIONS * self.deviation;
        let width = (self.related - floor).max(f32::EPSILON);
        ((cosine - floor) / width).clamp(0.0, 1.0)
    }
}

fn default_mean() -> f32 {
    0.2
}

fn default_deviation() -> f32 {
    0.09
}

fn default_weight() -> f32 {
    0.7
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_rises_from_unrelated_to_related() {
        let scale = CosineScale {
            unrelated: 0.25,
            related: 0.75,
            per_word: 0.03125,
            mean: 0.0,
            deviation: 0.125,
            weight: 0.25,
        };
        let confidence = |cosine, words| scale.confidence(cosine, words);
        for (given, expected) in [
            (confidence(0.25, 0), 0.0),
            (confidence(0.5, 0), 0.5),
            (confidence(0.75, 0), 1.0),
            (confidence(1.0, 0), 1.0),
            (confidence(-1.0, 0), 0.0),
            (confidence(0.5, 4), 0.25),
            (confidence(1.0, 14), confidence(1.0, 99)),
        ] {
            let difference: f32 = given - expected;
            assert!(difference.abs() < 1e-3, "{given} is not {expected}");
        }
    }
}
