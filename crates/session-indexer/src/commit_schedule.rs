//! Decides when a long pass commits.

use std::time::{Duration, Instant};

/// Spaces the commits of a pass.
///
/// Each commit writes the pages that it changed, and those of indexes by hash lie everywhere: commits every
/// 1.5 s wrote 18 GB for an index of 2 GB. So they become rarer the longer the work takes, and a kill never costs
/// more than a fifth of it.
pub(crate) struct CommitSchedule {
    began: Instant,
    /// None where a commit is due.
    last: Option<Instant>,
}

impl CommitSchedule {
    const SHORTEST: Duration = Duration::from_millis(1500);
    const LONGEST: Duration = Duration::from_secs(20);

    /// Begins the work.
    pub(crate) fn begin() -> Self {
        let began = Instant::now();
        let last = Some(began);
        Self { began, last }
    }

    /// Begins the work with a commit that is due.
    #[cfg(test)]
    pub(crate) fn begin_due() -> Self {
        Self {
            began: Instant::now(),
            last: None,
        }
    }

    /// Returns true when it is time for a commit, which counts as done then.
    pub(crate) fn is_due(&mut self) -> bool {
        let is_due = self.last.is_none_or(|last| {
            let worked = last.duration_since(self.began);
            last.elapsed() >= (worked / 4).clamp(Self::SHORTEST, Self::LONGEST)
        });
        if is_due {
            self.last = Some(Instant::now());
        }
        is_due
    }
}
