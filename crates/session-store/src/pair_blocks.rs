//! Columns of two numbers a row, packed in blobs: a million rows are copied faster than SQLite reads them.

use crate::error::{Result, StoreError};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use std::sync::Arc;

/// Rows of a block: it is written again when one of them changes.
const BLOCK_ROWS: u64 = 512;
/// Greatest number of a block: 134 million rows, 1 GB.
const MAX_BLOCKS: usize = 1 << 18;
/// Bytes of a row: two numbers (`<u4`).
const PAIR_BYTES: usize = 8;

/// The rows of all blocks, by number; one that was never written has zeros.
#[derive(Debug, Clone, Default)]
pub(crate) struct PairColumns(Arc<Vec<[u8; PAIR_BYTES]>>);

impl PairColumns {
    pub(crate) fn get(&self, row: usize) -> Option<[u32; 2]> {
        self.0.get(row).map(unpack)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.0.iter().map(unpack)
    }

    /// Reads `count` blocks, each its number and its blob, in order.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] for a number or a blob that only damage explains.
    pub(crate) fn read(root: &Path, count: i64, mut blocks: rusqlite::Rows<'_>) -> Result<Self> {
        let count = usize::try_from(count).unwrap_or_default();
        let mut pairs = Vec::with_capacity(count * BLOCK_ROWS as usize);
        while let Some(block) = blocks.next()? {
            let number = usize::try_from(block.get::<_, i64>(0)?).unwrap_or_default();
            let (rows, rest) = block.get_ref(1)?.as_blob().unwrap_or_default().as_chunks();
            if number > MAX_BLOCKS || !rest.is_empty() {
                return Err(StoreError::corrupt(
                    root,
                    format!("block {number} of its rows"),
                ));
            }
            pairs.resize(number * BLOCK_ROWS as usize, [0; PAIR_BYTES]);
            pairs.extend_from_slice(rows);
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

/// The rows of a block.
type Block = Vec<[u32; 2]>;

/// Blocks that were changed and are not yet written, by the columns to which they belong and their number.
#[derive(Debug)]
pub(crate) struct ChangedBlocks<K>(BTreeMap<(K, u64), Block>);

/// A block to be written.
pub(crate) struct ChangedBlock<K> {
    /// The columns to which it belongs.
    pub(crate) columns: K,
    /// From 0.
    pub(crate) number: u64,
    /// Its rows as they are stored.
    pub(crate) packed: Vec<u8>,
}

impl<K> Default for ChangedBlocks<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord + Copy> ChangedBlocks<K> {
    /// Returns a row to be changed. `read` returns the block of a number as it is stored.
    pub(crate) fn row_mut(
        &mut self,
        columns: K,
        row: u64,
        read: impl FnOnce(u64) -> Result<Option<Vec<u8>>>,
    ) -> Result<&mut [u32; 2]> {
        let number = row / BLOCK_ROWS;
        let block = match self.0.entry((columns, number)) {
            Entry::Occupied(changed) => changed.into_mut(),
            Entry::Vacant(unchanged) => {
                let stored = read(number)?.unwrap_or_default();
                unchanged.insert(stored.as_chunks().0.iter().map(unpack).collect())
            }
        };
        let position = (row % BLOCK_ROWS) as usize;
        if position >= block.len() {
            block.resize(position + 1, [0; 2]);
        }
        Ok(&mut block[position])
    }

    /// Leaves the blocks of some columns as they are stored.
    pub(crate) fn forget(&mut self, is_forgotten: impl Fn(K) -> bool) {
        self.0.retain(|(columns, _), _| !is_forgotten(*columns));
    }

    /// Takes all blocks.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = ChangedBlock<K>> + use<K> {
        let blocks = std::mem::take(&mut self.0).into_iter();
        blocks.map(|((columns, number), block)| {
            let numbers = block.into_flattened().into_iter();
            ChangedBlock {
                columns,
                number,
                packed: numbers.flat_map(u32::to_le_bytes).collect(),
            }
        })
    }
}

/// Returns the number of a session or turn as a block holds it.
pub(crate) fn pair_number(number: i64, root: &Path) -> Result<u32> {
    u32::try_from(number).map_err(|_| {
        StoreError::corrupt(root, format!("a session or turn has the number {number}"))
    })
}

/// Reads a block as it is stored, empty where it is damaged.
pub(crate) fn read_blob(row: &rusqlite::Row<'_>) -> rusqlite::Result<Vec<u8>> {
    Ok(row.get_ref(0)?.as_blob().unwrap_or_default().to_vec())
}
