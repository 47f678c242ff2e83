//! Statistics of the cosines of a query with a history.

use serde::Serialize;
use session_core::CosineScale;

/// Number of texts as which the usual mean and deviation of the scale count, and the fewest of a
/// history.
const PRIOR_TEXTS: f64 = 16.0;
/// Least z-score, so that meaning still ranks where words find nothing.
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
    /// The z-score of the greatest, over that of the greatest of `n` independent texts,
    /// `sqrt(2 ln n)`.
    pub z: f32,
    /// `z` squared, times the share of the query that the model reads: the model's weight beside what words found.
    pub strength: f32,
    /// The distance of the greatest of as many independent cosines from their mean, as chance puts it.
    #[serde(skip)]
    chance: f32,
    /// The standard deviation of what the rounding of stored vectors adds to a cosine.
    #[serde(skip)]
    pub(crate) rounding_deviation: f32,
    /// The share of the query that the model reads, 0 to 1.
    #[serde(skip)]
    read: f32,
}

impl CosineStats {
    /// Computes the statistics of some cosines, by a model that reads the whole query. `best` is the greatest cosine
    /// that counts, and rounding adds the given variance to each.
    pub(crate) fn new(
        cosines: impl Iterator<Item = f32>,
        best: f32,
        rounding_variance: f64,
        model: &str,
        scale: &CosineScale,
    ) -> Self {
        let (mut n, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for cosine in cosines.map(f64::from) {
            n += 1.0;
            sum += cosine;
            squares += cosine * cosine;
        }
        let count = n + PRIOR_TEXTS;
        let scatter = (squares - sum * sum / n.max(1.0) - n * rounding_variance).max(0.0);
        let mean = (sum + PRIOR_TEXTS * f64::from(scale.mean)) / count;
        let deviation =
            ((scatter + PRIOR_TEXTS * f64::from(scale.deviation).powi(2)) / count).sqrt();
        let chance = deviation * (2.0 * n.max(PRIOR_TEXTS).ln()).sqrt();
        #[expect(clippy::cast_possible_truncation, reason = "figures near 1")]
        let [mean, chance, rounding_deviation] =
            [mean, chance, rounding_variance.sqrt()].map(|figure| figure as f32);
        let mut stats = Self {
            model: model.to_owned(),
            weight: scale.weight,
            mean,
            best,
            z: 0.0,
            strength: 0.0,
            chance,
            rounding_deviation,
            read: 1.0,
        };
        stats.set_best(best);
        stats
    }

    /// Sets the share of the query that the model reads, 0 to 1.
    pub(crate) fn set_read(&mut self, read: f32) {
        self.read = read;
        self.set_best(self.best);
    }

    /// Sets the greatest cosine, which is known more precisely, and what follows from it.
    pub(crate) fn set_best(&mut self, best: f32) {
        self.best = best;
        self.z = (best - self.mean) / self.chance.max(f32::EPSILON);
        self.strength = self.z.max(MIN_Z).powi(2) * self.read;
    }

    /// Returns how far a cosine is above the mean, as a part of the range: 0 to 1.
    pub(crate) fn relative_cosine(&self, cosine: f32) -> f32 {
        ((cosine - self.mean) / self.range()).clamp(0.0, 1.0)
    }

    /// Returns how far the best cosine is above the mean, never 0.
    pub(crate) fn range(&self) -> f32 {
        (self.best - self.mean).max(f32::EPSILON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let exact = [0.4_f32, 0.4, 0.6, 0.6].repeat(1000);
        let errors = [0.05, -0.05].into_iter().cycle();
        let rounded = exact
            .iter()
            .zip(errors)
            .map(|(cosine, error)| cosine + error);
        let of_exact = CosineStats::new(exact.iter().copied(), 0.9, 0.0, "m", &scale);
        let of_rounded = CosineStats::new(rounded, 0.9, 0.05 * 0.05, "m", &scale);
        assert!(
            (of_exact.z - of_rounded.z).abs() < 1e-4,
            "{} {}",
            of_exact.z,
            of_rounded.z
        );
    }
}
