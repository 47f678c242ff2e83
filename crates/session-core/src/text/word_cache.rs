//! A cache of a number for each short word.

use super::WordHead;

/// Sets of entries, a power of two: 0.8 MB.
const SETS: usize = 1 << 14;
/// Sets of a cache of few words, a power of two: new pages for each small cache take longer than they save.
const SMALL_SETS: usize = 1 << 10;
/// Number of inserted words with which a small cache becomes a large one.
const MAX_SMALL_INSERTED: usize = 1 << 13;
/// 2^64 over the golden ratio, by which multiplicative hashing scatters numbers (Knuth, "The Art of Computer Programming",
/// volume 3, 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A two-way set-associative cache of a number for each recent word.
///
/// Where thousands of texts are cut, most words have been seen before, but lie beyond the CPU's first caches:
/// [`WordCache::prefetch`] some words ahead saves waiting for each.
#[derive(Debug)]
pub struct WordCache {
    sets: Vec<CacheSet>,
    /// Words that were inserted since it was made.
    inserted: usize,
}

/// The two entries of a set, the one that was inserted last first.
type CacheSet = [CacheEntry; 2];

/// A word and its number; zeros where there is none. The order of the fields is fixed, so that [`WordCache::prefetch`] knows the
/// cache line of the last one.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct CacheEntry {
    /// The bytes of the word, never all zero.
    bytes: WordHalves,
    number: u64,
}

/// The bytes of a word in two halves, the first bytes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
struct WordHalves {
    head: u64,
    tail: u64,
}

impl From<WordHead> for WordHalves {
    fn from(word: WordHead) -> Self {
        Self {
            head: word.bytes as u64,
            tail: (word.bytes >> 64) as u64,
        }
    }
}

impl WordCache {
    /// Prefetches the cache lines that [`WordCache::get`] reads for this word.
    #[inline]
    pub fn prefetch(&self, word: WordHead) {
        let [newer, older] = &self.sets[self.set_index(word)];
        // The first and the last byte of a set: it may lie over two cache lines.
        prefetch(newer);
        prefetch(&older.number);
    }

    /// Returns the number of a word that does not go on behind its head.
    #[inline]
    pub fn get(&self, word: WordHead) -> Option<u64> {
        let bytes = WordHalves::from(word);
        let mut entries = self.sets[self.set_index(word)].iter();
        let entry = entries.find(|entry| entry.bytes == bytes)?;
        Some(entry.number)
    }

    /// Inserts the number of a word, and evicts another of its set.
    pub fn insert(&mut self, word: WordHead, number: u64) {
        self.inserted += 1;
        if self.inserted == MAX_SMALL_INSERTED {
            self.sets = vec![CacheSet::default(); SETS];
        }
        let set = self.set_index(word);
        let set = &mut self.sets[set];
        let bytes = WordHalves::from(word);
        *set = [CacheEntry { bytes, number }, set[0]];
    }

    #[inline]
    fn set_index(&self, word: WordHead) -> usize {
        let WordHalves { head, tail } = WordHalves::from(word);
        let mixed = (head ^ tail.wrapping_mul(GOLDEN).rotate_left(32)).wrapping_mul(GOLDEN);
        (mixed >> (u64::BITS - SETS.ilog2())) as usize & (self.sets.len() - 1)
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.sets.fill(CacheSet::default());
    }
}

impl Default for WordCache {
    fn default() -> Self {
        Self {
            sets: vec![CacheSet::default(); SMALL_SETS],
            inserted: 0,
        }
    }
}

/// Prefetches the cache line of `value`, where the CPU has an instruction for that.
/// A loop that does so some rounds ahead does not wait for each in turn.
#[inline(always)]
fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction reads nothing that the program sees, and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn a_word_has_its_own_number_or_none(words in prop::collection::vec("[a-zA-Zé0-9]{1,7}", 1..300)) {
            let mut cache = WordCache::default();
            let mut numbers = HashMap::new();
            for (word, number) in words.iter().zip(0..) {
                let head = WordHead::up_to_separator(word.as_bytes());
                cache.insert(head, number);
                numbers.insert(head.bytes, number);
                prop_assert_eq!(cache.get(head), Some(number));
            }
            for word in &words {
                let head = WordHead::up_to_separator(word.as_bytes());
                prop_assert!(cache.get(head).is_none_or(|number| number == numbers[&head.bytes]));
            }
            cache.clear();
            prop_assert_eq!(cache.get(WordHead::up_to_separator(words[0].as_bytes())), None);
        }
    }

    #[test]
    fn a_cache_that_grows_gives_no_number_of_another_word() {
        let mut cache = WordCache::default();
        let head = |number: u64| WordHead::up_to_separator(format!("word{number}").as_bytes());
        let last = 2 * MAX_SMALL_INSERTED as u64;
        for number in 0..last {
            cache.insert(head(number), number);
            assert_eq!(cache.get(head(number)), Some(number));
        }
        let wrong = (0..last).find(|number| cache.get(head(*number)).is_some_and(|n| n != *number));
        assert_eq!(wrong, None);
    }
}
