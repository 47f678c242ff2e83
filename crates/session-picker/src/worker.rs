//! The threads that search and read while the user types.

use crate::error::PickerError;
use crate::latest::Latest;
use crate::list_answer::{ListAnswer, Question};
use session_config::lower_thread_priority;
use session_core::text::clip;
use session_core::{Part, Turn};
use session_indexer::{Mode, Outcome, Silent};
use session_query::{FilterValues, FrontEndHooks, IndexWatch, OpenIndex, SearchEngine, Snapshot};
use session_search::{Exchange, Request};
use session_store::{Reader, SessionRow};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// A message of a thread to the screen.
pub(crate) enum Message {
    /// A key, the mouse, or a new size.
    Input(crossterm::event::Event),
    /// The answer to a question.
    Listed(Box<ListAnswer>),
    /// Values with which filters are completed.
    Values(Box<FilterValues>),
    /// Turns of a session.
    Loaded(Box<LoadedTurns>),
    /// A part of the histories was read, here or by another process.
    Refreshed {
        /// Files that changed and are still to be read; `None` while another process reads them.
        files_left: Option<usize>,
    },
    /// The next list is answered from what was read.
    Prepared,
    /// A question for the list has no answer: why.
    Unlisted(String),
    /// Turns that were asked for cannot be read: why.
    Unread(String),
    /// Something is done, or failed: what is said of it.
    Noted(String),
    /// A text for the clipboard, and what is said of it.
    Copy {
        /// The text.
        text: String,
        /// The note.
        note: String,
    },
    /// A job ended with this message.
    Done(Box<Message>),
    /// A signal came that ends, stops or continues the process.
    #[cfg(unix)]
    Signal(i32),
    /// Nothing can be read from the terminal any more.
    TerminalLost(std::io::Error),
    /// A thread panicked.
    Panicked(Box<dyn std::any::Any + Send>),
}

/// Turns that are asked for: one, or all of a session.
#[derive(Debug, Clone)]
pub(crate) struct TurnsQuestion {
    pub(crate) session: SessionRow,
    pub(crate) turn: Option<u32>,
}

/// Turns of a session.
pub(crate) struct LoadedTurns {
    pub(crate) question: TurnsQuestion,
    pub(crate) exchanges: Vec<Exchange>,
}

/// The indexes that the searching and the preparing thread hand to each other.
pub(crate) struct IndexExchange {
    /// The one that was read last, for the next question.
    prepared: Arc<Latest<OpenIndex>>,
    /// The one that was in use before: to close it takes longer than a question can wait.
    retired: Arc<Latest<OpenIndex>>,
}

impl IndexExchange {
    pub(crate) fn new() -> Self {
        Self {
            prepared: Latest::new(),
            retired: Latest::new(),
        }
    }
}

/// Answers questions until the screen is gone: from the index that was prepared last.
pub(crate) fn search(
    engine: &SearchEngine,
    questions: &Latest<Question>,
    indexes: &IndexExchange,
    hooks: FrontEndHooks<PickerError>,
    out: &Sender<Message>,
) {
    let mut index = OpenIndex::new(&engine.home().root);
    let mut has_answered = false;
    loop {
        let question = questions.take();
        if let Some(newer) = indexes.prepared.try_take() {
            let older = std::mem::replace(&mut index, newer);
            indexes.retired.put(older);
        }
        let answer =
            index.with_stale_snapshot(|snapshot| ListAnswer::read(engine, snapshot, &question));
        let Some(message) = answered(answer, has_answered, hooks.describe_error) else {
            continue;
        };
        has_answered |= matches!(message, Message::Listed(_));
        if out.send(message).is_err() {
            return;
        }
    }
}

/// Returns what is sent of an answer; `None` before the first where the index is missing: the first refresh makes it, and
/// its end asks again.
fn answered(
    answer: Result<ListAnswer, PickerError>,
    has_answered: bool,
    describe: fn(PickerError) -> String,
) -> Option<Message> {
    match answer {
        Ok(listing) => Some(Message::Listed(Box::new(listing))),
        Err(error) if !error.is_missing_index() => Some(Message::Unlisted(describe(error))),
        Err(_) => has_answered.then(|| Message::Unlisted(INDEX_GONE.into())),
    }
}

/// The rows of an index that was deleted must not pass for an answer until the next refresh.
const INDEX_GONE: &str = "the index is gone; it is made anew";

/// A pause after an index was prepared, in times of what that took: letters need the processor, too.
const PREPARE_PAUSE: u32 = 2;

