//! Ends the server when its client is gone, also where another process still holds its stdin open.

#[cfg(unix)]
use std::time::Duration;

/// Time between two looks at the parent process.
#[cfg(unix)]
const INTERVAL: Duration = Duration::from_secs(1);

/// The process that started this one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParentProcess {
    #[cfg(unix)]
    id: Option<rustix::process::Pid>,
}

impl ParentProcess {
    /// Looks who it is. This is the first thing to do: one that has ended cannot be told.
    pub(crate) fn current() -> Self {
        Self {
            #[cfg(unix)]
            id: rustix::process::getppid(),
        }
    }

    /// Waits until it has ended. On Windows it never does: there a pipe's end is enough.
    pub(crate) async fn wait_for_exit(self) {
        #[cfg(unix)]
        while rustix::process::getppid() == self.id {
            tokio::time::sleep(INTERVAL).await;
        }
        #[cfg(not(unix))]
        std::future::pending::<()>().await;
    }
}
