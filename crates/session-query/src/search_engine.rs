//! The user's index with the models that answer queries.

use crate::error::QueryError;
use crate::live_index::{LiveIndex, Snapshot};
use crate::query_models::QueryModels;
use crate::typed_search::answer_request;
use session_config::{Home, describe_environment};
use session_core::SessionReference;
use session_forget::ContentCounts;
use session_indexer::{
    MAX_LOCK_WAIT, ProgressFactory, ReadPolicy, RefreshMode, RefreshOutcome, SilentProgress,
    awaits_redaction, retry_while_locked,
};
use session_models::WaitListener;
use session_redact::Redactor;
use session_search::{
    Exchange, QueryEmbedding, SearchRequest, SearchResults, read_exchanges, redact_session_row,
};
use session_store::{Reader, SessionRow, TurnRow};
use std::time::Duration;

/// The means of a front end to search: the user's configuration, the models, and the rules by which
/// histories are read and queries redacted. It holds no connection to the index.
pub struct SearchEngine {
    home: Home,
    models: QueryModels,
    redactor: Redactor,
}

impl SearchEngine {
    /// Selects the models that the configuration names. No weights are read but the table's.
    ///
    /// # Errors
    /// When the chosen model is an endpoint whose configuration has a mistake.
    pub fn new(home: Home) -> Result<Self, QueryError> {
        Ok(Self {
            models: QueryModels::for_home(&home)?,
            redactor: home.config.redactor(),
            home,
        })
    }

    /// Keeps the vectors of queries in memory, as [`QueryModels::without_cache_writes`] does.
    #[must_use]
    pub fn without_cache_writes(self) -> Self {
        Self {
            models: self.models.without_cache_writes(),
            ..self
        }
    }

    /// Sets the listener for long waits for the endpoint, as [`QueryModels::with_wait_listener`] does.
    #[must_use]
    pub fn with_wait_listener(self, waits: WaitListener) -> Self {
        Self {
            models: self.models.with_wait_listener(waits),
            ..self
        }
    }

    /// Returns the user's directories and configuration.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Returns an engine by the configuration of now, where that is another one than when this engine was made.
    ///
    /// # Errors
    /// When the configuration has a mistake, and as [`SearchEngine::new`].
    pub fn reopen_if_reconfigured(&self) -> Result<Option<Self>, QueryError> {
        let config = self.home.config_layers(None)?.config;
        if config == self.home.config {
            return Ok(None);
        }
        Self::new(self.home.clone().with_config(config)).map(Some)
    }

    /// Returns the models that answer queries.
    pub fn models(&self) -> &QueryModels {
        &self.models
    }

    /// Reads the rules for what is indexed. They are read each time, since another process may forget something meanwhile.
    ///
    /// # Errors
    /// When the records of what was forgotten cannot be read.
    pub fn read_policy(&self) -> Result<ReadPolicy, QueryError> {
        Ok(ReadPolicy {
            redactor: self.redactor.clone(),
            exclusions: self.home.exclusions().map_err(QueryError::Forget)?,
            environment: describe_environment(&self.home.env),
        })
    }

