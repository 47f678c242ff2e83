//! A vector as a matrix stores it: 8 bits a component and a scale a row.
//!
//! `component ≈ scale * quantized`, with `scale = max |component| / 127`. Products with a query are sums of
//! integers: they are the same in whatever order and on whatever machine they are summed.

/// Bytes of the scale before the components of a row.
const SCALE_BYTES: usize = 4;

/// The greatest quantized component.
const MAX_QUANTIZED: f32 = 127.0;

/// The greatest scale of a unit vector, which has one component then, and a little for rounding.
const MAX_UNIT_SCALE: f32 = 1.05 / MAX_QUANTIZED;

/// Returns the bytes of a row of `dims` components.
pub(crate) fn row_bytes(dims: usize) -> usize {
    SCALE_BYTES + dims
}

/// Quantizes a vector to a row: its scale (`<f4`) and its components (`|i1`). One that is not finite becomes
/// a row of zeros.
pub(crate) fn quantize_row(vector: &[f32]) -> Vec<u8> {
    let max = vector.iter().fold(0.0f32, |max, x| max.max(x.abs()));
    let is_finite = vector.iter().all(|x| x.is_finite());
    let scale = if is_finite { max / MAX_QUANTIZED } else { 0.0 };
    let inverse = if scale > 0.0 { scale.recip() } else { 0.0 };
    let mut row = Vec::with_capacity(row_bytes(vector.len()));
    row.extend(scale.to_le_bytes());
    row.extend(vector.iter().map(|x| quantize(x * inverse)));
    row
}

/// Rounds a component in units of the scale; of what is no number it makes 0.
#[expect(
    clippy::cast_possible_truncation,
    reason = "clamped to the range of the type"
)]
fn quantize(scaled: f32) -> u8 {
    let rounded = scaled.round().clamp(-MAX_QUANTIZED, MAX_QUANTIZED);
    (rounded as i8).cast_unsigned()
}

/// A row as it lies in a matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QuantizedRow<'m> {
    scale: f32,
    components: &'m [u8],
}

impl<'m> QuantizedRow<'m> {
    /// Reads a row from its bytes; too few are a row without components.
    pub(crate) fn new(bytes: &'m [u8]) -> Self {
        let (scale, components) = bytes
            .split_first_chunk::<SCALE_BYTES>()
            .unwrap_or((&[0; SCALE_BYTES], &[]));
        Self {
            scale: f32::from_le_bytes(*scale),
            components,
        }
    }

    /// Returns the components as single floats.
    pub(crate) fn dequantize(&self) -> Vec<f32> {
        let components = self.components.iter().map(|x| f32::from(x.cast_signed()));
        components.map(|x| self.scale * x).collect()
    }

    /// Returns the variance of what rounding adds to the product with a query of unit length, for an error that is
    /// uniform in ±scale / 2: `scale² / 12` (Sheppard's correction). `None` for a row that is no unit vector.
    pub(crate) fn rounding_variance(&self) -> Option<f32> {
        let is_unit = (0.0..=MAX_UNIT_SCALE).contains(&self.scale);
        is_unit.then_some(self.scale * self.scale / 12.0)
    }

    /// Returns the dot product with a query of as many components.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a score has the precision of a float"
    )]
    pub(crate) fn dot(&self, query: &QuantizedQuery) -> f32 {
        let products = self.components.iter().zip(&query.components);
        let sum: i32 = products
            .map(|(x, y)| i32::from(x.cast_signed()) * i32::from(*y))
            .sum();
        sum as f32 * self.scale * query.scale
    }
}

/// A query's vector, 16 bits a component.
#[derive(Debug, Clone)]
pub(crate) struct QuantizedQuery {
    scale: f32,
    components: Vec<i16>,
}

impl QuantizedQuery {
    /// Quantizes a query in steps of a power of two, and so that no product with a row overflows 32 bits: by Cauchy
    /// and Schwarz a product of `dims` components is at most `128 * sqrt(dims)` times the query's norm.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "clamped to the range of the type; a model has thousands of components at most"
    )]
    pub(crate) fn new(query: &[f32]) -> Self {
        const MAX_PRODUCT: f32 = (1 << 30) as f32;
        let max = query.iter().fold(0.0f32, |max, x| max.max(x.abs()));
        let norm = query.iter().map(|x| x * x).sum::<f32>().sqrt();
        let least = 128.0 * (query.len() as f32).sqrt() * norm / MAX_PRODUCT;
        let scale = next_power_of_two((max / f32::from(i16::MAX)).max(least));
        let inverse = if scale > 0.0 { scale.recip() } else { 0.0 };
        let quantize = |x: &f32| (x * inverse).round() as i16;
        Self {
            scale,
            components: query.iter().map(quantize).collect(),
        }
    }
}

