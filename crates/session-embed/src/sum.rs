//! The one hot loop: a weighted sum of `i8` rows.

use crate::kernel::isa::per_isa;
use crate::table::{TableRow, TokenTable};

/// Rows added per pass over the sum: loads and stores of the sum are what a
/// pass costs in addition to the rows.
const LANES: usize = 4;

/// A token and its weight in the sum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WeightedToken {
    /// The token's id.
    pub id: u32,
    /// The factor of its vector.
    pub weight: f32,
}

per_isa! {
    /// Adds the vectors of tokens to `sum`. The result is the same on every CPU: no
    /// fused multiply-add, no other order.
    pub(crate) fn add_rows(table: &TokenTable, tokens: &[WeightedToken], sum: &mut [f32]) = add_rows_anywhere
}

#[inline(always)]
fn add_rows_anywhere(table: &TokenTable, tokens: &[WeightedToken], sum: &mut [f32]) {
    for group in tokens.chunks(LANES) {
        let row = |lane: usize| weighted_row(table, group.get(lane));
        add_four([row(0), row(1), row(2), row(3)], sum);
    }
}

#[inline(always)]
fn weighted_row<'a>(table: &'a TokenTable, token: Option<&WeightedToken>) -> Option<TableRow<'a>> {
    let &WeightedToken { id, weight } = token?;
    let TableRow { scale, quants } = table.row(id)?;
    let scale = scale * weight;
    Some(TableRow { scale, quants })
}

/// Adds four rows at once; a token without a vector counts as zeros.
#[inline(always)]
fn add_four(rows: [Option<TableRow<'_>>; LANES], sum: &mut [f32]) {
    let Some(any) = rows.iter().copied().flatten().next() else {
        return;
    };
    let zeros = TableRow { scale: 0.0, ..any };
    let [a, b, c, d] = rows.map(|row| row.unwrap_or(zeros));
    let quants = a.quants.iter().zip(b.quants).zip(c.quants).zip(d.quants);
    for (total, (((&qa, &qb), &qc), &qd)) in sum.iter_mut().zip(quants) {
        let low = dequantize_byte(qa) * a.scale + dequantize_byte(qb) * b.scale;
        let high = dequantize_byte(qc) * c.scale + dequantize_byte(qd) * d.scale;
        *total += low + high;
    }
}

#[inline(always)]
fn dequantize_byte(byte: u8) -> f32 {
    f32::from(byte as i8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::isa::Isa;

    #[test]
    fn the_sum_is_the_same_by_all_instructions() {
        let rows: Vec<Vec<f32>> = (0..50_u16)
            .map(|row| {
                (0..80_u16)
                    .map(|at| f32::from((row * 37 + at * 101) % 211) - 105.0)
                    .collect()
            })
            .collect();
        let table = TokenTable::open(TokenTable::compile(80, 100, &rows)).unwrap();
        let tokens: Vec<WeightedToken> = (0..43_u16)
            .map(|at| WeightedToken {
                id: u32::from(at * 7 % 53),
                weight: 1.0 / f32::from(at + 1),
            })
            .collect();
        let sums = Isa::detect_all().into_iter().map(|isa| {
            let mut sum = vec![0.0; 80];
            add_rows(isa, &table, &tokens, &mut sum);
            sum
        });
        let sums: Vec<_> = sums.collect();
        assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
    }
}
