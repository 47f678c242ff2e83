//! Code that is near to every question. One function is much like another, and what is like many
//! others has a fair cosine with any query; it stands back by as much as that, which is half of the
//! cross-domain similarity local scaling of Conneau et al., "Word Translation Without Parallel
//! Data" (2018). Prose gained nothing by it, and few functions make no crowd.

use crate::code::Code;
use crate::passing::Passing;
use session_store::{Matrix, Owner};

/// The best so many are looked at.
const CANDIDATES: usize = 50;
/// Each by so many that are nearest to it,
const NEIGHBOURS: usize = 50;
/// among at least so many, or "nearest" says little,
const LEAST: usize = 10 * NEIGHBOURS;
/// and at most so many, evenly taken; of the neighbours as few.
const SAMPLE: usize = 4096;

/// Takes `part` of what the best turns of code have above each other in likeness to all code
/// off their cosines.
pub(crate) fn stand_back(
    found: &mut [(f32, Owner)],
    matrix: &Matrix,
    code: &Code,
    passing: &Passing<'_>,
    part: f32,
) {
    let is_code = |(_, owner): &(f32, Owner)| code.is_code(owner.turn);
    let rows: Vec<usize> = found
        .iter()
        .filter(|f| is_code(f))
        .map(|f| f.1.row)
        .collect();
    if rows.len() < LEAST || part <= 0.0 {
        return;
    }
    let sessions = passing.sessions();
    let mut best: Vec<&mut (f32, Owner)> = found
        .iter_mut()
        .filter(|f| is_code(f) && sessions.contains_key(&f.1.session))
        .collect();
    best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.row.cmp(&a.1.row)));
    best.truncate(CANDIDATES);
    let candidates: Vec<usize> = best.iter().map(|f| f.1.row).collect();
    let crowding = crowding(matrix, &candidates, &rows);
    let mean = mean(&crowding);
    for (one, crowding) in best.into_iter().zip(crowding) {
        one.0 -= part * (crowding - mean);
    }
}

/// How near each of some rows is to its nearest ones of all rows.
fn crowding(matrix: &Matrix, candidates: &[usize], all: &[usize]) -> Vec<f32> {
    let step = all.len().div_ceil(SAMPLE);
    let sample: Vec<usize> = all.iter().copied().step_by(step).collect();
    let near = (NEIGHBOURS / step).max(1);
    let products = matrix.products(candidates, &sample);
    let of_one = |(row, products): (&usize, &Vec<f32>)| {
        let others = products
            .iter()
            .zip(&sample)
            .filter(|(_, other)| *other != row);
        let mut nearest: Vec<f32> = others.map(|(product, _)| *product).collect();
        nearest.sort_unstable_by(|a, b| b.total_cmp(a));
        nearest.truncate(near);
        mean(&nearest)
    };
    candidates.iter().zip(&products).map(of_one).collect()
}

#[expect(clippy::cast_precision_loss, reason = "at most 4096")]
fn mean(of: &[f32]) -> f32 {
    of.iter().sum::<f32>() / of.len().max(1) as f32
}
