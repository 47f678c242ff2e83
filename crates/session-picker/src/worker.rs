//! The threads that search and read while the user types.

use crate::error::PickerError;
use crate::latest::LatestValue;
use crate::list_answer::{ListAnswer, ListRequest};
use crate::message::{AppMessage, MessageSender, ReadBytes};
use crate::picker::PickerCallbacks;
use crate::thread_priority::lower_thread_priority;
use session_core::text::shorten_words;
use session_core::{Progress, Turn, TurnPart};
use session_indexer::{RefreshMode, RefreshOutcome, RefreshProgress, RefreshStage};
use session_query::{FilterValues, OpenIndex, QueryError, SearchEngine, Snapshot};
use session_search::{Exchange, SearchRequest};
use session_store::{Reader, SessionRow};
use std::borrow::Cow;
use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};

/// A request for turns: for one, or for all of a session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TurnsRequest {
    pub(crate) session: SessionRow,
    pub(crate) turn: Option<u32>,
}

/// Turns of a session that were read for a request.
pub(crate) struct LoadedTurns {
    pub(crate) request: TurnsRequest,
    pub(crate) exchanges: Vec<Exchange>,
}

/// The engine of a picker, and the slots by which its threads get work and hand on indexes.
pub(crate) struct WorkerContext {
    pub(crate) engine: SearchEngine,
    pub(crate) callbacks: PickerCallbacks,
    /// The list that is wanted.
    pub(crate) list_requests: LatestValue<ListRequest>,
    /// The turns that are wanted.
    pub(crate) turns_requests: LatestValue<TurnsRequest>,
    /// Filled when the index may have changed.
    pub(crate) changes: LatestValue<()>,
    /// The index that was read last, for the next list.
    prepared: LatestValue<OpenIndex>,
    /// The index that was in use before: to close it takes longer than a list can wait.
    retired: LatestValue<OpenIndex>,
}

impl WorkerContext {
    pub(crate) fn new(engine: SearchEngine, callbacks: PickerCallbacks) -> Self {
        Self {
            engine,
            callbacks,
            list_requests: LatestValue::default(),
            turns_requests: LatestValue::default(),
            changes: LatestValue::default(),
            prepared: LatestValue::default(),
            retired: LatestValue::default(),
        }
    }

    /// Returns the directory of the index.
    pub(crate) fn root(&self) -> &Path {
        &self.engine.home().index_directory
    }

    /// Describes an error in the words of the program.
    pub(crate) fn describe_error(&self, error: impl Into<PickerError>) -> String {
        (self.callbacks.describe_error)(error.into())
    }

    /// Answers requests for lists from the index that was prepared last, until the screen is gone.
    pub(crate) fn answer_lists(&self, out: &MessageSender) {
        let mut index = OpenIndex::new(self.root());
        let mut has_answered = false;
        loop {
            let request = self.list_requests.wait_and_take();
            if let Some(newer) = self.prepared.try_take() {
                let older = std::mem::replace(&mut index, newer);
                self.retired.replace(older);
            }
            let answer = index
                .with_stale_snapshot(|snapshot| ListAnswer::read(&self.engine, snapshot, &request));
            let is_answered = answer.is_ok();
            let missing = match (has_answered, request.follows_refresh) {
                (true, _) => MissingIndex::Gone,
                (false, true) => MissingIndex::Empty(&request),
                (false, false) => MissingIndex::Awaited,
            };
            has_answered |= is_answered;
            let message = make_list_message(answer, missing, self.callbacks.describe_error);
            if !out.send_all(message) {
                return;
            }
        }
    }

    /// Opens the index with all that a list needs, and reads the values of filters, whenever something was
    /// written: no letter waits for that. Then the list is asked for again, which also tells what failed.
    pub(crate) fn prepare_indexes(&self, out: &MessageSender) {
        lower_thread_priority();
        let mut watched = OpenIndex::new(self.root());
        loop {
            self.changes.wait_and_take();
            if !watched.has_changed() {
                continue;
            }
            let begun = Instant::now();
            let mut index = OpenIndex::new(self.root());
            let values = index.with_snapshot(|snapshot| read_filter_values(&self.engine, snapshot));
            let values = values.ok().map(|values| {
                self.prepared.replace(index);
                AppMessage::Values(Box::new(values))
            });
            if !out.send_all(values.into_iter().chain([AppMessage::Prepared])) {
                return;
            }
            std::thread::sleep(begun.elapsed() * PREPARE_PAUSE);
            drop(self.retired.try_take());
        }
    }

