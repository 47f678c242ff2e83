//! Attention, which no seam outside shows for each set of instructions.

use super::attention::{Head, Heads, attend};
use crate::kernel::isa::Isa;
use crate::kernel::tests::{is_near, random};

/// Attention, in the plainest way.
fn plain(heads: Heads, rows: &[f32]) -> Vec<f32> {
    let (hidden, stride) = (heads.hidden(), 3 * heads.hidden());
    let mut out = Vec::new();
    for row in rows.chunks(stride) {
        for at in (0..hidden)
            .map(|column| column / heads.width * heads.width)
            .collect::<Vec<_>>()
            .chunks(heads.width)
        {
            let part =
                |row: &[f32], which: usize| row[which * hidden + at[0]..][..heads.width].to_vec();
            let query = part(row, 0);
            let weight = |row: &[f32]| {
                let dot: f32 = query.iter().zip(part(row, 1)).map(|(a, b)| a * b).sum();
                (dot / (heads.width as f32).sqrt()).exp()
            };
            let weights: Vec<f32> = rows.chunks(stride).map(weight).collect();
            let total: f32 = weights.iter().sum();
            for column in 0..heads.width {
                let values = rows.chunks(stride).map(|row| part(row, 2)[column]);
                out.push(
                    values
                        .zip(&weights)
                        .map(|(x, weight)| x * weight / total)
                        .sum(),
                );
            }
        }
    }
    out
}

#[test]
fn attention_is_right_on_every_isa() {
    for (count, width, len) in [(2, 32, 1), (1, 64, 7), (3, 32, 33), (2, 32, 64)] {
        let heads = Heads { count, width };
        let rows: Vec<f32> = random(len * 3 * heads.hidden(), 3)
            .iter()
            .map(|x| x * 3.0)
            .collect();
        let expected = plain(heads, &rows);
        for isa in Isa::all() {
            let mut out = vec![0.0; len * heads.hidden()];
            let mut head = Head::default();
            attend(
                isa,
                Heads {
                    count: 1,
                    width: 32,
                },
                &random(96 * 50, 4),
                &mut head,
                &mut [0.0; 50 * 32],
            );
            attend(isa, heads, &rows, &mut head, &mut out);
            assert!(
                out.iter()
                    .zip(&expected)
                    .all(|(&a, &b)| is_near(a, b, 1e-5)),
                "{isa:?}, {len} tokens"
            );
        }
    }
}
