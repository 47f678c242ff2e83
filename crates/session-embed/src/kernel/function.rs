//! The functions between the products, in forms without branches, of which the
//! compiler makes vectors.

use super::activations::ROUND;
use super::isa::per_isa;
use super::lanes::TileRow;

/// eˣ for x up to 0; below −87 that of −87, which is next to nothing. Off by
/// 3e-7 of it near zero, by 5e-6 where it is small.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let power = at_least(-87.0, x) * std::f32::consts::LOG2_E;
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

#[inline(always)]
pub fn at_least(least: f32, x: f32) -> f32 {
    if x > least { x } else { least }
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

/// What divides a row by the root of the mean of its squares.
#[derive(Debug, Clone)]
pub struct RmsNorm {
    /// A factor a column.
    pub weight: Vec<f32>,
    /// Added to the mean.
    pub epsilon: f32,
}

impl RmsNorm {
    /// Normalises a row, in place.
    #[inline(always)]
    pub fn apply(&self, row: &mut [f32]) {
        let mean = sum(row, |x| x * x) / row.len() as f32;
        let factor = 1.0 / (mean + self.epsilon).sqrt();
        let row = row.iter_mut().zip(&self.weight);
        row.for_each(|(x, weight)| *x *= factor * weight);
    }
}

per_isa! {
    /// Writes the products of `up` and SiLU, `x / (1 + e⁻ˣ)`, of `gate`.
    pub fn gate_rows(gate: &[TileRow], up: &[TileRow], out: &mut [TileRow]) = gate_rows_anywhere
}

#[inline(always)]
fn gate_rows_anywhere(gate: &[TileRow], up: &[TileRow], out: &mut [TileRow]) {
    for ((gate, up), out) in gate.iter().zip(up).zip(out) {
        for ((gate, up), out) in gate.iter().zip(up).zip(out) {
            *out = silu(*gate) * up;
        }
    }
}

#[inline(always)]
fn silu(x: f32) -> f32 {
    let small = exp(-x.abs());
    let share = if x < 0.0 { small } else { 1.0 };
    x * share / (1.0 + small)
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
    fold(sums, |a, b| a + b) + rest.iter().map(|&x| of(x)).sum::<f32>()
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
    let most = fold(most, at_least);
    let mut sums = [0.0; 16];
    for sixteen in sixteens {
        for (sum, x) in sums.iter_mut().zip(sixteen) {
            *x = exp(*x - most);
            *sum += *x;
        }
    }
    fold(sums, |a, b| a + b)
}

/// Sixteen numbers made one, by halves: fewer steps that wait for each other.
#[inline(always)]
pub fn fold(lanes: [f32; 16], with: impl Fn(f32, f32) -> f32) -> f32 {
    let eight: [f32; 8] = std::array::from_fn(|lane| with(lanes[lane], lanes[lane + 8]));
    let four: [f32; 4] = std::array::from_fn(|lane| with(eight[lane], eight[lane + 4]));
    with(with(four[0], four[2]), with(four[1], four[3]))
}