/// Opens the index with all that a list needs, and reads the values of filters, whenever something was
/// written: no letter waits for that. Then the list is asked for again, which also tells what failed.
pub(crate) fn prepare(
    engine: &SearchEngine,
    changes: &Latest<()>,
    indexes: &IndexExchange,
    out: &Sender<Message>,
) {
    lower_thread_priority();
    let root = &engine.home().root;
    let mut watch = IndexWatch::new(root);
    loop {
        changes.take();
        if !watch.has_changed() {
            continue;
        }
        let begun = Instant::now();
        let mut index = OpenIndex::new(root);
        let values = index.with_snapshot(|snapshot| read_all(engine, snapshot));
        let mut messages = Vec::new();
        if let Ok(values) = values {
            indexes.prepared.put(index);
            messages.push(Message::Values(Box::new(values)));
        }
        messages.push(Message::Prepared);
        if messages
            .into_iter()
            .any(|message| out.send(message).is_err())
        {
            return;
        }
        std::thread::sleep(begun.elapsed() * PREPARE_PAUSE);
        drop(indexes.retired.try_take());
    }
}

/// Reads the models and the vectors by a search, and the values of filters.
fn read_all(engine: &SearchEngine, snapshot: &Snapshot) -> Result<FilterValues, PickerError> {
    let request = Request {
        limit: 1,
        ..Request::new("warm")
    };
    engine.search(snapshot, &request)?;
    Ok(FilterValues::read(&snapshot.index, &snapshot.sessions)?)
}

/// Reads turns until the screen is gone.
pub(crate) fn read(
    engine: &SearchEngine,
    wanted: &Latest<TurnsQuestion>,
    hooks: FrontEndHooks<PickerError>,
    out: &Sender<Message>,
) {
    let mut index = OpenIndex::new(&engine.home().root);
    loop {
        let question = wanted.take();
        let message = match read_turns(engine, &mut index, &question, wanted) {
            Ok(Some(exchanges)) => Message::Loaded(Box::new(LoadedTurns {
                question,
                exchanges,
            })),
            Ok(None) => continue,
            Err(error) => Message::Unread((hooks.describe_error)(error)),
        };
        if out.send(message).is_err() {
            return;
        }
    }
}

/// Turns that are read at once.
const BATCH_TURNS: u32 = 64;

/// Reads turns in batches; `None` where other turns are wanted meanwhile.
fn read_turns(
    engine: &SearchEngine,
    index: &mut OpenIndex,
    question: &TurnsQuestion,
    wanted: &Latest<TurnsQuestion>,
) -> Result<Option<Vec<Exchange>>, PickerError> {
    let session = &question.session;
    let all = question
        .turn
        .map_or(0..session.turns, |turn| turn..turn + 1);
    let mut exchanges = Vec::new();
    for first in all.clone().step_by(BATCH_TURNS as usize) {
        let batch = first..=(first + BATCH_TURNS - 1).min(all.end - 1);
        let read = index.with_snapshot(|snapshot| {
            Ok::<_, PickerError>(engine.show(&snapshot.index, session, batch)?)
        });
        exchanges.extend(read?.into_iter().map(shortened));
        if wanted.is_filled() {
            return Ok(None);
        }
    }
    Ok(Some(exchanges))
}

/// Most bytes of one text of a turn that are kept: no screen shows more of it.
const TEXT_BYTES: usize = 256 << 10;

/// Cuts long texts, so that the largest session fits into memory.
fn shortened(mut exchange: Exchange) -> Exchange {
    let Turn { prompt, parts, .. } = &mut exchange.turn;
    shorten(prompt);
    for part in parts {
        match part {
            Part::Call(call) => call.output.iter_mut().for_each(shorten),
            Part::Text { text }
            | Part::Error { text }
            | Part::Thinking { text }
            | Part::Notice { text }
            | Part::Recap { text }
            | Part::Summary { text } => shorten(text),
        }
    }
    exchange
}

fn shorten(text: &mut String) {
    if text.len() > TEXT_BYTES {
        *text = format!("{}…", clip(text, TEXT_BYTES));
    }
}

/// Longest time of one step of a refresh: what it read is searched then.
const REFRESH_STEP: Duration = Duration::from_secs(1);
/// Time between two looks at a locked index.
const LOCK_INTERVAL: Duration = Duration::from_secs(1);
/// Least time between two looks at the histories: a session that goes on elsewhere is soon found.
const REFRESH_INTERVAL: Duration = Duration::from_secs(10);
/// Greatest time between two looks.
const MAX_REFRESH_INTERVAL: Duration = Duration::from_secs(60);
/// The time between two looks, in times of what one takes.
const REFRESH_PAUSE: u32 = 100;

