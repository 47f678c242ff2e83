//! The index of a history that is still being written.

use crate::error::QueryError;
use crate::open_index::OpenIndex;
use session_core::parallel::run_both;
use session_embed::Embedder;
use session_indexer::{
    ProgressFactory, ReadPolicy, RefreshMode, RefreshOptions, RefreshOutcome, Unwritable, discover,
    refresh, retry_while_locked,
};
use session_memory::{InjectionLog, delete_injected_turns};
use session_search::{ResolvedSession, resolve_session_uid};
use session_sources::Env;
use session_store::{Reader, SessionRow, StoreError};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// The longest time that a query, or the start of a session, waits for changed histories to be read.
pub const REFRESH_BUDGET: Duration = Duration::from_millis(300);

/// An index with the histories from which it is brought up to date.
#[derive(Clone, Copy)]
pub struct LiveIndex<'a> {
    /// The index's folder.
    pub root: &'a Path,
    /// The user's home and variables, from which the histories are found.
    pub env: &'a Env,
    /// The model by which histories are embedded as they are read.
    pub table: &'a dyn Embedder,
    /// Rules for what is read.
    pub policy: &'a ReadPolicy,
    /// Makes the progress display of a refresh.
    pub progress: ProgressFactory<'a>,
}

/// The index at one moment, with all its sessions.
pub struct Snapshot {
    /// The index.
    pub index: Reader,
    /// All sessions, by number.
    pub sessions: Vec<SessionRow>,
}

impl Snapshot {
    /// Takes a snapshot of an open index.
    fn take(index: Reader) -> Result<Self, QueryError> {
        index.begin_snapshot()?;
        let sessions = index.sessions()?;
        Ok(Self { index, sessions })
    }
}

/// The choice whether a query refreshes the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryRefresh {
    /// The index is refreshed while the query runs.
    DuringAnswer,
    /// The index is read as it is; it is made where there is none.
    IfMissing,
}

/// An answer with the refresh that ran meanwhile.
pub struct LiveAnswer<T> {
    /// The answer; `None` if there is no history.
    pub found: Option<SnapshotAnswer<T>>,
    /// The outcome of the refresh, if there was one.
    pub refresh: Option<RefreshOutcome>,
}

/// An answer with the snapshot that it is from.
pub struct SnapshotAnswer<T> {
    /// The answer.
    pub answer: T,
    /// The snapshot that was searched.
    pub snapshot: Snapshot,
}

