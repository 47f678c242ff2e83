//! Work that a second thread shares: a pool of threads would take longer to start than most queries have work for.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Fewest items for which a second thread pays for its start.
const MIN_ITEMS: usize = 3;

/// Runs `spawned` on another thread while this one runs `local`; after it where no thread can be had.
pub fn run_both<A, B: Send>(local: impl FnOnce() -> A, spawned: impl Fn() -> B + Sync) -> (A, B) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().spawn_scoped(scope, &spawned);
        let local = local();
        let spawned = match thread {
            Ok(thread) => thread.join(),
            Err(_) => Ok(spawned()),
        };
        (
            local,
            spawned.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    })
}

/// Maps items, each on the thread that is free.
pub fn map_on_two_threads<T: Sync, U: Send>(items: &[T], map: impl Fn(&T) -> U + Sync) -> Vec<U> {
    if items.len() < MIN_ITEMS {
        return items.iter().map(map).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        items.get(at).map(|item| (at, map(item)))
    };
    let take_all = || std::iter::from_fn(take).collect::<Vec<_>>();
    let (mut mapped, there) = run_both(take_all, take_all);
    mapped.extend(there);
    mapped.sort_unstable_by_key(|(at, _)| *at);
    mapped.into_iter().map(|(_, mapped)| mapped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_items_keep_their_order() {
        for count in [0, 1, 2, 3, 500] {
            let items: Vec<usize> = (0..count).collect();
            let expected: Vec<usize> = items.iter().map(|item| item * 2).collect();
            assert_eq!(map_on_two_threads(&items, |item| item * 2), expected);
        }
    }
}
