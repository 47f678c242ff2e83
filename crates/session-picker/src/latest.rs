//! A place for the last of several values.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// A place for the last value that was put there.
pub(crate) struct Latest<T> {
    value: Mutex<Option<T>>,
    filled: Condvar,
}

impl<T> Latest<T> {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            value: Mutex::new(None),
            filled: Condvar::new(),
        })
    }

    /// Replaces the value: one that nobody took is dropped.
    pub(crate) fn put(&self, value: T) {
        *self.lock() = Some(value);
        self.filled.notify_one();
    }

    /// Returns true where a value waits to be taken.
    pub(crate) fn is_filled(&self) -> bool {
        self.lock().is_some()
    }

    /// Takes the value, if there is one.
    pub(crate) fn try_take(&self) -> Option<T> {
        self.lock().take()
    }

    /// Waits for a value.
    pub(crate) fn take(&self) -> T {
        let mut value = self.lock();
        loop {
            match value.take() {
                Some(taken) => return taken,
                None => value = self.filled.wait(value).unwrap_or_else(|e| e.into_inner()),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<T>> {
        self.value.lock().unwrap_or_else(|e| e.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_wins() {
        let latest = Latest::new();
        latest.put(1);
        latest.put(2);
        assert!(latest.is_filled());
        assert_eq!(latest.take(), 2);
        assert!(!latest.is_filled());
    }

    #[test]
    fn a_value_is_waited_for() {
        let latest = Latest::new();
        let other = Arc::clone(&latest);
        let waiting = std::thread::spawn(move || other.take());
        latest.put(7);
        assert_eq!(waiting.join().unwrap(), 7);
    }
}