impl LiveIndex<'_> {
    /// Reads what changed in the histories, within a budget of time if one is given.
    ///
    /// # Errors
    /// When the index or the model fails.
    pub fn refresh(
        &self,
        mode: RefreshMode,
        budget: Option<Duration>,
    ) -> Result<RefreshOutcome, QueryError> {
        let progress = (self.progress)();
        let request = RefreshOptions {
            mode,
            budget,
            embedder: Some(self.table),
            policy: self.policy.clone(),
            progress: progress.as_ref(),
            ..RefreshOptions::new(self.root, self.env)
        };
        let outcome = refresh(&request)?;
        delete_injection_records(self.root, &outcome);
        Ok(outcome)
    }

    /// Refreshes the index within the budget of a query. An index that cannot be written is searched as it is.
    pub(crate) fn refresh_unless_unwritable(&self) -> Result<RefreshOutcome, QueryError> {
        let error = match self.refresh(RefreshMode::Changes, Some(REFRESH_BUDGET)) {
            Err(QueryError::Store(error)) => error,
            refreshed => return refreshed,
        };
        match Unwritable::new(&error) {
            Some(unwritable) if self.has_sessions() => Ok(RefreshOutcome {
                files_left: self.count_changed_files()?,
                unwritable: Some(unwritable),
                ..RefreshOutcome::default()
            }),
            _ => Err(error.into()),
        }
    }

    fn has_sessions(&self) -> bool {
        self.snapshot()
            .is_ok_and(|index| !index.sessions.is_empty())
    }

    /// Reads what changed as far as a query can wait for it. While another process makes the first
    /// index or migrates one, there is nothing to answer from: that is waited for.
    ///
    /// # Errors
    /// When the index or the model fails.
    pub fn refresh_for_query(&self) -> Result<RefreshOutcome, QueryError> {
        // What is damaged is not waited for: it fails where it is read.
        let has_no_answer = |refreshed: &Result<RefreshOutcome, QueryError>| {
            refreshed.as_ref().is_ok_and(|outcome| outcome.locked)
                && self.is_unreadable_yet().unwrap_or_default()
        };
        let attempt = || self.refresh_unless_unwritable();
        let mut outcome = retry_while_locked(has_no_answer, || {}, attempt)?;
        if outcome.locked {
            outcome.files_left = self.count_changed_files()?;
        }
        Ok(outcome)
    }

    /// Returns true if one of `ids` names no session of the index and a history that may hold it was left unread.
    pub(crate) fn may_have_unread_session(
        &self,
        ids: &[String],
        outcome: &RefreshOutcome,
    ) -> Result<bool, QueryError> {
        let is_unread = outcome.unwritable.is_none() && (outcome.locked || outcome.files_left > 0);
        if !is_unread || ids.is_empty() {
            return Ok(false);
        }
        let sessions = self.snapshot()?.sessions;
        let is_missing = |id: &String| resolve_session_uid(&sessions, id) == ResolvedSession::None;
        Ok(ids.iter().any(is_missing))
    }

    /// Takes a snapshot: whatever is written meanwhile, it stays as it is.
    ///
    /// # Errors
    /// When there is no index, or it is damaged.
    pub fn snapshot(&self) -> Result<Snapshot, QueryError> {
        Snapshot::take(Reader::open(self.root)?)
    }

    /// Runs a query on the index as it is while a refresh runs, and again where that changed something. `meanwhile` runs
    /// during the refresh, too, where given.
    ///
    /// # Errors
    /// When the refresh fails, or `query` does. Where the index was changed meanwhile it is called again: a matrix may be
    /// replaced between a look at the database and one at the matrix.
    pub fn answer<T, E: From<QueryError>>(
        &self,
        refresh: QueryRefresh,
        meanwhile: Option<impl FnOnce() + Send>,
        query: impl Fn(&Snapshot) -> Result<T, E>,
    ) -> Result<LiveAnswer<T>, E> {
        let mut index = OpenIndex::new(self.root);
        let query = |snapshot: &Snapshot, refresh: Option<&RefreshOutcome>| {
            let has_history = || refresh.is_some_and(|outcome| !outcome.is_complete());
            if !snapshot.sessions.is_empty() || has_history() {
                query(snapshot).map(Some)
            } else {
                Ok(None)
            }
        };
        let is_missing = || !session_store::index_exists(self.root);
        let (answer, refresh) = if refresh == QueryRefresh::DuringAnswer || is_missing() {
            let refresh =
                |early_query: &mut dyn FnMut()| self.refresh_during_query(meanwhile, early_query);
            let refreshed = index.answer_during_refresh(self, refresh, query)?;
            (refreshed.answer, Some(refreshed.refresh))
        } else {
            let answer = index.run_query_with_retry(|snapshot| query(snapshot, None))?;
            (answer, None)
        };
        let found = answer.zip(index.into_snapshot());
        Ok(LiveAnswer {
            found: found.map(|(answer, snapshot)| SnapshotAnswer { answer, snapshot }),
            refresh,
        })
    }

    /// Refreshes on another thread while this one runs `here`, and a third `meanwhile`.
    fn refresh_during_query(
        &self,
        meanwhile: Option<impl FnOnce() + Send>,
        here: &mut dyn FnMut(),
    ) -> Result<RefreshOutcome, QueryError> {
        std::thread::scope(|scope| {
            let here = || {
                // Where no thread can be had it is done later, when it is needed.
                let _ = meanwhile.map(|run| std::thread::Builder::new().spawn_scoped(scope, run));
                here();
            };
            run_both(here, || self.refresh_for_query()).1
        })
    }

    /// Returns true while another process has to write before the index can be read.
    fn is_unreadable_yet(&self) -> Result<bool, QueryError> {
        match Reader::open(self.root) {
            Err(StoreError::Missing { .. }) => Ok(true),
            Err(error) if error.needs_migration() => Ok(true),
            index => Ok(index?.is_empty()?),
        }
    }

    /// Counts the histories that another process or a later query has still to read.
    fn count_changed_files(&self) -> Result<usize, QueryError> {
        match Reader::open(self.root) {
            Err(StoreError::Missing { .. }) => Ok(0),
            index => Ok(discover(self.env, &index?, &self.policy.exclusions)?.files()),
        }
    }
}

