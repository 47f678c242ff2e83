//! Decides when a long pass commits.

use std::time::{Duration, Instant};

/// Spaces the commits of a pass.
///
/// Each commit writes the pages that it changed, and those of indexes by hash lie everywhere: commits every
/// 1.5 s wrote 18 GB for an index of 2 GB. So they become rarer the longer the work takes, and a kill never costs
/// more than a fifth of it.
pub(crate) struct CommitSchedule {
    began: Instant,
    last: Instant,
}

impl CommitSchedule {
    const SHORTEST: Duration = Duration::from_millis(1500);
    const LONGEST: Duration = Duration::from_secs(20);

    /// Begins the work.
    pub(crate) fn begin() -> Self {
        let began = Instant::now();
        Self { began, last: began }
    }

    /// Begins the work as of an hour ago: a commit is due.
    #[cfg(test)]
    pub(crate) fn begin_due() -> Self {
        let began = Instant::now() - Duration::from_secs(3600);
        Self { began, last: began }
    }

    /// Returns true when it is time for a commit, which counts as done then.
    pub(crate) fn is_due(&mut self) -> bool {
        let worked = self.last.duration_since(self.began);
        let is_due = self.last.elapsed() >= (worked / 4).clamp(Self::SHORTEST, Self::LONGEST);
        if is_due {
            self.last = Instant::now();
        }
        is_due
    }
}
