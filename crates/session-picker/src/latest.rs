//! A slot for the last of several values.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A slot that holds the last value until a thread takes it.
pub(crate) struct LatestValue<T> {
    value: Mutex<Option<T>>,
    filled: Condvar,
}

impl<T> Default for LatestValue<T> {
    fn default() -> Self {
        Self {
            value: Mutex::default(),
            filled: Condvar::new(),
        }
    }
}

impl<T> LatestValue<T> {
    /// Replaces the value: one that nobody took is dropped.
    pub(crate) fn replace(&self, value: T) {
        *self.lock() = Some(value);
        self.filled.notify_one();
    }

    /// Returns true if a value waits to be taken.
    pub(crate) fn is_filled(&self) -> bool {
        self.lock().is_some()
    }

    /// Takes the value, if there is one.
    pub(crate) fn try_take(&self) -> Option<T> {
        self.lock().take()
    }

    /// Waits for a value.
    pub(crate) fn wait_and_take(&self) -> T {
        let mut value = self.lock();
        loop {
            match value.take() {
                Some(taken) => return taken,
                None => {
                    value = self
                        .filled
                        .wait(value)
                        .unwrap_or_else(PoisonError::into_inner)
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<T>> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_wins() {
        let latest = LatestValue::default();
        latest.replace(1);
        latest.replace(2);
        assert!(latest.is_filled());
        assert_eq!(latest.wait_and_take(), 2);
        assert!(!latest.is_filled());
    }

    #[test]
    fn a_value_is_waited_for() {
        let latest = LatestValue::default();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| latest.wait_and_take());
            latest.replace(7);
            assert_eq!(waiting.join().unwrap(), 7);
        });
    }
}
