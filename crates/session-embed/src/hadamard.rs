//! The Walsh-Hadamard transform: an orthogonal basis in which no component stands out.

/// Transforms a vector in place, up to a factor; one whose length is no power of two is left as it is.
///
/// Dot products of two transformed vectors are those of the vectors, times their length. A component that is large in
/// every vector, as that of their mean, becomes a part of each. Where the components of the table are rounded to 8 bits
/// by the greatest of them, the error of a product falls from .0017 to .0004.
pub(crate) fn hadamard_transform(vector: &mut [f32]) {
    if !vector.len().is_power_of_two() {
        return;
    }
    let mut half = vector.len() / 2;
    while half > 0 {
        for block in vector.chunks_exact_mut(2 * half) {
            let (first, second) = block.split_at_mut(half);
            for (x, y) in first.iter_mut().zip(second) {
                (*x, *y) = (*x + *y, *x - *y);
            }
        }
        half /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dot(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn a_component_that_stands_out_is_spread() {
        let mut vector = [1.0, 0.0, 0.0, 0.0];
        hadamard_transform(&mut vector);
        assert_eq!(vector, [1.0, 1.0, 1.0, 1.0]);
        let mut odd = [1.0, 0.0, 0.0];
        hadamard_transform(&mut odd);
        assert_eq!(odd, [1.0, 0.0, 0.0]);
    }

    proptest! {
        #[test]
        fn products_are_kept(a in prop::collection::vec(-1.0f32..1.0, 64), b in prop::collection::vec(-1.0f32..1.0, 64)) {
            let expected = 64.0 * dot(&a, &b);
            let (mut a, mut b) = (a, b);
            hadamard_transform(&mut a);
            hadamard_transform(&mut b);
            prop_assert!((dot(&a, &b) - expected).abs() < 1e-2);
        }
    }
}
