//! A cache of a number for each short run of letters.

use super::HeadRun;

/// Sets of entries, a power of two: 0.8 MB.
const SETS: usize = 1 << 14;
/// Sets of a memo of few runs, a power of two: new pages for each small memo take longer than they save.
const SMALL_SETS: usize = 1 << 10;
/// Number of inserted runs with which a small memo becomes a large one.
const MAX_SMALL_INSERTED: usize = 1 << 13;
/// 2^64 over the golden ratio, by which multiplicative hashing scatters numbers (Knuth, "The Art of Computer Programming",
/// volume 3, 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A two-way set-associative cache of a number for each recent run.
///
/// Where thousands of texts are cut, most runs have been seen before, but lie beyond the CPU's first caches:
/// [`RunMemo::prefetch`] some runs ahead saves waiting for each.
#[derive(Debug)]
pub struct RunMemo {
    sets: Vec<MemoSet>,
    /// Runs that were inserted since it was made.
    inserted: usize,
}

/// The two entries of a set, the one that was inserted last first.
type MemoSet = [MemoEntry; 2];

/// A run and its number; zeros where there is none. The order of the fields is fixed, so that [`RunMemo::prefetch`] knows the
/// cache line of the last one.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct MemoEntry {
    /// The bytes of the run, never all zero.
    bytes: RunHalves,
    number: u64,
}

/// The bytes of a run in two halves, the first bytes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
struct RunHalves {
    head: u64,
    tail: u64,
}

impl From<HeadRun> for RunHalves {
    fn from(run: HeadRun) -> Self {
        Self {
            head: run.bytes as u64,
            tail: (run.bytes >> 64) as u64,
        }
    }
}

impl RunMemo {
    /// Prefetches the cache lines that [`RunMemo::get`] reads for this run.
    #[inline]
    pub fn prefetch(&self, run: HeadRun) {
        let [newer, older] = &self.sets[self.set_index(run)];
        // The first and the last byte of a set: it may lie over two cache lines.
        prefetch(newer);
        prefetch(&older.number);
    }

    /// Returns the number of a run that does not go on behind its head.
    #[inline]
    pub fn get(&self, run: HeadRun) -> Option<u64> {
        let bytes = RunHalves::from(run);
        let mut entries = self.sets[self.set_index(run)].iter();
        let entry = entries.find(|entry| entry.bytes == bytes)?;
        Some(entry.number)
    }

    /// Inserts the number of a run, and evicts another of its set.
    pub fn insert(&mut self, run: HeadRun, number: u64) {
        self.inserted += 1;
        if self.inserted == MAX_SMALL_INSERTED {
            self.sets = vec![MemoSet::default(); SETS];
        }
        let set = self.set_index(run);
        let set = &mut self.sets[set];
        let bytes = RunHalves::from(run);
        *set = [MemoEntry { bytes, number }, set[0]];
    }

    #[inline]
    fn set_index(&self, run: HeadRun) -> usize {
        let RunHalves { head, tail } = RunHalves::from(run);
        let mixed = (head ^ tail.wrapping_mul(GOLDEN).rotate_left(32)).wrapping_mul(GOLDEN);
        (mixed >> (u64::BITS - SETS.ilog2())) as usize & (self.sets.len() - 1)
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.sets.fill(MemoSet::default());
    }
}

impl Default for RunMemo {
    fn default() -> Self {
        Self {
            sets: vec![MemoSet::default(); SMALL_SETS],
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
        fn a_run_has_its_own_number_or_none(runs in prop::collection::vec("[a-zA-Zé0-9]{1,7}", 1..300)) {
            let mut memo = RunMemo::default();
            let mut numbers = HashMap::new();
            for (run, number) in runs.iter().zip(0..) {
                let head = HeadRun::up_to_separator(run.as_bytes());
                memo.insert(head, number);
                numbers.insert(head.bytes, number);
                prop_assert_eq!(memo.get(head), Some(number));
            }
            for run in &runs {
                let head = HeadRun::up_to_separator(run.as_bytes());
                prop_assert!(memo.get(head).is_none_or(|number| number == numbers[&head.bytes]));
            }
            memo.clear();
            prop_assert_eq!(memo.get(HeadRun::up_to_separator(runs[0].as_bytes())), None);
        }
    }

    #[test]
    fn a_memo_that_grows_gives_no_number_of_another_run() {
        let mut memo = RunMemo::default();
        let head = |number: u64| HeadRun::up_to_separator(format!("run{number}").as_bytes());
        let last = 2 * MAX_SMALL_INSERTED as u64;
        for number in 0..last {
            memo.insert(head(number), number);
            assert_eq!(memo.get(head(number)), Some(number));
        }
        let wrong = (0..last).find(|number| memo.get(head(*number)).is_some_and(|n| n != *number));
        assert_eq!(wrong, None);
    }
}
