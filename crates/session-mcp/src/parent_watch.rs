//! Ends the server when its client is gone, also where another process still holds its stdin open.

#[cfg(unix)]
use std::time::Duration;

/// Time between two looks at the parent process.
#[cfg(unix)]
const INTERVAL: Duration = Duration::from_secs(1);

/// Waits until the process that started this one has ended. On Windows it never ends: there a pipe's
/// end is enough.
pub(crate) async fn parent_ended() {
    #[cfg(unix)]
    {
        let parent = rustix::process::getppid();
        while rustix::process::getppid() == parent {
            tokio::time::sleep(INTERVAL).await;
        }
    }
    #[cfg(not(unix))]
    std::future::pending::<()>().await;
}
