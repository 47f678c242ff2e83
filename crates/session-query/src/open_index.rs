//! An index that stays open between queries.

use crate::error::QueryError;
use crate::live_index::{LiveIndex, Snapshot};
use session_core::parallel::run_both;
use session_indexer::RefreshOutcome;
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
    pub outcome: RefreshOutcome,
}

/// The age that the sessions and vectors of a snapshot may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SnapshotAge {
    /// They are those of the last commit.
    Current,
    /// They may be those that the last question read.
    MayBeStale,
}

/// The open index, with what the last snapshot read.
struct OpenSnapshot {
    snapshot: Snapshot,
    identity: IndexIdentity,
    /// [`Reader::data_version`] when the sessions were read; `None` before.
    version: Option<u64>,
    /// The same when [`OpenIndex::has_changed`] was called last.
    checked_version: Option<u64>,
}

impl OpenIndex {
    /// Names the index; it is opened by the first question.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            open: None,
        }
    }

    /// Returns true where the index was written, or another one put in its place, since the last call; also for the first
    /// call, and where the index cannot be read. Questions between two calls do not matter.
    pub fn has_changed(&mut self) -> bool {
        let mut check = || -> Result<bool, QueryError> {
            let mut open = self.open()?;
            let version = Some(open.snapshot.index.data_version()?);
            let before = std::mem::replace(&mut open.checked_version, version);
            self.open = Some(open);
            Ok(before != version)
        };
        check().unwrap_or(true)
    }

    /// Calls `ask` with one state of the index. Where it fails the index is opened anew by the next call.
    ///
    /// # Errors
    /// Those of `ask`; when there is no index, or it is damaged.
    pub fn with_snapshot<T, E: From<QueryError>>(
        &mut self,
        ask: impl FnOnce(&Snapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        let answer = self.ask(SnapshotAge::Current, ask);
        self.end_snapshot_after(&answer);
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
        let answer = self.ask(SnapshotAge::MayBeStale, &ask);
        self.end_snapshot_after(&answer);
        answer.or_else(|_| self.with_snapshot(&ask))
    }

    /// Calls `ask` with the index as it is while a refresh runs, and again where that changed something.
    ///
    /// # Errors
    /// When the refresh fails, or `ask` does. Where the index was changed meanwhile it is called again: a matrix may be
    /// replaced between a look at the database and one at the matrix.
    pub fn answer<T, E: From<QueryError>>(
        &mut self,
        live: &LiveIndex<'_>,
        ask: impl Fn(&Snapshot) -> Result<T, E>,
    ) -> Result<RefreshedAnswer<T>, E> {
        let refresh =
            |ask_early: &mut dyn FnMut()| run_both(ask_early, || live.refresh_for_query()).1;
        let answer = self.answer_beside(live, refresh, |snapshot, _| ask(snapshot));
        self.end_snapshot_after(&answer);
        answer
    }

    /// Answers as [`OpenIndex::answer`] does, and leaves the snapshot open. `refresh` runs the early question beside the
    /// refresh. `ask` hears of the refresh once that is done; an empty index is not asked before.
    pub(crate) fn answer_beside<T, E: From<QueryError>>(
        &mut self,
        live: &LiveIndex<'_>,
        refresh: impl FnOnce(&mut dyn FnMut()) -> Result<RefreshOutcome, QueryError>,
        ask: impl Fn(&Snapshot, Option<&RefreshOutcome>) -> Result<T, E>,
    ) -> Result<RefreshedAnswer<T>, E> {
        if self.is_purge_pending() {
            // A snapshot beside the refresh would keep deleted text in the log.
            let outcome = live.refresh_for_query()?;
            let answer = self.ask_twice(|snapshot| ask(snapshot, Some(&outcome)))?;
            return Ok(RefreshedAnswer { answer, outcome });
        }
        let mut early = None;
        let outcome = refresh(&mut || {
            let answer = self.ask(SnapshotAge::Current, |snapshot| {
                if snapshot.sessions.is_empty() {
                    Ok(None)
                } else {
                    ask(snapshot, None).map(Some)
                }
            });
            // The refresh may have to wait for a snapshot's end.
            self.end_snapshot();
            early = answer.transpose();
        })?;
        let answer = match early {
            Some(early) if self.resume_snapshot() => early?,
            _ => {
                self.end_snapshot();
                if outcome.purge_waits {
                    // The early snapshot kept the text in the log. Where this fails the next search removes it.
                    let _ = live.refresh_or_read_only();
                }
                self.ask_twice(|snapshot| ask(snapshot, Some(&outcome)))?
            }
        };
        Ok(RefreshedAnswer { answer, outcome })
    }

    /// Asks, and once more where that fails and somebody has committed meanwhile. The snapshot is left open.
    pub(crate) fn ask_twice<T, E: From<QueryError>>(
        &mut self,
        ask: impl Fn(&Snapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        let answer = self.ask(SnapshotAge::Current, &ask);
        if answer.is_ok() {
            return answer;
        }
        self.end_snapshot();
        if self.resume_snapshot() {
            return answer;
        }
        self.open = None;
        self.ask(SnapshotAge::Current, &ask)
    }

    /// Returns the snapshot of the last answer, if it was left open.
    pub(crate) fn into_snapshot(self) -> Option<Snapshot> {
        self.open.map(|open| open.snapshot)
    }

    /// Asks, and leaves the snapshot open.
    fn ask<T, E: From<QueryError>>(
        &mut self,
        age: SnapshotAge,
        ask: impl FnOnce(&Snapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        let open = self.open()?.begin(age)?;
        let answer = ask(&open.snapshot);
        self.open = Some(open);
        answer
    }

    /// Ends the snapshot of the last question, and closes the index where that failed.
    fn end_snapshot_after<T, E>(&mut self, answer: &Result<T, E>) {
        match answer {
            Ok(_) => self.end_snapshot(),
            Err(_) => self.open = None,
        }
    }

    /// Ends the snapshot of the last question. The index stays open, unless the database fails.
    fn end_snapshot(&mut self) {
        let ended = |open: &OpenSnapshot| open.snapshot.index.end_snapshot().is_ok();
        self.open = self.open.take().filter(ended);
    }

    /// Returns true where deleted text is still to be removed from the index. The index is left open: where several threads
    /// begin to read a log at once, SQLite lets all but one sleep.
    fn is_purge_pending(&mut self) -> bool {
        self.open = self.open().ok();
        let is_pending = |open: &OpenSnapshot| open.snapshot.index.is_purge_pending();
        self.open
            .as_ref()
            .is_some_and(|open| is_pending(open).unwrap_or(false))
    }

    /// Begins a snapshot; returns true where nobody has committed since the last question.
    fn resume_snapshot(&self) -> bool {
        let is_current = |open: &OpenSnapshot| -> Result<bool, QueryError> {
            open.snapshot.index.snapshot()?;
            let version = open.snapshot.index.data_version()?;
            let identity = IndexIdentity::read(&self.root)?;
            Ok(identity == open.identity && Some(version) == open.version)
        };
        let open = self.open.as_ref();
        open.is_some_and(|open| is_current(open).unwrap_or(false))
    }

    /// Takes the index that is open, if it is still the one on disk, or opens it.
    fn open(&mut self) -> Result<OpenSnapshot, QueryError> {
        let identity = IndexIdentity::read(&self.root)?;
        match self.open.take().filter(|open| open.identity == identity) {
            Some(open) => Ok(open),
            None => OpenSnapshot::open(&self.root, identity),
        }
    }
}

impl OpenSnapshot {
    fn open(root: &Path, identity: IndexIdentity) -> Result<Self, QueryError> {
        Ok(Self {
            snapshot: Snapshot {
                index: Reader::open(root)?,
                sessions: Vec::new(),
            },
            identity,
            version: None,
            checked_version: None,
        })
    }

    /// Begins the next snapshot. Where another process has committed since, the sessions are read again,
    /// unless stale ones will do.
    fn begin(mut self, age: SnapshotAge) -> Result<Self, QueryError> {
        let may_be_stale = age == SnapshotAge::MayBeStale;
        self.snapshot.index.snapshot()?;
        self.snapshot.index.allow_stale_parts(may_be_stale);
        if may_be_stale && self.version.is_some() {
            return Ok(self);
        }
        let version = Some(self.snapshot.index.data_version()?);
        if version != self.version {
            self.snapshot.sessions = self.snapshot.index.sessions()?;
            self.version = version;
        }
        Ok(self)
    }
}
