//! An index that stays open between queries.

use crate::error::QueryError;
use crate::live_index::{LiveIndex, Snapshot};
use session_core::parallel::run_both;
use session_indexer::RefreshOutcome;
use session_store::{CacheAge, IndexIdentity, Reader};
use std::path::{Path, PathBuf};

/// The index for a process that runs many queries. Between two queries it holds no lock and no transaction; the next query
/// sees what was committed meanwhile, and an index that replaced this one.
pub struct OpenIndex {
    root: PathBuf,
    open: Option<OpenSnapshot>,
}

/// An answer from an open index, with the refresh that ran meanwhile.
#[derive(Debug)]
pub struct RefreshedAnswer<T> {
    /// The answer.
    pub answer: T,
    /// The outcome of the refresh.
    pub refresh: RefreshOutcome,
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
    /// Names the index; it is opened by the first query.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            open: None,
        }
    }

    /// Returns true if the index was written, or replaced by another one, since the last call; also for the first call,
    /// and where the index cannot be read. Queries between two calls do not matter.
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

    /// Runs a query on one state of the index. Where it fails the index is opened anew by the next call.
    ///
    /// # Errors
    /// Those of `query`; when there is no index, or it is damaged.
    pub fn with_snapshot<T, E: From<QueryError>>(
        &mut self,
        query: impl FnOnce(&Snapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        let answer = self.run_query(CacheAge::Current, query);
        self.end_snapshot_after(&answer);
        answer
    }

    /// Runs a query as [`OpenIndex::with_snapshot`] does, with the sessions and vectors that the last
    /// call read, though others may have been written since: reading them anew takes longer than a
    /// search. Where that fails, they are read anew.
    ///
    /// # Errors
    /// As [`OpenIndex::with_snapshot`].
    pub fn with_stale_snapshot<T, E: From<QueryError>>(
        &mut self,
        query: impl Fn(&Snapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        let answer = self.run_query(CacheAge::MayBeStale, &query);
        self.end_snapshot_after(&answer);
        answer.or_else(|_| self.with_snapshot(&query))
    }

    /// Runs a query on the index as it is while a refresh runs, and again where that changed something.
    ///
    /// # Errors
    /// When the refresh fails, or `query` does. Where the index was changed meanwhile it is called again: a matrix may be
    /// replaced between a look at the database and one at the matrix.
    pub fn answer<T, E: From<QueryError>>(
        &mut self,
        live: &LiveIndex<'_>,
        query: impl Fn(&Snapshot) -> Result<T, E>,
    ) -> Result<RefreshedAnswer<T>, E> {
        let refresh =
            |early_query: &mut dyn FnMut()| run_both(early_query, || live.refresh_for_query()).1;
        let answer = self.answer_during_refresh(live, refresh, |snapshot, _| query(snapshot));
        self.end_snapshot_after(&answer);
        answer
    }

    /// Answers as [`OpenIndex::answer`] does, and leaves the snapshot open. `refresh` calls its argument, the early query,
    /// while it refreshes. `query` gets the outcome once there is one; an empty index is not searched before.
    pub(crate) fn answer_during_refresh<T, E: From<QueryError>>(
        &mut self,
        live: &LiveIndex<'_>,
        refresh: impl FnOnce(&mut dyn FnMut()) -> Result<RefreshOutcome, QueryError>,
        query: impl Fn(&Snapshot, Option<&RefreshOutcome>) -> Result<T, E>,
    ) -> Result<RefreshedAnswer<T>, E> {
        if self.is_purge_pending() {
            // A snapshot during the refresh would keep deleted text in the log.
            let refresh = live.refresh_for_query()?;
            let answer = self.run_query_with_retry(|snapshot| query(snapshot, Some(&refresh)))?;
            return Ok(RefreshedAnswer { answer, refresh });
        }
        let mut early = None;
        let refresh = refresh(&mut || {
            let answer = self.run_query(CacheAge::Current, |snapshot| {
                if snapshot.sessions.is_empty() {
                    Ok(None)
                } else {
                    query(snapshot, None).map(Some)
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
                if refresh.purge_waits {
                    // The early snapshot kept the text in the log. Where this fails the next search removes it.
                    let _ = live.refresh_unless_unwritable();
                }
                self.run_query_with_retry(|snapshot| query(snapshot, Some(&refresh)))?
            }
        };
        Ok(RefreshedAnswer { answer, refresh })
    }

    /// Runs a query, and once more where that fails and somebody has committed meanwhile. The snapshot is left open.
    pub(crate) fn run_query_with_retry<T, E: From<QueryError>>(
        &mut self,
        query: impl Fn(&Snapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        let answer = self.run_query(CacheAge::Current, &query);
        if answer.is_ok() {
            return answer;
        }
        self.end_snapshot();
        if self.resume_snapshot() {
            return answer;
        }
        self.open = None;
        self.run_query(CacheAge::Current, &query)
    }

    /// Returns the snapshot of the last answer, if it was left open.
    pub(crate) fn into_snapshot(self) -> Option<Snapshot> {
        self.open.map(|open| open.snapshot)
    }

    /// Runs a query, and leaves the snapshot open.
    fn run_query<T, E: From<QueryError>>(
        &mut self,
        age: CacheAge,
        query: impl FnOnce(&Snapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        let open = self.open()?.begin(age)?;
        let answer = query(&open.snapshot);
        self.open = Some(open);
        answer
    }

    /// Ends the snapshot of the last query, and closes the index where that failed.
    fn end_snapshot_after<T, E>(&mut self, answer: &Result<T, E>) {
        match answer {
            Ok(_) => self.end_snapshot(),
            Err(_) => self.open = None,
        }
    }

    /// Ends the snapshot of the last query. The index stays open, unless the database fails.
    fn end_snapshot(&mut self) {
        let ended = |open: &OpenSnapshot| open.snapshot.index.end_snapshot().is_ok();
        self.open = self.open.take().filter(ended);
    }

    /// Returns true if deleted text is still to be removed from the index. The index is left open: where several threads
    /// begin to read a log at once, SQLite lets all but one sleep.
    fn is_purge_pending(&mut self) -> bool {
        self.open = self.open().ok();
        let is_pending = |open: &OpenSnapshot| open.snapshot.index.is_purge_pending();
        self.open
            .as_ref()
            .is_some_and(|open| is_pending(open).unwrap_or(false))
    }

    /// Begins a snapshot; returns true if nobody has committed since the last query.
    fn resume_snapshot(&self) -> bool {
        let is_current = |open: &OpenSnapshot| -> Result<bool, QueryError> {
            open.snapshot.index.begin_snapshot()?;
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
    fn begin(mut self, age: CacheAge) -> Result<Self, QueryError> {
        self.snapshot.index.begin_snapshot()?;
        self.snapshot.index.set_cache_age(age);
        if age == CacheAge::MayBeStale && self.version.is_some() {
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
