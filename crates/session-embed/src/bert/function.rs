//! The functions between the products, in forms without branches, of which the
//! compiler makes vectors.

use super::activations::ROUND;
use super::isa::per_isa;
use super::lanes::TileRow;

const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;

/// eˣ for x in −87 to 88, beyond which it is that of the nearer end. Off by
/// 2e-7 of it at most.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let x = at_least(-87.0, at_most(88.0, x));
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let power = rounded - ROUND;
    let rest = x - power * LN_2_HIGH - power * LN_2_LOW;
    // Cephes' polynomial of eˣ between −ln 2 / 2 and ln 2 / 2.
    let mut tail = 1.987_569_2e-4;
    tail = tail * rest + 1.398_199_9e-3;
    tail = tail * rest + 8.333_452e-3;
    tail = tail * rest + 4.166_579_6e-2;
    tail = tail * rest + 1.666_666_5e-1;
    tail = tail * rest + 5.0e-1;
    let fraction = tail * rest * rest + rest + 1.0;
    f32::from_bits((rounded.to_bits() << 23).wrapping_add(fraction.to_bits()))
}

#[inline(always)]
fn at_least(least: f32, x: f32) -> f32 {
    if x > least { x } else { least }
}

#[inline(always)]
fn at_most(most: f32, x: f32) -> f32 {
    if x < most { x } else { most }
}

/// The exact GELU, `x Φ(x)`, by the error function in form 7.1.26 of Abramowitz
/// and Stegun, which is off by 1.5e-7 at most.
#[inline(always)]
pub fn gelu(x: f32) -> f32 {
    let size = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let mut complement = 1.061_405_4;
    complement = complement * t - 1.453_152_1;
    complement = complement * t + 1.421_413_8;
    complement = complement * t - 0.284_496_72;
    complement = complement * t + 0.254_829_6;
    let complement = complement * t * exp(-size * size);
    at_least(0.0, x) - 0.5 * x.abs() * complement
}

per_isa! {
    /// [`gelu`] of each number.
    pub fn gelu_rows(rows: &mut [TileRow]) = gelu_rows_anywhere
}

#[inline(always)]
fn gelu_rows_anywhere(rows: &mut [TileRow]) {
    for row in rows {
        row.iter_mut().for_each(|x| *x = gelu(*x));
    }
}

/// Weight and bias of a layer norm, and what keeps it from dividing by zero.
#[derive(Debug, Clone)]
pub struct Norm {
    /// A factor a column.
    pub weight: Vec<f32>,
    /// A summand a column.
    pub bias: Vec<f32>,
    /// Added to the variance.
    pub epsilon: f32,
}

per_isa! {
    /// Adds `y` to `x` and normalises each row, in place.
    pub fn add_and_normalise(x: &mut [f32], y: &[f32], norm: &Norm) = add_and_normalise_anywhere
}

#[inline(always)]
fn add_and_normalise_anywhere(x: &mut [f32], y: &[f32], norm: &Norm) {
    let width = norm.weight.len().max(1);
    for (x, y) in x.chunks_exact_mut(width).zip(y.chunks_exact(width)) {
        x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
        normalise(x, norm);
    }
}

#[inline(always)]
fn normalise(row: &mut [f32], norm: &Norm) {
    let count = row.len() as f32;
    let mean = sum(row, |x| x) / count;
    let variance = sum(row, |x| (x - mean) * (x - mean)) / count;
    let factor = 1.0 / (variance + norm.epsilon).sqrt();
    for ((x, weight), bias) in row.iter_mut().zip(&norm.weight).zip(&norm.bias) {
        *x = (*x - mean) * factor * weight + bias;
    }
}

/// The sum of a function of the numbers, sixteen at a time.
#[inline(always)]
pub fn sum(numbers: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (sixteens, rest) = numbers.as_chunks::<16>();
    let mut sums = [0.0; 16];
    for sixteen in sixteens {
        sums.iter_mut()
            .zip(sixteen)
            .for_each(|(sum, &x)| *sum += of(x));
    }
    sums.iter().sum::<f32>() + rest.iter().map(|&x| of(x)).sum::<f32>()
}

/// Makes each number its power of e, less the greatest of them; the sum. The
/// count of numbers should be a multiple of sixteen.
#[inline(always)]
pub fn exp_all(numbers: &mut [f32]) -> f32 {
    let (sixteens, _) = numbers.as_chunks_mut::<16>();
    let mut most = [f32::MIN; 16];
    for sixteen in sixteens.iter() {
        most.iter_mut()
            .zip(sixteen)
            .for_each(|(most, x)| *most = at_least(*most, *x));
    }
    let most = most.iter().fold(f32::MIN, |a, &b| at_least(a, b));
    let mut sums = [0.0; 16];
    for sixteen in sixteens {
        for (sum, x) in sums.iter_mut().zip(sixteen) {
            *x = exp(*x - most);
            *sum += *x;
        }
    }
    sums.iter().sum()
}
