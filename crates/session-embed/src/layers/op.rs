//! Kernels as custom operations of candle's.

use candle_core::{CpuStorage, CustomOp1, InplaceOp1, Layout, Result, Shape, Storage, bail};
use std::ops::Deref;

/// An operation on a CPU. `forward` gets rows that lie after each other, and
/// returns such rows, of `width` numbers.
pub(crate) struct RowsOp<F> {
    /// Its name in errors.
    pub name: &'static str,
    /// Length of a row of the output.
    pub width: usize,
    /// Its computation.
    pub forward: F,
}

impl<F: Fn(&[f32]) -> Vec<f32>> CustomOp1 for RowsOp<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let rows = (self.forward)(contiguous(storage, layout)?);
        let shape = (rows.len() / self.width.max(1), self.width);
        Ok((CpuStorage::F32(rows), shape.into()))
    }
}

/// An operation on a CPU that writes over its rows, which lie after each other.
pub(crate) struct InplaceRowsOp<F> {
    /// Its name in errors.
    pub name: &'static str,
    /// Its computation.
    pub forward: F,
}

impl<F: Fn(&mut [f32])> InplaceOp1 for InplaceRowsOp<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn cpu_fwd(&self, rows: &mut CpuStorage, layout: &Layout) -> Result<()> {
        let (CpuStorage::F32(rows), Some((start, end))) = (rows, layout.contiguous_offsets())
        else {
            bail!("a kernel takes rows of f32 that lie after each other")
        };
        (self.forward)(&mut rows[start..end]);
        Ok(())
    }
}

/// Returns the numbers of another tensor that an operation reads, from its
/// [`candle_core::Tensor::storage_and_layout`].
pub(crate) fn f32_slice<'a>(
    (storage, layout): &'a (impl Deref<Target = Storage>, &Layout),
) -> Result<&'a [f32]> {
    match &**storage {
        Storage::Cpu(storage) => contiguous(storage, layout),
        _ => bail!("a kernel computes on the CPU"),
    }
}

fn contiguous<'a>(storage: &'a CpuStorage, layout: &Layout) -> Result<&'a [f32]> {
    match layout.contiguous_offsets() {
        Some((start, end)) => Ok(&storage.as_slice()?[start..end]),
        None => bail!("a kernel takes rows that lie after each other"),
    }
}
