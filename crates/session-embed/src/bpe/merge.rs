//! The merging of a word's bytes.

use super::{Bpe, MergeRule};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No symbol.
const NONE: usize = usize::MAX;

/// Merges words; its buffers are kept from word to word.
#[derive(Debug, Default)]
pub(crate) struct Merger {
    symbols: Vec<BpeSymbol>,
    /// Pairs that could be merged: the earliest in the list first, then the leftmost.
    pairs: BinaryHeap<Reverse<MergeCandidate>>,
}

/// A token of a word that is being merged.
#[derive(Debug, Clone, Copy)]
struct BpeSymbol {
    id: u32,
    before: usize,
    after: usize,
}

/// Two neighbours, as they were when they were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MergeCandidate {
    rank: u32,
    at: usize,
    ids: (u32, u32),
    merged: u32,
}

impl Merger {
    /// Appends the ids of a word.
    pub(crate) fn merge(&mut self, bpe: &Bpe, word: &str, ids: &mut Vec<u32>) {
        self.symbols.clear();
        let last = word.len().wrapping_sub(1);
        let symbols = word.bytes().enumerate().map(|(at, byte)| BpeSymbol {
            id: bpe.bytes[usize::from(byte)],
            before: at.wrapping_sub(1),
            after: if at == last { NONE } else { at + 1 },
        });
        self.symbols.extend(symbols);
        for at in 0..self.symbols.len() {
            self.push_candidate(bpe, at);
        }
        while let Some(Reverse(pair)) = self.pairs.pop() {
            self.apply(bpe, pair);
        }
        let mut at = 0;
        while let Some(symbol) = self.symbols.get(at) {
            ids.push(symbol.id);
            at = symbol.after;
        }
    }

    /// Queues the pair of the symbol at `at` and the next one, if they can be merged.
    fn push_candidate(&mut self, bpe: &Bpe, at: usize) {
        let Some(ids) = self.pair(at) else { return };
        if let Some(&MergeRule { rank, merged }) = bpe.merges.get(&ids) {
            self.pairs.push(Reverse(MergeCandidate {
                rank,
                at,
                ids,
                merged,
            }));
        }
    }

    fn pair(&self, at: usize) -> Option<(u32, u32)> {
        let left = self.symbols.get(at)?;
        let right = self.symbols.get(left.after)?;
        Some((left.id, right.id))
    }

    /// Merges a pair, if both symbols still stand side by side.
    fn apply(&mut self, bpe: &Bpe, pair: MergeCandidate) {
        if self.pair(pair.at) != Some(pair.ids) {
            return;
        }
        let gone = self.symbols[pair.at].after;
        let after = self.symbols[gone].after;
        self.symbols[gone].after = NONE;
        let left = &mut self.symbols[pair.at];
        (left.id, left.after) = (pair.merged, after);
        let before = left.before;
        if let Some(right) = self.symbols.get_mut(after) {
            right.before = pair.at;
        }
        self.push_candidate(bpe, pair.at);
        if before != NONE {
            self.push_candidate(bpe, before);
        }
    }
}
