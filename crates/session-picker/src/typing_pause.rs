//! While keys come nothing is embedded: a list would take a third longer on two cores.

use session_store::EmbeddingPause;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long nothing is embedded after a key.
const IDLE: Duration = Duration::from_secs(2);

/// The request that the process that embeds waits, from a key until none has come for a while.
pub(crate) struct TypingPause {
    root: PathBuf,
    pause: Option<EmbeddingPause>,
    last_key: Instant,
}

impl TypingPause {
    /// Takes the folder of the index.
    pub(crate) fn new(root: PathBuf) -> Self {
        Self {
            root,
            pause: None,
            last_key: Instant::now(),
        }
    }

    /// Begins it at a key, or lets it go on.
    pub(crate) fn extend(&mut self) {
        self.last_key = Instant::now();
        if self.pause.is_none() {
            self.pause = EmbeddingPause::request(&self.root);
        }
    }

    /// Ends it where no key has come for a while.
    pub(crate) fn end_when_idle(&mut self) {
        if self.last_key.elapsed() > IDLE {
            self.pause = None;
        }
    }
}
