//! What several models say together of one turn or session.

/// Models that are heard together at most.
pub(crate) const MODELS: usize = 4;

/// No weight of a model goes below this on code: one alone has to rank.
const LEAST_WEIGHT: f32 = 1e-3;

/// What one model's word weighs.
#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    weight: f32,
    /// What the model's best is good for.
    strength: f32,
    /// The part of the weight that it has on code.
    code: f32,
}

impl Weight {
    /// The weight for a text of which a part is code.
    fn on(&self, code: f32) -> f32 {
        (self.weight * (1.0 - code * (1.0 - self.code))).max(LEAST_WEIGHT)
    }
}

/// The models' weights, by their places in the list of models.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Weights([Weight; MODELS]);

impl Weights {
    /// Sets the weight of a model, what its best is good for, and the part of the weight
    /// that it has on code.
    pub(crate) fn set(&mut self, model: usize, weight: f32, strength: f32, code: f32) {
        if let Some(place) = self.0.get_mut(model) {
            *place = Weight {
                weight,
                strength,
                code,
            };
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

    /// The mean by the models' weights, of a text of which a part is code. What is the best by
    /// all has the same score whatever that part is.
    pub(crate) fn score(&self, weights: &Weights, code: f32) -> f32 {
        let (mut sum, mut most, mut best, mut of) = (0.0, 0.0, 0.0, 0.0);
        for (said, weight) in self.0.iter().zip(&weights.0) {
            if let Some(said) = said {
                sum += weight.on(code) * said;
                most += weight.on(code) * weight.strength;
                best += weight.weight * weight.strength;
                of += weight.weight;
            }
        }
        sum / most.max(f32::EPSILON) * best / of.max(f32::EPSILON)
    }

    /// How well code is read by those that say something: by the best of them.
    pub(crate) fn reads(&self, weights: &Weights) -> f32 {
        let all = self.0.iter().zip(&weights.0);
        all.filter_map(|(said, weight)| said.map(|_| weight.code))
            .fold(0.0, f32::max)
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
