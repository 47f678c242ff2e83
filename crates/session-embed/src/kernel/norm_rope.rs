//! The norm of queries and keys, and rotary positions (Su et al. 2021).

use super::functions::rms_factor;
use super::isa::per_isa;
use std::ops::Range;

/// Sines and cosines of tokens' positions: a row a token, half as long as a
/// head.
#[derive(Clone, Copy)]
pub(crate) struct RopeAngles<'a> {
    /// Cosines.
    pub cos: &'a [f32],
    /// Sines.
    pub sin: &'a [f32],
}

/// The norm of the heads in some columns of each row: those of the queries, or of the keys.
pub(crate) struct HeadNorm<'a> {
    /// The columns, in which the heads of a token stand after each other.
    pub columns: Range<usize>,
    /// A weight for each number of a head.
    pub weight: &'a [f32],
    /// ε of the norm.
    pub epsilon: f32,
}

per_isa! {
    /// Divides each head by the root of the mean of its squares, multiplies it
    /// with its weight, and rotates it by the position of its token, in place.
    /// Rows, one a token, are `stride` numbers apart.
    pub(crate) fn norm_rope(rows: &mut [f32], stride: usize, norm: &HeadNorm<'_>, angles: RopeAngles<'_>) = norm_rope_anywhere
}

#[inline(always)]
fn norm_rope_anywhere(
    rows: &mut [f32],
    stride: usize,
    norm: &HeadNorm<'_>,
    angles: RopeAngles<'_>,
) {
    let HeadNorm {
        ref columns,
        weight,
        epsilon,
    } = *norm;
    let half = weight.len() / 2;
    let angles = angles
        .cos
        .chunks_exact(half)
        .zip(angles.sin.chunks_exact(half));
    for (row, (cos, sin)) in rows.chunks_mut(stride).zip(angles) {
        for head in row[columns.clone()].chunks_exact_mut(2 * half) {
            let factor = rms_factor(head, epsilon);
            let numbers = head.iter_mut().zip(weight);
            numbers.for_each(|(x, weight)| *x *= factor * weight);
            rotate(head, cos, sin);
        }
    }
}

/// Rotates a head: a number of the first half and the one at its place in the
/// second are a pair.
#[inline(always)]
fn rotate(head: &mut [f32], cos: &[f32], sin: &[f32]) {
    let (first, second) = head.split_at_mut(cos.len());
    let pairs = first.iter_mut().zip(second);
    for ((a, b), (cos, sin)) in pairs.zip(cos.iter().zip(sin)) {
        (*a, *b) = (*a * cos - *b * sin, *b * cos + *a * sin);
    }
}
