//! An index that stays open between queries.

use crate::error::QueryError;
use crate::live_index::{LiveIndex, Snapshot};
use session_core::parallel::run_both;
use session_indexer::Outcome;
use session_store::{IndexIdentity, Reader};
use std::path::{Path, PathBuf};

/// The index for a process that asks many times. Between two questions it holds no lock and no
/// transaction; what was written meanwhile, and an index put in the place of another, are seen by the next.
pub struct OpenIndex {
    root: PathBuf,
    open: Option<OpenSnapshot>,
}

/// An answer from an open index, with the refresh that ran beside it.
#[derive(Debug)]
pub struct RefreshedAnswer<T> {
    /// The answer.
    pub answer: T,
    /// The refresh.
    pub outcome: Outcome,
}

struct OpenSnapshot {
    snapshot: Snapshot,
    identity: IndexIdentity,
    /// [`Reader::data_version`] when the sessions were read.
    version: u64,
}

impl OpenIndex {
    /// Names the index; it is opened by the first question.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            open: None,
        }
    }

    /// Calls `ask` with one state of the index. Where it fails the index is opened anew by the next call.
    ///
    /// # Errors
    /// Those of `ask`; when there is no index, or it is damaged.
    pub fn with_snapshot<T, E: From<QueryError>>(
        &mut self,
        ask: impl FnOnce(&Snapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        self.ask(false, ask)
    }

    fn ask<T, E: From<QueryError>>(
        &mut self,
        may_be_stale: bool,
        ask: impl FnOnce(&Snapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        let open = self.begin(may_be_stale)?;
        let answer = ask(&open.snapshot);
        if answer.is_ok() && open.snapshot.index.end_snapshot().is_ok() {
            self.open = Some(open);
        }
        answer
    }

    /// Calls `ask` as [`OpenIndex::with_snapshot`] does, with the sessions and vectors that the last
    /// call read, though others may have been written since: reading them anew takes longer than a
    /// search. Where that fails, they are read anew.
    ///
    /// # Errors
    /// As [`OpenIndex::with_snapshot`].
    pub fn with_stale_snapshot<T, E: From<QueryError>>(
        &mut self,
        ask: impl Fn(&Snapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        let answer = self.ask(true, &ask);
        answer.or_else(|_| self.ask(false, &ask))
    }

    /// Calls `ask` with the index as it is while a refresh runs, and again where that changed something.
    ///
    /// # Errors
    /// When the refresh fails, or `ask` fails twice: a matrix may be replaced between a look at the
    /// database and one at the matrix.
    pub fn answer<T, E: From<QueryError>>(
        &mut self,
        live: &LiveIndex<'_>,
        ask: impl Fn(&Snapshot) -> Result<T, E>,
    ) -> Result<RefreshedAnswer<T>, E> {
        let (early, outcome) = run_both(|| self.with_snapshot(&ask), || live.refresh_for_query());
        let outcome = outcome?;
        let answer = match early {
            Ok(early) if self.is_current() => early,
            _ => {
                let first = self.with_snapshot(&ask);
                first.or_else(|_| self.with_snapshot(&ask))?
            }
        };
        Ok(RefreshedAnswer { answer, outcome })
    }

    /// Returns true where nobody has committed since the last call.
    fn is_current(&self) -> bool {
        let is_current = |open: &OpenSnapshot| -> Result<bool, QueryError> {
            let identity = IndexIdentity::read(&self.root)?;
            let version = open.snapshot.index.data_version()?;
            Ok(identity == open.identity && version == open.version)
        };
        let open = self.open.as_ref();
        open.is_some_and(|open| is_current(open).unwrap_or(false))
    }

    /// Begins a snapshot of the index that is open, if it is still the one on disk.
    fn begin(&mut self, may_be_stale: bool) -> Result<OpenSnapshot, QueryError> {
        let identity = IndexIdentity::read(&self.root)?;
        match self.open.take().filter(|open| open.identity == identity) {
            Some(open) => open.next(may_be_stale),
            None => OpenSnapshot::open(&self.root, identity),
        }
    }
}

impl OpenSnapshot {
    fn open(root: &Path, identity: IndexIdentity) -> Result<Self, QueryError> {
        let index = Reader::open(root)?;
        index.snapshot()?;
        Ok(Self {
            version: index.data_version()?,
            snapshot: Snapshot {
                sessions: index.sessions()?,
                index,
            },
            identity,
        })
    }

    /// Begins the next snapshot. Where another process has committed since, the sessions are read again,
    /// unless stale ones will do.
    fn next(mut self, may_be_stale: bool) -> Result<Self, QueryError> {
        self.snapshot.index.snapshot()?;
        self.snapshot.index.allow_stale_parts(may_be_stale);
        if may_be_stale {
            return Ok(self);
        }
        let version = self.snapshot.index.data_version()?;
        if version != self.version {
            self.snapshot.sessions = self.snapshot.index.sessions()?;
            self.version = version;
        }
        Ok(self)
    }
}
