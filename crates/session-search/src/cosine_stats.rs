//! Statistics of the cosines of a query with a history.

use serde::Serialize;

/// The scale of a model's cosines.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DenseScale {
    /// The best cosine of a history with a query that it does not answer, usually.
    pub unrelated: f32,
    /// The cosine of a good answer, usually.
    pub related: f32,
    /// How much both rise with each word of the query: long texts are nearer
    /// to everything than short ones.
    pub per_word: f32,
    /// Mean of all cosines of a query with a history, as it usually is.
    pub mean: f32,
    /// Their standard deviation, as it usually is.
    pub deviation: f32,
    /// Weight among several models.
    pub weight: f32,
}

/// Words beyond this many no longer raise the marks.
const WORDS: usize = 14;
/// The usual mean and deviation count as those of so many texts, and no
/// history counts as fewer.
const USUAL: f64 = 16.0;
/// No z-score counts as less, so that meaning still ranks where words find nothing.
const LEAST_Z: f32 = 0.1;

impl DenseScale {
    /// Returns the cosine that is worth nothing for a query of so many words.
    #[expect(clippy::cast_precision_loss, reason = "at most 14")]
    pub fn floor(&self, words: usize) -> f32 {
        self.unrelated + self.per_word * words.min(WORDS) as f32
    }

    /// Returns the worth of a cosine for a query of so many words, 0 to 1.
    pub fn worth(&self, cosine: f32, words: usize) -> f32 {
        let width = (self.related - self.unrelated).max(f32::EPSILON);
        ((cosine - self.floor(words)) / width).clamp(0.0, 1.0)
    }
}

/// Statistics of one query's cosines with a history.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CosineStats {
    /// Name of the model.
    pub model: String,
    /// Its weight among several.
    pub weight: f32,
    /// Mean of the cosines.
    pub mean: f32,
    /// The greatest.
    pub best: f32,
    /// The z-score of the greatest, over that of the greatest of `n` independent texts,
    /// `sqrt(2 ln n)`.
    pub z: f32,
    /// `z` squared: the model's weight beside what words found.
    pub strength: f32,
}

impl CosineStats {
    /// Computes the statistics of some cosines, of which `best` is the greatest that counts.
    pub(crate) fn of(
        cosines: impl Iterator<Item = f32>,
        best: f32,
        model: &str,
        scale: &DenseScale,
    ) -> Self {
        let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for cosine in cosines.map(f64::from) {
            n += 1.0;
            sum += cosine;
            squares += cosine * cosine;
        }
        let count = n + USUAL;
        let scatter = (squares - sum * sum / n.max(1.0)).max(0.0);
        let mean = (sum + USUAL * f64::from(scale.mean)) / count;
        let deviation = ((scatter + USUAL * f64::from(scale.deviation).powi(2)) / count).sqrt();
        let chance = (2.0 * n.max(USUAL).ln()).sqrt();
        let z = (f64::from(best) - mean) / (deviation * chance).max(f64::EPSILON);
        #[expect(clippy::cast_possible_truncation, reason = "figures near 1")]
        let (mean, z) = (mean as f32, z as f32);
        Self {
            model: model.to_owned(),
            weight: scale.weight,
            mean,
            best,
            z,
            strength: z.max(LEAST_Z).powi(2),
        }
    }

    /// Returns a cosine as a part of the best one, both above the mean, 0 to 1.
    pub fn part(&self, cosine: f32) -> f32 {
        let height = (self.best - self.mean).max(f32::EPSILON);
        ((cosine - self.mean) / height).clamp(0.0, 1.0)
    }
}
