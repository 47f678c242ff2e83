//! The cosines and scores that several models give one turn or session.

/// Greatest number of models that score together.
pub(crate) const MAX_MODELS: usize = 4;

/// The models' weights, in the order of the models.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ModelWeights([f32; MAX_MODELS]);

impl ModelWeights {
    /// Sets the weight of a model.
    pub(crate) fn set(&mut self, model: usize, weight: f32) {
        if let Some(slot) = self.0.get_mut(model) {
            *slot = weight;
        }
    }
}

/// A target's cosine by each model, in the order of the models; `None` if a model has not embedded it.
///
/// Cosines of two models are never compared: [`ModelScores`] are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TargetCosines([Option<f32>; MAX_MODELS]);

impl TargetCosines {
    /// Sets the cosine by a model.
    pub(crate) fn set(&mut self, model: usize, cosine: f32) {
        set_value(&mut self.0, model, cosine);
    }

    /// Returns the cosine by a model.
    pub(crate) fn get(&self, model: usize) -> Option<f32> {
        self.0.get(model).copied().flatten()
    }
}

/// A target's score by each model, in the order of the models; `None` if a model has not embedded it.
///
/// A score is `z² * (cosine - mean) / (best - mean)` of its model ([`CosineStats`](crate::cosine_stats::CosineStats)).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ModelScores([Option<f32>; MAX_MODELS]);

impl ModelScores {
    /// Sets the score by a model.
    pub(crate) fn set(&mut self, model: usize, score: f32) {
        set_value(&mut self.0, model, score);
    }

    /// Returns true when no model has a score.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Returns `Σ weight * score / Σ weight` over the models that have a score; 0 where none has.
    pub(crate) fn weighted_mean(&self, weights: &ModelWeights) -> f32 {
        let (mut sum, mut total) = (0.0, 0.0);
        for (score, weight) in self.0.iter().zip(&weights.0) {
            if let Some(score) = score {
                sum += weight * score;
                total += weight;
            }
        }
        sum / total.max(f32::EPSILON)
    }

    /// Returns the greater score of each model.
    pub(crate) fn max(&self, other: &Self) -> Self {
        let mut greater = *self;
        for (a, b) in greater.0.iter_mut().zip(other.0) {
            *a = match (*a, b) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            };
        }
        greater
    }
}

/// Sets the value of a model; one beyond [`MAX_MODELS`] has none.
fn set_value(values: &mut [Option<f32>; MAX_MODELS], model: usize, value: f32) {
    if let Some(slot) = values.get_mut(model) {
        *slot = Some(value);
    }
}