    /// Reads turns until the screen is gone.
    pub(crate) fn read_turns(&self, out: &MessageSender) {
        let mut index = OpenIndex::new(self.root());
        loop {
            let request = self.turns_requests.wait_and_take();
            let message = match self.read_requested_turns(&mut index, &request) {
                Ok(None) => continue,
                Ok(Some(exchanges)) => {
                    AppMessage::Loaded(Box::new(LoadedTurns { request, exchanges }))
                }
                Err(error) => AppMessage::TurnsFailed(self.describe_error(error)),
            };
            if !out.send_all([message]) {
                return;
            }
        }
    }

    /// Reads turns in batches; `None` if other turns are wanted meanwhile.
    fn read_requested_turns(
        &self,
        index: &mut OpenIndex,
        request: &TurnsRequest,
    ) -> Result<Option<Vec<Exchange>>, PickerError> {
        let session = &request.session;
        index.with_snapshot(|Snapshot { index, .. }| {
            let mut rows = index.turns(session.id).map_err(QueryError::from)?;
            rows.retain(|row| request.turn.is_none_or(|turn| turn == row.index));
            let mut exchanges = Vec::new();
            for batch in rows.chunks(BATCH_TURNS) {
                let read = self.engine.show(index, session, batch)?;
                exchanges.extend(read.into_iter().map(shorten_exchange));
                if self.turns_requests.is_filled() {
                    return Ok(None);
                }
            }
            Ok(Some(exchanges))
        })
    }

    /// Brings the index up to date with the histories, step by step. Once it is, the chosen model may read what is new.
    ///
    /// Changes that another process writes into the index are shown as well: each look at the histories asks for the
    /// list again.
    pub(crate) fn refresh_index(&self, out: &MessageSender) {
        lower_thread_priority();
        let mut last_failure = None;
        let mut reconfigured = None;
        loop {
            let begun = Instant::now();
            let outcome = self.refresh_step(&mut reconfigured, out);
            let state = RefreshState::new(&outcome);
            let messages = match outcome {
                Ok(outcome) => vec![make_refresh_message(&outcome)],
                Err(error) => make_failure_messages(&mut last_failure, self.describe_error(error)),
            };
            if !out.send_all(messages) {
                return;
            }
            if state == RefreshState::UpToDate && has_unread_sessions(&self.engine) {
                (self.callbacks.start_embedding)(self.engine.home());
            }
            match state {
                RefreshState::UpToDate | RefreshState::Failed => {
                    std::thread::sleep(compute_refresh_interval(begun.elapsed()));
                }
                RefreshState::Locked => std::thread::sleep(LOCK_INTERVAL),
                RefreshState::Unread => {}
                RefreshState::Unwritable => return,
            }
        }
    }
}

impl WorkerContext {
    /// Takes one step of a refresh by the configuration of now. With an old one, the picker and each search beside it would redact
    /// the whole index in turn.
    fn refresh_step(
        &self,
        reconfigured: &mut Option<SearchEngine>,
        out: &MessageSender,
    ) -> Result<RefreshOutcome, QueryError> {
        let known = reconfigured.as_ref().unwrap_or(&self.engine);
        if let Some(newer) = known.reopen_if_reconfigured()? {
            *reconfigured = Some(newer);
        }
        let engine = reconfigured.as_ref().unwrap_or(&self.engine);
        let policy = engine.read_policy()?;
        let progress = || -> Box<dyn RefreshProgress> { Box::new(ReadProgress::new(out)) };
        let live = engine.live_index(&policy, &progress);
        live.refresh(RefreshMode::Changes, Some(REFRESH_STEP))
    }
}

/// Sends how far a refresh has read: once for each part of the whole.
struct ReadProgress {
    out: MessageSender,
    sent_part: Cell<u64>,
}

/// Parts of all that a refresh reads, of which each one is shown.
const PROGRESS_PARTS: u64 = 200;

impl ReadProgress {
    fn new(out: &MessageSender) -> Self {
        Self {
            out: out.clone(),
            sent_part: Cell::default(),
        }
    }
}

impl RefreshProgress for ReadProgress {
    fn report(&self, stage: RefreshStage, progress: Progress) {
        let Progress { done, total } = progress;
        let part = done.saturating_mul(PROGRESS_PARTS) / total.max(1);
        if stage == RefreshStage::Reading && part > self.sent_part.replace(part) {
            self.out
                .send_all([AppMessage::Reading(ReadBytes { done, total })]);
        }
    }
}

/// A pause after an index was prepared, in times of what that took: letters need the processor, too.
const PREPARE_PAUSE: u32 = 2;
/// Turns that are read at once.
const BATCH_TURNS: usize = 64;
/// Longest time of one step of a refresh: what it read is searched then.
const REFRESH_STEP: Duration = Duration::from_secs(1);
/// Time between two looks at a locked index.
const LOCK_INTERVAL: Duration = Duration::from_secs(1);

/// The meaning of an index that is missing when a list is asked for.
enum MissingIndex<'a> {
    /// The first refresh makes it, and its end asks again.
    Awaited,
    /// The first refresh found no history to make one of.
    Empty(&'a ListRequest),
    /// It was deleted after lists were answered from it.
    Gone,
}

