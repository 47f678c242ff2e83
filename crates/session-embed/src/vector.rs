//! Operations on vectors of any model.

/// Scales to unit length; zeros stay zeros.
pub(crate) fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
}
