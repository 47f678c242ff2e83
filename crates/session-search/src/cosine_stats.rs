//! Statistics of the cosines of a query with a history, by which cosines of different models, queries and histories become
//! comparable scores.

use crate::cosines::QueryEmbedding;
use serde::Serialize;

/// Number of texts as which the model's usual mean and deviation count (a prior in pseudo-counts), and the least `n` of the
/// expected maximum: a history of three texts has no deviation of its own.
const PRIOR_TEXTS: f64 = 16.0;
/// Least z-score: a best cosine below the mean has a weight still, so that meaning ranks where words find nothing.
const MIN_Z: f32 = 0.1;

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
    /// The normalised z-score of the greatest, `(best - mean) / (deviation * sqrt(2 ln n))`: about 1 where it is no greater
    /// than the greatest of `n` independent texts.
    pub z: f32,
    /// `z` squared, times the share of the query that the model reads: the model's weight beside what words found.
    pub strength: f32,
    /// The expected distance of the greatest of `n` independent cosines from their mean, `deviation * sqrt(2 ln n)`.
    #[serde(skip)]
    expected_range: f32,
    /// The standard deviation of what the rounding of stored vectors adds to a cosine.
    #[serde(skip)]
    pub(crate) rounding_deviation: f32,
    /// The share of the query that the model reads, 0 to 1.
    #[serde(skip)]
    readable_letter_share: f32,
}

impl CosineStats {
    /// Computes the statistics of some cosines with a query, to which [`set_best`](Self::set_best) adds the greatest that
    /// counts. Rounding adds the given variance to each.
    ///
    /// With `k` = [`PRIOR_TEXTS`], and `m`, `s` the usual mean and deviation of the scale:
    ///
    /// ```text
    /// mean        = (Σ x + k m) / (n + k)
    /// deviation²  = (Σ x² - (Σ x)² / n - n * rounding + k s²) / (n + k)      Sheppard's correction of the variance
    /// expected range = deviation * sqrt(2 ln max(n, k))
    /// ```
    ///
    /// `sqrt(2 ln n)` is the asymptotic maximum of `n` independent standard normal values (Leadbetter, Lindgren and Rootzén,
    /// "Extremes and Related Properties of Random Sequences and Processes", 1983).
    pub(crate) fn new(
        cosines: impl Iterator<Item = f32>,
        rounding_variance: f64,
        query: &QueryEmbedding,
    ) -> Self {
        let scale = &query.scale;
        let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for cosine in cosines.map(f64::from) {
            n += 1.0;
            sum += cosine;
            squares += cosine * cosine;
        }
        let count = n + PRIOR_TEXTS;
        let squared_deviations =
            (squares - sum * sum / n.max(1.0) - n * rounding_variance).max(0.0);
        let mean = (sum + PRIOR_TEXTS * f64::from(scale.mean)) / count;
        let deviation = ((squared_deviations + PRIOR_TEXTS * f64::from(scale.deviation).powi(2))
            / count)
            .sqrt();
        let expected_range = deviation * (2.0 * n.max(PRIOR_TEXTS).ln()).sqrt();
        #[expect(clippy::cast_possible_truncation, reason = "figures near 1")]
        let [mean, expected_range, rounding_deviation] =
            [mean, expected_range, rounding_variance.sqrt()].map(|figure| figure as f32);
        Self {
            model: query.model.name.clone(),
            weight: scale.weight,
            mean,
            best: 0.0,
            z: 0.0,
            strength: 0.0,
            expected_range,
            rounding_deviation,
            readable_letter_share: query.readable_letter_share,
        }
    }

    /// Sets the greatest cosine, and what follows from it.
    pub(crate) fn set_best(&mut self, best: f32) {
        self.best = best;
        self.z = (best - self.mean) / self.expected_range.max(f32::EPSILON);
        self.strength = self.z.max(MIN_Z).powi(2) * self.readable_letter_share;
    }

    /// Returns `(cosine - mean) / (best - mean)`, 0 to 1.
    pub(crate) fn relative_cosine(&self, cosine: f32) -> f32 {
        ((cosine - self.mean) / self.range()).clamp(0.0, 1.0)
    }

    /// Returns `best - mean`, never 0.
    pub(crate) fn range(&self) -> f32 {
        (self.best - self.mean).max(f32::EPSILON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::CosineScale;
    use session_store::ModelRow;

    /// Cosines 0.5 ± 0.1, to half of which an error of 0.05 was added, from the other half taken away.
    #[test]
    fn the_variance_of_rounding_is_taken_off() {
        let scale = CosineScale {
            unrelated: 0.25,
            related: 0.75,
            per_word: 0.0,
            mean: 0.5,
            deviation: 0.1,
            weight: 1.0,
        };
        let query = QueryEmbedding {
            model: ModelRow::default(),
            vector: Vec::new(),
            known_word_share: 1.0,
            readable_letter_share: 1.0,
            scale,
            text_cosines: None,
        };
        let exact = [0.4_f32, 0.4, 0.6, 0.6].repeat(1000);
        let errors = [0.05, -0.05].into_iter().cycle();
        let rounded = exact
            .iter()
            .zip(errors)
            .map(|(cosine, error)| cosine + error);
        let mut of_exact = CosineStats::new(exact.iter().copied(), 0.0, &query);
        let mut of_rounded = CosineStats::new(rounded, 0.05 * 0.05, &query);
        for stats in [&mut of_exact, &mut of_rounded] {
            stats.set_best(0.9);
        }
        assert!(
            (of_exact.z - of_rounded.z).abs() < 1e-4,
            "{} {}",
            of_exact.z,
            of_rounded.z
        );
    }
}
