//! Code that is near to every question. One function is much like another, and what is like many
//! others has a fair cosine with any query; it stands back by as much as that, which is half of the
//! cross-domain similarity local scaling of Conneau et al., "Word Translation Without Parallel
//! Data" (2018). Prose gained nothing by it, and few functions make no crowd.

use crate::code::Code;
use crate::passing::Passing;
use session_store::{Matrix, Owner, StoreError};

/// The best so many are looked at.
const CANDIDATES: usize = 50;
/// Each by so many that are nearest to it,
const NEIGHBOURS: usize = 50;
/// among at least so many, or "nearest" says little,
const LEAST: usize = 10 * NEIGHBOURS;
/// and at most so many, evenly taken; of the neighbours as few.
const SAMPLE: usize = 4096;

/// What is less like the others than this much below the mean comes forward no further: what
/// cosines are worth is measured on those that are as they are.
const UNLIKE: f32 = 0.1;

/// Takes `part` of what the best turns of code have above each other in likeness to all code
/// off their cosines.
pub(crate) fn stand_back(
    found: &mut [(f32, Owner)],
    matrix: &Matrix,
    code: &Code,
    part: f32,
    passing: &mut Passing<'_>,
) -> Result<(), StoreError> {
    let places: Vec<usize> = (0..found.len())
        .filter(|place| code.is_code(found[*place].1.turn))
        .collect();
    if places.len() < LEAST {
        return Ok(());
    }
    let rows = |places: &[usize]| places.iter().map(|place| found[*place].1.row).collect();
    let all: Vec<usize> = rows(&places);
    let best = best(found, places, passing)?;
    let candidates: Vec<usize> = rows(&best);
    let likeness = likeness(matrix, &candidates, &all);
    let usual = mean(&likeness);
    for (place, likeness) in best.into_iter().zip(likeness) {
        found[place].0 -= part * (likeness - usual).max(-UNLIKE);
    }
    Ok(())
}

/// Of some places the best that are let through.
fn best(
    found: &[(f32, Owner)],
    mut places: Vec<usize>,
    passing: &mut Passing<'_>,
) -> Result<Vec<usize>, StoreError> {
    places.sort_unstable_by(|a, b| found[*b].0.total_cmp(&found[*a].0).then(b.cmp(a)));
    let mut best = Vec::new();
    for place in places {
        let owner = found[place].1;
        if passing.place((owner.turn, owner.session))?.is_some() {
            best.push(place);
        }
        if best.len() == CANDIDATES {
            break;
        }
    }
    Ok(best)
}

/// How near each of some rows is to its nearest ones of all rows.
fn likeness(matrix: &Matrix, candidates: &[usize], all: &[usize]) -> Vec<f32> {
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
        if near < nearest.len() {
            nearest.select_nth_unstable_by(near, |a, b| b.total_cmp(a));
            nearest.truncate(near);
        }
        mean(&nearest)
    };
    candidates.iter().zip(&products).map(of_one).collect()
}

#[expect(clippy::cast_precision_loss, reason = "at most 4096")]
fn mean(of: &[f32]) -> f32 {
    of.iter().sum::<f32>() / of.len().max(1) as f32
}
