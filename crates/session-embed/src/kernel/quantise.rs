//! Weights of other forms made `Q8_0`, when a model is opened.

use super::activations::{greatest, nearest};
use super::isa::{Isa, per_isa};
use crate::tensor::{BLOCK, BLOCK_BYTES, Form, Tensor};
use half::f16;
use rayon::prelude::*;

/// The same matrix in `Q8_0`; as it is where it is that, or its rows are no
/// multiple of 32.
pub fn quantised(isa: Isa, tensor: Tensor) -> Tensor {
    let len = Form::Q8_0.row_bytes(tensor.columns());
    let (Some(len), false) = (len.filter(|&len| len > 0), tensor.form() == Form::Q8_0) else {
        return tensor;
    };
    let mut bytes = vec![0; len * tensor.rows()];
    let rows = bytes.par_chunks_exact_mut(len).enumerate().with_min_len(16);
    let buffer = || vec![0.0; tensor.columns()];
    rows.for_each_init(buffer, |numbers, (at, out)| {
        quantise(isa, tensor.form(), tensor.row(at), numbers, out);
    });
    let (rows, columns) = (tensor.rows(), tensor.columns());
    Tensor::new(Form::Q8_0, rows, columns, bytes.into()).unwrap_or(tensor)
}

per_isa! {
    /// Quantises a row, over `out`; `numbers` has room for it.
    fn quantise(form: Form, row: &[u8], numbers: &mut [f32], out: &mut [u8]) = quantise_anywhere
}

#[inline(always)]
fn quantise_anywhere(form: Form, row: &[u8], numbers: &mut [f32], out: &mut [u8]) {
    form.read(row, numbers);
    let blocks = out.as_chunks_mut::<BLOCK_BYTES>().0.iter_mut();
    for (numbers, block) in numbers.as_chunks::<BLOCK>().0.iter().zip(blocks) {
        let most = greatest(numbers);
        let inverse = if most > 0.0 { 127.0 / most } else { 0.0 };
        let (scale, quants) = block.split_at_mut(2);
        scale.copy_from_slice(&f16::from_f32(most / 127.0).to_le_bytes());
        for (quant, x) in quants.iter_mut().zip(numbers) {
            *quant = nearest(x * inverse) as u8;
        }
    }
}
