//! The best of many candidates, without sorting them all.

use std::cmp::Ordering;

/// Collects the first `limit` items of an order. It holds at most twice as many at once.
pub struct TopK<T> {
    limit: usize,
    order: fn(&T, &T) -> Ordering,
    items: Vec<T>,
    /// The last of the first `limit` items, once so many were seen.
    last: Option<T>,
}

impl<T: Copy> TopK<T> {
    /// Begins with no items. `order` is less for what comes first.
    pub fn new(limit: usize, order: fn(&T, &T) -> Ordering) -> Self {
        Self {
            limit,
            order,
            items: Vec::new(),
            last: None,
        }
    }

    /// Returns false when an item cannot be among the first.
    pub fn may_hold(&self, item: &T) -> bool {
        let comes_after = |last| (self.order)(item, last) == Ordering::Greater;
        self.limit > 0 && !self.last.as_ref().is_some_and(comes_after)
    }

    /// Adds an item that [may be held](Self::may_hold).
    pub fn push(&mut self, item: T) {
        self.items.push(item);
        if self.items.len() == self.limit.saturating_mul(2) {
            let (_, last, _) = self
                .items
                .select_nth_unstable_by(self.limit - 1, self.order);
            self.last = Some(*last);
            self.items.truncate(self.limit);
        }
    }

    /// Adds the first items of another collection.
    pub fn extend(&mut self, other: Self) {
        for item in other.items {
            if self.may_hold(&item) {
                self.push(item);
            }
        }
    }

    /// Returns the first `limit` items, in order.
    pub fn into_sorted(mut self) -> Vec<T> {
        self.items.sort_unstable_by(self.order);
        self.items.truncate(self.limit);
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_of_two_parts_are_those_that_sorting_all_puts_first(
            scores in prop::collection::vec(0u8..20, 0..200),
            limit in 0usize..30,
            divisor in 1usize..5,
            split in 0usize..200,
        ) {
            fn order(a: &(u8, usize), b: &(u8, usize)) -> Ordering {
                b.0.cmp(&a.0).then(a.1.cmp(&b.1))
            }
            let mut all: Vec<(u8, usize)> = scores.into_iter().zip(1..).collect();
            let mut parts = [TopK::new(limit, order), TopK::new(limit, order)];
            for item in &all {
                let best = &mut parts[usize::from(item.1 > split)];
                if best.may_hold(item) && item.1 % divisor == 0 {
                    best.push(*item);
                }
            }
            let [mut best, others] = parts;
            best.extend(others);
            all.sort_by(order);
            all.retain(|(_, number)| number % divisor == 0);
            all.truncate(limit);
            prop_assert_eq!(best.into_sorted(), all);
        }
    }
}
