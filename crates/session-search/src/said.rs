//! What several models say together of one turn or session.

/// Models that are heard together at most.
pub(crate) const MODELS: usize = 4;

/// The models' weights, by their places in the list of models.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Weights([f32; MODELS]);

impl Weights {
    /// Sets the weight of a model.
    pub(crate) fn set(&mut self, model: usize, weight: f32) {
        if let Some(place) = self.0.get_mut(model) {
            *place = weight;
        }
    }
}

/// What each model says, by its place in the list of models. Cosines of two
/// models are never compared: each is first its part of that model's best,
/// times how far that best stands out.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Said([Option<f32>; MODELS]);

impl Said {
    /// Notes what a model says.
    pub(crate) fn note(&mut self, model: usize, said: f32) {
        if let Some(place) = self.0.get_mut(model) {
            *place = Some(said);
        }
    }

    /// The mean by the models' weights.
    pub(crate) fn score(&self, weights: &Weights) -> f32 {
        let (mut sum, mut of) = (0.0, 0.0);
        for (said, weight) in self.0.iter().zip(&weights.0) {
            if let Some(said) = said {
                sum += weight * said;
                of += weight;
            }
        }
        sum / of.max(f32::EPSILON)
    }

    /// The most that each model says of either.
    pub(crate) fn or(&self, other: &Self) -> Self {
        let most = |(a, b): (&Option<f32>, &Option<f32>)| match (a, b) {
            (Some(a), Some(b)) => Some(a.max(*b)),
            (a, b) => a.or(*b),
        };
        let mut all = Self::default();
        let both = self.0.iter().zip(&other.0).map(most);
        all.0.iter_mut().zip(both).for_each(|(to, from)| *to = from);
        all
    }
}
