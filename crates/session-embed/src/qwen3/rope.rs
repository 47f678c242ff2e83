//! Rotary positions: pairs of numbers are turned by angles that grow with the
//! position, a different one for each pair.

/// Sines and cosines of the first positions.
#[derive(Debug, Clone)]
pub struct Rope {
    /// How much each pair is turned from a position to the next, in radians.
    angles: Vec<f32>,
    /// A row a position.
    cosines: Vec<f32>,
    sines: Vec<f32>,
}

impl Rope {
    /// For heads of `width` numbers.
    pub fn new(width: usize, theta: f32) -> Self {
        let angle = |pair: usize| 1.0 / theta.powf((2 * pair) as f32 / width as f32);
        Self {
            angles: (0..width / 2).map(angle).collect(),
            cosines: Vec::new(),
            sines: Vec::new(),
        }
    }

    /// Makes ready for as many positions.
    pub fn reach(&mut self, positions: usize) {
        let known = self.sines.len() / self.angles.len().max(1);
        for position in known..positions {
            for angle in &self.angles {
                let (sine, cosine) = (position as f32 * angle).sin_cos();
                self.cosines.push(cosine);
                self.sines.push(sine);
            }
        }
    }

    /// Turns a head's numbers; a number of the first half and the one at its
    /// place in the second are a pair.
    #[inline(always)]
    pub fn turn(&self, position: usize, numbers: &mut [f32]) {
        let half = self.angles.len();
        let cosines = &self.cosines[position * half..][..half];
        let sines = &self.sines[position * half..][..half];
        let (first, second) = numbers.split_at_mut(half);
        let pairs = first.iter_mut().zip(second);
        for ((a, b), (cosine, sine)) in pairs.zip(cosines.iter().zip(sines)) {
            (*a, *b) = (*a * cosine - *b * sine, *b * cosine + *a * sine);
        }
    }
}