/// Returns the least power of two that is not less than a positive number; 0 for 0.
fn next_power_of_two(number: f32) -> f32 {
    const FRACTION: u32 = (1 << 23) - 1;
    f32::from_bits((number.to_bits() + FRACTION) & !FRACTION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit(vector: &[f32]) -> Vec<f32> {
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter().map(|x| x / norm).collect()
    }

    fn exact_dot(a: &[f32], b: &[f32]) -> f64 {
        let products = a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y));
        products.sum()
    }

    proptest! {
        #[test]
        fn a_product_is_the_one_of_the_stored_row(
            row in prop::collection::vec(-1.0f32..1.0, 1..300),
            seed in prop::collection::vec(-1.0f32..1.0, 300),
        ) {
            prop_assume!(row.iter().any(|x| x.abs() > 0.01));
            let (row, query) = (unit(&row), unit(&seed[..row.len()]));
            let bytes = quantize_row(&row);
            prop_assert_eq!(bytes.len(), row_bytes(row.len()));
            let stored = QuantizedRow::new(&bytes);
            let product = f64::from(stored.dot(&QuantizedQuery::new(&query)));
            prop_assert!((product - exact_dot(&stored.dequantize(), &query)).abs() < 1e-4);
            let step = row.iter().fold(0.0f32, |max, x| max.max(x.abs())) / 127.0;
            for (x, y) in row.iter().zip(stored.dequantize()) {
                prop_assert!((x - y).abs() <= 0.501 * step);
            }
        }
    }

    /// Over many rows, within a tenth.
    #[test]
    fn the_variance_of_rounding_is_that_of_the_errors() {
        const DIMS: usize = 64;
        let mut state = 1_u64;
        let mut number = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 40) as f32 / (1 << 24) as f32 - 0.5
        };
        let mut vector = || unit(&std::array::from_fn::<f32, DIMS, _>(|_| number()));
        let (mut errors, mut variances) = (0.0, 0.0);
        for _ in 0..5000 {
            let (row, query) = (vector(), vector());
            let bytes = quantize_row(&row);
            let stored = QuantizedRow::new(&bytes);
            errors += (exact_dot(&stored.dequantize(), &query) - exact_dot(&row, &query)).powi(2);
            variances += f64::from(stored.rounding_variance().unwrap());
        }
        assert!(
            (errors / variances - 1.0).abs() < 0.1,
            "{errors} {variances}"
        );
    }

    #[test]
    fn the_greatest_products_do_not_overflow() {
        for dims in [1, 256, 4096] {
            let bytes = [&1.0f32.to_le_bytes()[..], &vec![128; dims]].concat();
            let query = QuantizedQuery::new(&unit(&vec![-1.0; dims]));
            let product = QuantizedRow::new(&bytes).dot(&query);
            let exact = 128.0 * f64::from(u32::try_from(dims).unwrap()).sqrt();
            assert!((f64::from(product) / exact - 1.0).abs() < 0.01, "{dims}");
        }
    }

    #[test]
    fn powers_of_two_are_those_at_or_above_a_number() {
        for (number, power) in [
            (0.0, 0.0),
            (0.25, 0.25),
            (0.26, 0.5),
            (0.9, 1.0),
            (3.0, 4.0),
        ] {
            assert_eq!(next_power_of_two(number), power);
        }
    }

    #[test]
    fn damaged_rows_have_no_products_that_are_no_numbers_of_their_own() {
        assert_eq!(QuantizedRow::new(&[1, 2]).dequantize(), [0.0; 0]);
        for vector in [[0.0, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 1.0]] {
            let bytes = quantize_row(&vector);
            assert_eq!(QuantizedRow::new(&bytes).dequantize(), [0.0, 0.0]);
        }
    }
}
