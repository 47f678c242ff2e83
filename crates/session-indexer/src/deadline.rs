//! The time at which a pass over histories or documents ends.

use std::time::{Duration, Instant};

/// The time from which on no further work is begun; none by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// Returns the deadline after a budget of time from now; none without a budget.
    pub fn after(budget: Option<Duration>) -> Self {
        Self(budget.map(|budget| Instant::now() + budget))
    }

    /// Returns true when there is a deadline and it has passed.
    pub(crate) fn has_passed(self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