/// Returns what is sent of an answer; `None` if another one comes soon.
fn make_list_message(
    answer: Result<ListAnswer, PickerError>,
    missing: MissingIndex<'_>,
    describe: fn(PickerError) -> String,
) -> Option<AppMessage> {
    match answer {
        Ok(list) => Some(AppMessage::ListReady(Box::new(list))),
        Err(error) if !error.is_missing_index() => Some(AppMessage::ListFailed(describe(error))),
        Err(_) => match missing {
            MissingIndex::Awaited => None,
            MissingIndex::Empty(request) => {
                Some(AppMessage::ListReady(Box::new(ListAnswer::empty(request))))
            }
            MissingIndex::Gone => Some(AppMessage::ListFailed(INDEX_GONE.into())),
        },
    }
}

/// The rows of an index that was deleted must not pass for an answer until the next refresh.
const INDEX_GONE: &str = "the index is gone; it is made anew";

/// Reads the models and the vectors by a search, and the values of filters.
fn read_filter_values(
    engine: &SearchEngine,
    snapshot: &Snapshot,
) -> Result<FilterValues, PickerError> {
    let request = SearchRequest {
        limit: 1,
        ..SearchRequest::new("warm")
    };
    engine.search(snapshot, &request)?;
    Ok(FilterValues::read(&snapshot.index, &snapshot.sessions)?)
}

/// Most bytes of one text of a turn that are kept: no screen shows more of it.
const TEXT_BYTES: usize = 256 << 10;

/// Cuts long texts, so that the largest session fits into memory.
fn shorten_exchange(mut exchange: Exchange) -> Exchange {
    let Turn { prompt, parts, .. } = &mut exchange.turn;
    shorten_text(prompt);
    for part in parts {
        match part {
            TurnPart::Call(call) => call.output.iter_mut().for_each(shorten_text),
            TurnPart::Text { text }
            | TurnPart::Error { text }
            | TurnPart::Thinking { text }
            | TurnPart::Notice { text }
            | TurnPart::Recap { text }
            | TurnPart::Summary { text } => shorten_text(text),
        }
    }
    exchange
}

fn shorten_text(text: &mut String) {
    if let Cow::Owned(shortened) = shorten_words(text, TEXT_BYTES) {
        *text = shortened;
    }
}

/// Least time between two looks at the histories: a session that goes on elsewhere is soon found.
const REFRESH_INTERVAL: Duration = Duration::from_secs(10);
/// Greatest time between two looks.
const MAX_REFRESH_INTERVAL: Duration = Duration::from_secs(60);
/// The time between two looks, in times of what one takes.
const REFRESH_PAUSE: u32 = 100;

/// The state of the index after a look at the histories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RefreshState {
    /// It is up to date with the histories.
    UpToDate,
    /// Histories are left to read.
    Unread,
    /// Another process writes.
    Locked,
    /// It cannot be written, now or later.
    Unwritable,
    /// The look failed; the next one may not.
    Failed,
}

impl RefreshState {
    fn new(outcome: &Result<RefreshOutcome, QueryError>) -> Self {
        match outcome {
            Err(_) => Self::Failed,
            Ok(outcome) if outcome.locked => Self::Locked,
            Ok(outcome) if outcome.unwritable.is_some() => Self::Unwritable,
            Ok(outcome) if outcome.is_complete() => Self::UpToDate,
            Ok(_) => Self::Unread,
        }
    }
}

/// Returns when the histories are looked at again, after a look that took so long.
fn compute_refresh_interval(took: Duration) -> Duration {
    (took * REFRESH_PAUSE).clamp(REFRESH_INTERVAL, MAX_REFRESH_INTERVAL)
}

/// Makes the messages that the histories cannot be read, once: the list is as complete as it will be.
fn make_failure_messages(last_failure: &mut Option<String>, reason: String) -> Vec<AppMessage> {
    if last_failure.as_ref() == Some(&reason) {
        return Vec::new();
    }
    *last_failure = Some(reason.clone());
    let files_left = Some(0);
    vec![
        AppMessage::Refreshed { files_left },
        AppMessage::Note(reason),
    ]
}

/// Returns true if the chosen model can read and has not read all sessions.
fn has_unread_sessions(engine: &SearchEngine) -> bool {
    let ask = || {
        let index = Reader::open(&engine.home().index_directory)?;
        engine.models().has_pending_sessions(&index)
    };
    ask().unwrap_or(false)
}

fn make_refresh_message(outcome: &RefreshOutcome) -> AppMessage {
    AppMessage::Refreshed {
        files_left: (!outcome.locked).then_some(outcome.files_left),
    }
}

#[cfg(test)]
mod tests;