/// Deletes what is recorded of injections into the sessions that became excluded, and of their turns in other sessions. A
/// failure is ignored: ids and times are left then, no text, and no search is to fail by that.
fn delete_injection_records(root: &Path, outcome: &RefreshOutcome) {
    let excluded = outcome.removed_sessions.iter();
    let excluded = excluded.chain(&outcome.marked_sessions).map(String::as_str);
    let excluded: BTreeSet<&str> = excluded.collect();
    if excluded.is_empty() {
        return;
    }
    let is_excluded = |address: &str| {
        let session = address.rsplit_once(':').map(|(session, _)| session);
        session.is_some_and(|id| excluded.iter().any(|uid| uid.starts_with(id)))
    };
    let _ = InjectionLog::new(root).delete_sessions(&excluded);
    let _ = delete_injected_turns(root, is_excluded);
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_core::{FileStamp, KnownTurns, SessionMeta};
    use session_forget::{ExcludeSettings, Exclusions, ForgottenRecords};
    use session_indexer::SilentProgress;
    use session_memory::{ContextId, InjectionLogEntry, SessionStateFile, SkipReason};
    use session_store::Writer;
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    fn add_session(root: &Path, uid: &str) {
        let mut writer = Writer::open(root).unwrap();
        let source = "claude";
        let file = writer.upsert_file(source, uid).unwrap();
        let meta = SessionMeta {
            id: uid.to_owned(),
            ..SessionMeta::default()
        };
        writer
            .open_session(file, source, &meta, KnownTurns::Replace)
            .unwrap();
        writer.checkpoint(file, "", FileStamp::default()).unwrap();
        writer.commit().unwrap();
    }

    /// Calls `test` with an index of one session, whose history is gone.
    fn with_live_index(test: impl FnOnce(&LiveIndex<'_>)) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("index");
        add_session(&root, "a");
        let table = session_embed::open_bundled_table().unwrap();
        let env = Env::with_home(directory.path());
        let live = LiveIndex {
            root: &root,
            env: &env,
            table: table.as_ref(),
            policy: &ReadPolicy::default(),
            progress: &|| Box::new(SilentProgress),
        };
        live.refresh(RefreshMode::Changes, None).unwrap();
        test(&live);
    }

    fn failure() -> QueryError {
        std::io::Error::other("no answer").into()
    }

    #[test]
    fn a_session_that_is_not_found_may_be_in_what_is_unread() {
        with_live_index(|live| {
            let left = RefreshOutcome {
                files_left: 1,
                ..RefreshOutcome::default()
            };
            let may_have = |id: &str, outcome: &RefreshOutcome| {
                live.may_have_unread_session(&[id.to_owned()], outcome)
                    .unwrap()
            };
            assert!(may_have("b", &left));
            assert!(!may_have("a", &left));
            assert!(!may_have("b", &RefreshOutcome::default()));
            let unwritable = RefreshOutcome {
                unwritable: Some(Unwritable {
                    reason: "read-only".into(),
                    hint: "",
                }),
                ..left
            };
            assert!(!may_have("b", &unwritable));
            assert!(!live.may_have_unread_session(&[], &unwritable).unwrap());
        });
    }

    #[test]
    fn records_of_injections_go_with_an_excluded_session() {
        with_live_index(|live| {
            let log = InjectionLog::new(live.root);
            for session in ["lamp.jsonl", "kiln.jsonl"] {
                add_session(live.root, session);
                let entry = InjectionLogEntry {
                    session: Some(session.to_owned()),
                    ..InjectionLogEntry::failure(Instant::now(), SkipReason::QueryFailed)
                };
                log.append(&entry).unwrap();
            }
            let context = ContextId::new("a", None).unwrap();
            let state = SessionStateFile::new(live.root, &context);
            let shown = ["lamp", "kiln"].map(|id| format!("session-search show {id}.jsonl:0"));
            state.record_injected(&shown).unwrap();
            let settings = ExcludeSettings {
                paths: vec!["lamp.jsonl".into()],
                ..ExcludeSettings::default()
            };
            let exclusions = Exclusions::new(ForgottenRecords::default(), &settings).unwrap();
            let policy = ReadPolicy {
                exclusions,
                ..ReadPolicy::default()
            };
            let excluding = LiveIndex {
                policy: &policy,
                ..*live
            };
            let outcome = excluding.refresh(RefreshMode::Changes, None).unwrap();
            assert_eq!(outcome.removed_sessions, ["lamp.jsonl"]);
            let log = fs_err::read_to_string(live.root.join("injection/log.jsonl")).unwrap();
            assert!(!log.contains("lamp") && log.contains("kiln"), "{log}");
            assert!(state.read().injected.iter().eq(&shown[1..]));
        });
    }

    #[test]
    fn a_query_that_fails_is_given_up_where_nothing_changed() {
        with_live_index(|live| {
            for refresh in [QueryRefresh::IfMissing, QueryRefresh::DuringAnswer] {
                let calls = AtomicUsize::new(0);
                let answer = |_: &Snapshot| -> Result<(), QueryError> {
                    calls.fetch_add(1, Ordering::Relaxed);
                    Err(failure())
                };
                assert!(live.answer(refresh, None::<fn()>, answer).is_err());
                assert_eq!(calls.into_inner(), 1, "refresh: {refresh:?}");
            }
        });
    }

    #[test]
    fn a_query_that_fails_is_repeated_where_the_index_changed() {
        with_live_index(|live| {
            let calls = Cell::new(0);
            let answer = |snapshot: &Snapshot| {
                if calls.replace(calls.get() + 1) > 0 {
                    return Ok(snapshot.sessions.len());
                }
                add_session(live.root, "b");
                Err(failure())
            };
            let answer = live
                .answer(QueryRefresh::IfMissing, None::<fn()>, answer)
                .unwrap();
            assert_eq!(answer.found.unwrap().answer, 2);
            assert_eq!(calls.get(), 2);
        });
    }
}
