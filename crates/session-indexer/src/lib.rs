//! From history files to an index: discover, parse, chunk, embed, store.
//!
//! [`refresh`] brings the index up to date with the histories: it lists them,
//! skips what did not change, reads on where a file has grown, and embeds what
//! is new. Parsing runs on all cores; one writer stores what it gives, in the
//! order of the files, so that the result does not depend on timing. Embedding
//! is a second pass over the store, the same for every model: of a fast one within
//! the refresh, and [`embed_releasing_writer`] of a slow one, which
//! leaves the writer to others while it computes. The sessions of an empty index are
//! embedded by a fast one as they are read. All passes commit as they go:
//! a process killed at any instant loses at most the work since the last commit,
//! and the next run goes on from there.
//!
//! ```
//! use session_indexer::{RefreshOptions, refresh};
//! use session_sources::Env;
//!
//! let home = tempfile::tempdir().unwrap();
//! let index = tempfile::tempdir().unwrap();
//! let outcome = refresh(&RefreshOptions::new(index.path(), &Env::with_home(home.path()))).unwrap();
//! assert_eq!(outcome.files_read, 0);
//! ```

mod commit_schedule;
mod deadline;
mod discover;
mod documents;
mod embedding;
mod embedding_ahead;
mod error;
mod event_channel;
mod events;
mod history_reading;
mod history_writer;
mod known_files;
mod listed_histories;
mod model_failures;
mod outcome;
mod parallel_reading;
mod parent_session;
mod read_policy;
mod refresh;
mod repeated_sessions;
mod session_embedder;
mod stored_redaction;
mod writer_access;

pub use deadline::Deadline;
pub use discover::{HistoryChanges, discover};
pub use documents::chunk_texts;
pub use embedding::{EmbeddingCounts, EmbeddingOptions, embed_releasing_writer, embed_texts};
pub use error::IndexError;
pub use model_failures::record_model_failure;
pub use outcome::{
    OldDatabase, ProgressFactory, RefreshOutcome, RefreshProgress, RefreshStage, SilentProgress,
    Unwritable,
};
pub use read_policy::ReadPolicy;
pub use refresh::{RefreshMode, RefreshOptions, refresh};
pub use stored_redaction::awaits_redaction;
pub use writer_access::{MAX_LOCK_WAIT, retry_while_locked, wait_for_writer};
