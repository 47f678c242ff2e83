//! A filter of the keys by which turns are found.

use crate::turn_keys::BUCKET_BITS;

/// A Bloom filter with one hash. It takes 4 MB; where it holds 3 million keys it lets 9 % of others through.
pub(crate) struct KeyFilter {
    words: Vec<u64>,
}

impl KeyFilter {
    const BITS: u32 = 25;

    /// Returns the word and the bit of a key: the bits of its bucket, and the first of its entry.
    fn position(bucket: i64, entry: u64) -> (usize, u64) {
        let of_entry = Self::BITS - BUCKET_BITS;
        let bit = bucket.cast_unsigned() << of_entry | entry >> (u64::BITS - of_entry);
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    /// Adds a key.
    pub(crate) fn insert(&mut self, bucket: i64, entry: u64) {
        let (word, bit) = Self::position(bucket, entry);
        self.words
            .get_mut(word)
            .into_iter()
            .for_each(|word| *word |= bit);
    }

    /// Returns false for a key that was not added.
    pub(crate) fn may_hold(&self, bucket: i64, entry: u64) -> bool {
        let (word, bit) = Self::position(bucket, entry);
        self.words.get(word).is_none_or(|word| word & bit != 0)
    }
}

impl Default for KeyFilter {
    fn default() -> Self {
        Self {
            words: vec![0; 1 << (Self::BITS - 6)],
        }
    }
}
