//! The scores of memories that were replaced, below those of the memories that replaced them.

use crate::content::memory::Memory;
use std::collections::HashMap;

/// The factor of the score of a memory that was replaced.
const SUPERSEDED_FACTOR: f32 = 0.5;
/// The greatest score of a memory that was replaced, as a factor of that of the memory that replaced it: it ranks below.
const BELOW_REPLACEMENT_FACTOR: f32 = 0.99;

/// The replacement of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Replacement {
    /// It was not replaced.
    None,
    /// It was replaced by a memory that is not among those that are ranked.
    NotRanked,
    /// It was replaced by the memory of this index.
    Memory(usize),
}

/// Returns the scores by index of some memories, with those of replaced ones lowered. `None` is that of a memory that
/// does not match.
pub(crate) fn lower_replaced_scores(memories: &[Memory], scores: &[Option<f32>]) -> Vec<f32> {
    lower_scores(&find_replacements(memories), scores)
}

fn find_replacements(memories: &[Memory]) -> Vec<Replacement> {
    let ids = memories.iter().enumerate();
    let by_id: HashMap<&str, usize> = ids.map(|(at, memory)| (memory.id(), at)).collect();
    let find = |memory: &Memory| match memory.front.superseded_by.as_deref() {
        None => Replacement::None,
        Some(id) => {
            let found = by_id.get(id).copied();
            found.map_or(Replacement::NotRanked, Replacement::Memory)
        }
    };
    memories.iter().map(find).collect()
}

/// Computes each score once, from the end of its chain of replacements on: that of a replaced memory is lower than that
/// of each memory after it. A memory that does not match passes on the bound of those after it. A cycle ends where it
/// was entered.
fn lower_scores(replacements: &[Replacement], scores: &[Option<f32>]) -> Vec<f32> {
    let mut lowered: Vec<Option<f32>> = vec![None; scores.len()];
    for start in 0..scores.len() {
        let mut chain = Vec::new();
        let mut next = Some(start);
        while let Some(at) = next.filter(|at| lowered[*at].is_none()) {
            lowered[at] = Some(f32::MAX);
            chain.push(at);
            next = match replacements[at] {
                Replacement::Memory(by) => Some(by),
                Replacement::None | Replacement::NotRanked => None,
            };
        }
        let mut bound = next.and_then(|at| lowered[at]).unwrap_or(f32::MAX);
        for at in chain.into_iter().rev() {
            bound = match scores[at] {
                None => bound,
                Some(score) if replacements[at] == Replacement::None => score,
                Some(score) => (score * SUPERSEDED_FACTOR).min(bound * BELOW_REPLACEMENT_FACTOR),
            };
            lowered[at] = Some(bound);
        }
    }
    let lowered = lowered.into_iter();
    lowered.map(|score| score.unwrap_or(f32::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(replacements: &[Replacement], scores: &[Option<f32>], expected: &[f32]) {
        let lowered = lower_scores(replacements, scores);
        let is_near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
        assert!(lowered.iter().zip(expected).all(is_near), "{lowered:?}");
        assert_eq!(lowered.len(), expected.len());
    }

    #[test]
    fn a_replaced_memory_is_below_all_after_it_in_its_chain() {
        use Replacement::{Memory, None, NotRanked};
        let chain = [Memory(1), Memory(2), None];
        check(
            &chain,
            &[Some(0.9), Some(0.8), Some(0.1)],
            &[0.098_01, 0.099, 0.1],
        );
        check(
            &chain,
            &[Some(0.1), Some(0.2), Some(0.9)],
            &[0.05, 0.1, 0.9],
        );
        let two_of_one = [None, Memory(0), Memory(0)];
        check(
            &two_of_one,
            &[Some(0.2), Some(0.8), Some(0.3)],
            &[0.2, 0.198, 0.15],
        );
        check(&[NotRanked], &[Some(0.8)], &[0.4]);
    }

    #[test]
    fn a_memory_that_does_not_match_passes_the_bound_on() {
        use Replacement::{Memory, None};
        let chain = [None, Memory(0), Memory(1)];
        let lowered = lower_scores(&chain, &[Some(0.2), Option::None, Some(0.9)]);
        assert!((lowered[2] - 0.198).abs() < 1e-6, "{lowered:?}");
        let lowered = lower_scores(&chain, &[Option::None, Option::None, Some(0.9)]);
        assert!((lowered[2] - 0.45).abs() < 1e-6, "{lowered:?}");
    }

    #[test]
    fn a_cycle_ends() {
        use Replacement::Memory;
        let cycle = [Memory(1), Memory(0), Memory(1)];
        let lowered = lower_scores(&cycle, &[Some(0.8), Some(0.6), Some(0.9)]);
        assert!(lowered.iter().all(|score| *score <= 0.45), "{lowered:?}");
        assert!(
            lowered[2] < lowered[1] && lowered[0] < lowered[1],
            "{lowered:?}"
        );
    }
}
