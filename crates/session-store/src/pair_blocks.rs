//! Columns of two numbers a row, packed in blobs: a million rows are copied faster than SQLite reads them.

use crate::error::{Result, StoreError};
use std::path::Path;
use std::sync::Arc;

/// Rows of a block: it is written again when one of them changes.
pub(crate) const BLOCK_ROWS: u64 = 512;
/// Bytes of a row: two numbers (`<u4`).
const PAIR_BYTES: usize = 8;

/// The rows of all blocks, by number; one that was never written has zeros.
#[derive(Debug, Clone, Default)]
pub(crate) struct PairColumns(Arc<Vec<[u8; PAIR_BYTES]>>);

impl PairColumns {
    pub(crate) fn get(&self, row: usize) -> Option<[u32; 2]> {
        self.0.get(row).map(unpack)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.0.iter().map(unpack)
    }

    /// Reads `count` blocks, each its number and its blob, in order.
    pub(crate) fn read(count: i64, mut blocks: rusqlite::Rows<'_>) -> Result<Self> {
        let count = usize::try_from(count).unwrap_or_default();
        let mut pairs = Vec::with_capacity(count * BLOCK_ROWS as usize);
        while let Some(block) = blocks.next()? {
            let number = usize::try_from(block.get::<_, i64>(0)?).unwrap_or_default();
            pairs.resize(number * BLOCK_ROWS as usize, [0; PAIR_BYTES]);
            let blob = block.get_ref(1)?.as_blob().unwrap_or_default();
            pairs.extend_from_slice(blob.as_chunks().0);
        }
        Ok(Self(Arc::new(pairs)))
    }
}

fn unpack(pair: &[u8; PAIR_BYTES]) -> [u32; 2] {
    let [a0, a1, a2, a3, b0, b1, b2, b3] = *pair;
    [
        u32::from_le_bytes([a0, a1, a2, a3]),
        u32::from_le_bytes([b0, b1, b2, b3]),
    ]
}

/// A block that is being packed.
pub(crate) struct PairBlock<'a> {
    first: i64,
    packed: Vec<u8>,
    /// Folder of the index, for errors.
    root: &'a Path,
}

impl<'a> PairBlock<'a> {
    pub(crate) fn new(block: u64, root: &'a Path) -> Self {
        Self {
            first: (block * BLOCK_ROWS).cast_signed(),
            packed: Vec::new(),
            root,
        }
    }

    /// Returns the numbers of its rows, from the first to before the last.
    pub(crate) fn range(&self) -> [i64; 2] {
        [self.first, self.first + BLOCK_ROWS.cast_signed()]
    }

    /// Appends a row, which comes after those before it.
    pub(crate) fn push(&mut self, row: i64, pair: [i64; 2]) -> Result<()> {
        let position = usize::try_from(row - self.first).unwrap_or_default();
        self.packed.resize(position * PAIR_BYTES, 0);
        for number in pair {
            let number = u32::try_from(number).map_err(|_| StoreError::Corrupt {
                root: self.root.to_owned(),
                what: format!("a session or turn has the number {number}"),
            })?;
            self.packed.extend(number.to_le_bytes());
        }
        Ok(())
    }

    pub(crate) fn pack(self) -> Vec<u8> {
        self.packed
    }
}
