//! The functions between the products, in forms without branches, of which the
//! compiler makes vectors.

use super::activations::ROUND;
use super::isa::per_isa;
use super::lanes::TileRow;

/// Computes eˣ for x up to 0; below −87 that of −87, which is next to nothing. It is off by
/// 3e-7 of it near zero, by 5e-6 where it is small.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    let power = max(-87.0, x) * std::f32::consts::LOG2_E;
    let rounded = power + ROUND;
    let rest = power - (rounded - ROUND);
    // The polynomial of the fifth degree that is nearest to 2ˣ from −½ to ½.
    let mut fraction = 1.327_647_2e-3;
    fraction = fraction * rest + 9.675_542e-3;
    fraction = fraction * rest + 5.550_713e-2;
    fraction = fraction * rest + 0.240_221_2;
    fraction = fraction * rest + 0.693_146_94;
    fraction = fraction * rest + 1.000_000_1;
    f32::from_bits((rounded.to_bits() << 23).wrapping_add(fraction.to_bits()))
}

/// Returns the greater number, without the care for NaN that costs `f32::max` time.
#[inline(always)]
pub(crate) fn max(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Computes the exact GELU, `x Φ(x)`, by the error function in form 7.1.26 of Abramowitz
/// and Stegun, which is off by 1.5e-7 at most.
#[inline(always)]
pub(crate) fn gelu(x: f32) -> f32 {
    let size = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let mut complement = 1.061_405_4;
    complement = complement * t - 1.453_152_1;
    complement = complement * t + 1.421_413_8;
    complement = complement * t - 0.284_496_72;
    complement = complement * t + 0.254_829_6;
    let complement = complement * t * exp(-size * size);
    max(0.0, x) - 0.5 * x.abs() * complement
}

per_isa! {
    /// Applies [`gelu`] to each number in place.
    pub(crate) fn gelu_rows(rows: &mut [TileRow]) = gelu_rows_anywhere
}

#[inline(always)]
fn gelu_rows_anywhere(rows: &mut [TileRow]) {
    for row in rows {
        row.iter_mut().for_each(|x| *x = gelu(*x));
    }
}

per_isa! {
    /// Normalizes each row to mean 0 and variance 1, times `weight` plus
    /// `bias`, in place (Ba et al. 2016).
    pub(crate) fn layer_norm(rows: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) = layer_norm_anywhere
}

#[inline(always)]
fn layer_norm_anywhere(rows: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) {
    for row in rows.chunks_exact_mut(weight.len().max(1)) {
        let count = row.len() as f32;
        let mean = sum(row, |x| x) / count;
        let variance = sum(row, |x| (x - mean) * (x - mean)) / count;
        let factor = 1.0 / (variance + epsilon).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
            *x = (*x - mean) * factor * weight + bias;
        }
    }
}

per_isa! {
    /// Writes each row, divided by the root of the mean of its squares, times
    /// `weight`, over `out` (Zhang and Sennrich 2019).
    pub(crate) fn rms_norm(rows: &[f32], weight: &[f32], epsilon: f32, out: &mut [f32]) = rms_norm_anywhere
}

#[inline(always)]
fn rms_norm_anywhere(rows: &[f32], weight: &[f32], epsilon: f32, out: &mut [f32]) {
    let width = weight.len().max(1);
    for (row, out) in rows.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        let factor = rms_factor(row, epsilon);
        let numbers = row.iter().zip(weight).zip(out);
        numbers.for_each(|((x, weight), out)| *out = x * (factor * weight));
    }
}

/// Returns the factor by which the mean of the squares of a row becomes 1.
#[inline(always)]
pub(crate) fn rms_factor(row: &[f32], epsilon: f32) -> f32 {
    let mean = sum(row, |x| x * x) / row.len() as f32;
    1.0 / (mean + epsilon).sqrt()
}

per_isa! {
    /// Multiplies SiLU of `gate`, `x / (1 + e⁻ˣ)`, with `up`, in place.
    pub(crate) fn silu_mul(gate: &mut [TileRow], up: &[TileRow]) = silu_mul_anywhere
}

#[inline(always)]
fn silu_mul_anywhere(gate: &mut [TileRow], up: &[TileRow]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        gate.iter_mut()
            .zip(up)
            .for_each(|(gate, up)| *gate = silu(*gate) * up);
    }
}

#[inline(always)]
fn silu(x: f32) -> f32 {
    let small = exp(-x.abs());
    let share = if x < 0.0 { small } else { 1.0 };
    x * share / (1.0 + small)
}

/// Sums a function of the numbers, sixteen at a time.
#[inline(always)]
pub(crate) fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (sixteens, rest) = numbers.as_chunks::<16>();
    let mut sums = [0.0; 16];
    for sixteen in sixteens {
        sums.iter_mut()
            .zip(sixteen)
            .for_each(|(sum, &x)| *sum += of(x));
    }
    reduce(sums, |a, b| a + b) + rest.iter().map(|&x| of(x)).sum::<f32>()
}

/// Returns the largest of the numbers and `least`. Their count is a multiple of 16.
#[inline(always)]
pub(crate) fn max_of(numbers: &[f32], least: f32) -> f32 {
    let mut largest = [least; 16];
    for sixteen in numbers.as_chunks::<16>().0 {
        let lanes = largest.iter_mut().zip(sixteen);
        lanes.for_each(|(largest, x)| *largest = max(*largest, *x));
    }
    reduce(largest, max)
}

/// Makes each number `exp(number - most)` and returns their sum. Their count
/// is a multiple of 16.
#[inline(always)]
pub(crate) fn exp_in_place(numbers: &mut [f32], most: f32) -> f32 {
    let mut sums = [0.0; 16];
    for sixteen in numbers.as_chunks_mut::<16>().0 {
        for (sum, x) in sums.iter_mut().zip(sixteen) {
            *x = exp(*x - most);
            *sum += *x;
        }
    }
    reduce(sums, |a, b| a + b)
}

/// Reduces sixteen lanes to one, by halves: fewer steps that wait for each other.
#[inline(always)]
pub(crate) fn reduce(lanes: [f32; 16], with: impl Fn(f32, f32) -> f32) -> f32 {
    let eight: [f32; 8] = std::array::from_fn(|lane| with(lanes[lane], lanes[lane + 8]));
    let four: [f32; 4] = std::array::from_fn(|lane| with(eight[lane], eight[lane + 4]));
    with(with(four[0], four[2]), with(four[1], four[3]))
}