/// Keeps the index as the histories are, step by step. Once it is, the chosen model may read what is new.
///
/// Changes that another process writes into the index are shown as well: each look at the histories asks for the
/// list again.
pub(crate) fn refresh(
    engine: &SearchEngine,
    hooks: FrontEndHooks<PickerError>,
    out: &Sender<Message>,
) {
    lower_thread_priority();
    let mut told = None;
    loop {
        let begun = Instant::now();
        let outcome = engine.read_policy().and_then(|policy| {
            let live = engine.live_index(&policy, &|| Box::new(Silent));
            live.refresh(Mode::Changes, Some(REFRESH_STEP))
        });
        let (messages, pause) = match outcome {
            Ok(outcome) => (vec![refreshed(&outcome)], pause(&outcome)),
            Err(error) => {
                let described = (hooks.describe_error)(error.into());
                let messages = failed(&mut told, described);
                (messages, Some(REFRESH_INTERVAL))
            }
        };
        if messages
            .into_iter()
            .any(|message| out.send(message).is_err())
        {
            return;
        }
        if pause == Some(REFRESH_INTERVAL) && has_unread_sessions(engine) {
            (hooks.start_embedding)(engine.home());
        }
        match pause {
            Some(REFRESH_INTERVAL) => std::thread::sleep(refresh_interval(begun.elapsed())),
            Some(pause) => std::thread::sleep(pause),
            None => return,
        }
    }
}

/// Returns when the histories are looked at again, after a look that took so long.
fn refresh_interval(took: Duration) -> Duration {
    (took * REFRESH_PAUSE).clamp(REFRESH_INTERVAL, MAX_REFRESH_INTERVAL)
}

/// Says why the histories cannot be read, once: the list is as complete as it will be.
fn failed(told: &mut Option<String>, reason: String) -> Vec<Message> {
    if told.as_ref() == Some(&reason) {
        return Vec::new();
    }
    *told = Some(reason.clone());
    let files_left = Some(0);
    vec![Message::Refreshed { files_left }, Message::Noted(reason)]
}

/// Returns true where the chosen model can read and has not read all sessions.
fn has_unread_sessions(engine: &SearchEngine) -> bool {
    let ask = || {
        let index = Reader::open(&engine.home().root)?;
        engine
            .models()
            .has_pending_sessions(&index, index.count_sessions()?)
    };
    ask().unwrap_or(false)
}

fn refreshed(outcome: &Outcome) -> Message {
    Message::Refreshed {
        files_left: (!outcome.locked).then_some(outcome.files_left),
    }
}

/// Returns when the histories are looked at again; never where the index cannot be written.
fn pause(outcome: &Outcome) -> Option<Duration> {
    match (outcome.unwritable.is_some(), outcome.is_complete()) {
        _ if outcome.locked => Some(LOCK_INTERVAL),
        (true, _) => None,
        (false, true) => Some(REFRESH_INTERVAL),
        (false, false) => Some(Duration::ZERO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use session_store::StoreError;

    #[test]
    fn many_histories_are_looked_at_less_often() {
        let interval = |ms| refresh_interval(Duration::from_millis(ms)).as_secs();
        assert_eq!([interval(7), interval(140), interval(5000)], [10, 14, 60]);
    }

    #[test]
    fn an_index_that_is_gone_is_told_after_the_first_answer() {
        let unlisted = |error: StoreError, has_answered| {
            let answer = answered(Err(error.into()), has_answered, |error| error.to_string());
            answer.map(|message| match message {
                Message::Unlisted(reason) => reason,
                _ => panic!("no list is sent"),
            })
        };
        let missing = || StoreError::Missing { root: "x".into() };
        assert_eq!(unlisted(missing(), false), None);
        let gone = Some("the index is gone; it is made anew".to_owned());
        assert_eq!(unlisted(missing(), true), gone);
        let locked = StoreError::Locked { root: "x".into() };
        assert!(unlisted(locked, false).unwrap().contains("another process"));
    }

    #[test]
    fn a_refresh_that_fails_again_is_told_once() {
        let mut told = None;
        let texts = |messages: Vec<Message>| {
            let noted = messages.into_iter().filter_map(|message| match message {
                Message::Noted(reason) => Some(reason),
                _ => None,
            });
            noted.collect::<Vec<_>>()
        };
        assert_eq!(texts(failed(&mut told, "locked".into())), ["locked"]);
        assert!(failed(&mut told, "locked".into()).is_empty());
        assert_eq!(texts(failed(&mut told, "damaged".into())), ["damaged"]);
    }
}