    /// Returns the index with the histories from which it is brought up to date.
    pub fn live_index<'a>(
        &'a self,
        policy: &'a ReadPolicy,
        progress: ProgressFactory<'a>,
    ) -> LiveIndex<'a> {
        LiveIndex {
            root: &self.home.index_directory,
            env: &self.home.env,
            table: self.models.table(),
            policy,
            progress,
        }
    }

    /// Reads all that changed into the index, as soon as no other process writes to it; `on_wait` is called once where that
    /// is waited for.
    ///
    /// # Errors
    /// When the index or the model fails; [`QueryError::Busy`] after a minute.
    pub fn refresh_when_unlocked(
        &self,
        mode: RefreshMode,
        progress: ProgressFactory<'_>,
        on_wait: impl FnOnce(),
    ) -> Result<RefreshOutcome, QueryError> {
        let attempt = || {
            // What was forgotten while another process wrote is not read, either.
            let policy = self.read_policy()?;
            self.live_index(&policy, progress).refresh(mode, None)
        };
        let is_locked = |refreshed: &Result<RefreshOutcome, QueryError>| {
            refreshed.as_ref().is_ok_and(|outcome| outcome.locked)
        };
        let outcome = retry_while_locked(is_locked, on_wait, attempt)?;
        if outcome.locked {
            return Err(QueryError::Busy(MAX_LOCK_WAIT));
        }
        Ok(outcome)
    }

    /// Returns true if one of the last three refreshes had the same home and variables. A hook refreshes only then:
    /// variables that only the current project sets must not decide which histories are read.
    pub fn has_known_environment(home: &Home, index: &Reader) -> bool {
        index
            .has_environment(&describe_environment(&home.env))
            .unwrap_or_default()
    }

    /// Returns true if the next refresh redacts all that the index holds, which may take longer than its budget: the rules
    /// of redaction are other ones.
    pub fn awaits_redaction(home: &Home, index: &Reader) -> bool {
        awaits_redaction(index, &home.config.redactor()).unwrap_or(true)
    }

    /// Reads what changed into the index, within a budget of time if there is one, unless another process writes.
    ///
    /// # Errors
    /// As [`SearchEngine::refresh_when_unlocked`].
    pub fn refresh_within(&self, budget: Option<Duration>) -> Result<RefreshOutcome, QueryError> {
        let policy = self.read_policy()?;
        let live = self.live_index(&policy, &|| Box::new(SilentProgress));
        live.refresh(RefreshMode::Changes, budget)
    }

    /// Removes an entry of the forgotten records, reads again the history that it excluded, and returns how much came back;
    /// `None` if there is no such entry. Calls `on_wait` if another process holds the lock.
    ///
    /// # Errors
    /// As [`SearchEngine::refresh_when_unlocked`], and when the records of what was forgotten cannot be written.
    pub fn undo_forget(
        &self,
        entry: u32,
        progress: ProgressFactory<'_>,
        on_wait: impl Fn(),
    ) -> Result<Option<ContentCounts>, QueryError> {
        let count = || {
            self.refresh_when_unlocked(RefreshMode::Changes, progress, &on_wait)?;
            let index = Reader::open(&self.home.index_directory)?;
            Ok::<_, QueryError>(ContentCounts::read(&index)?)
        };
        // What is new did not come back.
        let before = count()?;
        let mut records = self.home.forgotten().map_err(QueryError::Forget)?;
        if !records.remove(entry).map_err(QueryError::Forget)? {
            return Ok(None);
        }
        Ok(Some(count()?.since(&before)))
    }

    /// Refreshes as for a query. Where a named session (`ID`, `ID:7`) is not in the index then and histories are left unread,
    /// refreshes without a budget: only then is it certain that the session does not exist.
    ///
    /// # Errors
    /// As [`SearchEngine::refresh_when_unlocked`].
    pub fn refresh_for_sessions(
        &self,
        live: &LiveIndex<'_>,
        named: &[String],
        on_wait: impl FnOnce(),
    ) -> Result<RefreshOutcome, QueryError> {
        let ids = named.iter().map(|id| SessionReference::strip_turns(id));
        let ids: Vec<String> = ids.map(str::to_owned).collect();
        let outcome = live.refresh_for_query()?;
        if live.may_have_unread_session(&ids, &outcome)? {
            self.refresh_when_unlocked(RefreshMode::Changes, live.progress, on_wait)
        } else {
            Ok(outcome)
        }
    }

    /// Replaces secrets in a text as they are replaced in what is indexed.
    pub fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// Embeds a query, without its secrets.
    ///
    /// # Errors
    /// When the index or a model in process fails.
    pub fn embed(&self, index: &Reader, query: &str) -> Result<Vec<QueryEmbedding>, QueryError> {
        self.models.embed(index, &self.redact(query))
    }

    /// Answers a request from a snapshot of the index, or lists the newest where its query has no text.
    ///
    /// # Errors
    /// When the index or a model in process fails.
    pub fn search(
        &self,
        snapshot: &Snapshot,
        request: &SearchRequest,
    ) -> Result<SearchResults, QueryError> {
        let embed = |text: &str| self.embed(&snapshot.index, text);
        answer_request(snapshot, request, embed)
    }

    /// Redacts the title, the branch and the project of a session that is shown with its turns.
    ///
    /// # Errors
    /// When the index fails.
    pub fn redact_session_row(
        &self,
        index: &Reader,
        session: &mut SessionRow,
    ) -> Result<(), QueryError> {
        Ok(redact_session_row(index, session, &self.redactor)?)
    }

    /// Reads turns of a session again in full, without their secrets.
    ///
    /// # Errors
    /// When the index fails.
    pub fn show(
        &self,
        index: &Reader,
        session: &SessionRow,
        rows: &[TurnRow],
    ) -> Result<Vec<Exchange>, QueryError> {
        Ok(read_exchanges(index, session, rows, &self.redactor)?)
    }
}
