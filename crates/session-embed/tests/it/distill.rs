//! The committed table is what the distillation makes.

#[path = "../../examples/distill/distill.rs"]
mod distillation;

use crate::{model_dir, read};
use session_embed::{TableRow, TokenTable};

#[test]
fn distilling_again_gives_the_committed_files() {
    let Some(folder) = model_dir() else { return };
    let again = distillation::distill(&folder).unwrap();
    assert!(
        again.vocabulary == read("bundled/vocabulary.bin"),
        "the vocabulary differs"
    );
    let table = TokenTable::open(again.table).unwrap();
    let committed = TokenTable::open(read("bundled/table.bin")).unwrap();
    assert_eq!(table.rows(), committed.rows());
    assert_eq!(table.half_life(), committed.half_life());
    for id in 0..committed.rows() as u32 {
        assert!(
            is_near(table.row(id), committed.row(id)),
            "token {id} differs"
        );
    }
}

/// Scales within a thousandth, numbers within one step: what another CPU's
/// arithmetic may change.
fn is_near(a: Option<TableRow<'_>>, b: Option<TableRow<'_>>) -> bool {
    let step = |(a, b): (&u8, &u8)| i16::from(*a as i8).abs_diff(i16::from(*b as i8)) <= 1;
    match (a, b) {
        (Some(a), Some(b)) => {
            (a.scale / b.scale - 1.0).abs() < 1e-3 && a.quants.iter().zip(b.quants).all(step)
        }
        (a, b) => a.is_none() && b.is_none(),
    }
}
