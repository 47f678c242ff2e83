//! Events from parsing threads to the writer.

use crate::deadline::Deadline;
use crate::discover::ChangedHistory;
use crate::event_channel::EventSender;
use crate::listed_histories::ListedFile;
use crate::parallel_reading::ReadOptions;
use crate::parent_session::ParentSession;
use crate::read_policy::ReadPolicy;
use crate::session_embedder::SessionEmbedder;
use session_core::{KnownTurns, SessionMeta, Turn, TurnContent, TurnSpan};
use session_forget::{MarkerPosition, find_marker};
use session_redact::Redactor;
use session_sources::{Cursor, CursorRedaction, Sink, Source, Warning};
use session_store::{NewDocuments, PreparedTurn, StoreError, TurnPreparer};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;

/// An event of a history that a thread reads, for the writer.
pub(crate) enum Event {
    /// A session begins, or its metadata changed.
    Session {
        meta: Box<SessionMeta>,
        turns: KnownTurns,
    },
    /// The next turn of the session at hand.
    Turn(Box<PreparedTurn>),
    /// The documents of the session at hand, all of whose turns have come.
    Documents(Box<NewDocuments>),
    /// A prompt of this session asks to leave it out.
    Marked(String),
    /// A prompt of this session holds the marker where it does not count.
    UncountedMarker(String),
    /// The subagent with this id is excluded with its session.
    ExcludedSubagent(String),
    /// The session with this id could not be read, or not to its end.
    BrokeOff(String),
    /// All events before belong to this cursor.
    Checkpoint(Cursor),
    /// The history no longer holds the session with this id.
    Gone(String),
    /// The title of the session that holds a message, perhaps of another file.
    Title {
        message: String,
        title: String,
    },
    Warning(Box<Warning>),
    /// A turn could not be prepared; `None` if the error was taken.
    Failed(Option<StoreError>),
    /// The source came to the end of the history.
    Done,
}

/// Approximate size of an event other than a turn, in bytes.
const SMALL_EVENT_BYTES: usize = 512;

impl Event {
    /// Returns true for an event that tells what a history holds.
    pub(crate) fn is_content(&self) -> bool {
        !matches!(
            self,
            Self::Marked(_)
                | Self::UncountedMarker(_)
                | Self::ExcludedSubagent(_)
                | Self::Warning(_)
                | Self::Done
        )
    }

    /// Returns the bytes that it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Turn(turn) => turn.bytes(),
            Self::Documents(documents) => documents.bytes(),
            _ => SMALL_EVENT_BYTES,
        }
    }
}

/// Redacts what a source reads, leaves out what is excluded, and sends the rest to the writer. Stops the source when the
/// writer is gone, or at the first event behind a checkpoint once the deadline has passed.
pub(crate) struct HistorySink<'a> {
    policy: &'a ReadPolicy,
    preparer: &'a mut TurnPreparer,
    history: &'a ChangedHistory,
    /// The session at hand, if one was announced.
    session: SessionMeta,
    /// The session at hand is not indexed.
    skips: bool,
    /// The first turn of the session at hand is left out.
    lacks_first_turn: bool,
    /// The session of the file that the one at hand belongs to.
    parent: ParentSession,
    embedder: Option<SessionEmbedder<'a>>,
    channel: EventSender,
    deadline: Deadline,
    stopped: bool,
    at_checkpoint: bool,
}

impl<'a> HistorySink<'a> {
    pub(crate) fn new(
        channel: EventSender,
        options: &ReadOptions<'a>,
        history: &'a ChangedHistory,
        preparer: &'a mut TurnPreparer,
    ) -> Self {
        Self {
            policy: options.policy,
            preparer,
            history,
            session: SessionMeta::default(),
            skips: false,
            lacks_first_turn: false,
            parent: ParentSession::default(),
            embedder: options.embedder.map(SessionEmbedder::new),
            channel,
            deadline: options.deadline,
            stopped: false,
            at_checkpoint: false,
        }
    }

    /// Sends what is left when the source has returned: that is the end, unless it was stopped.
    pub(crate) fn done(mut self) {
        self.send_documents();
        // Nothing comes after it that could be stopped.
        let _ = self.send(Event::Done);
        self.channel.send();
    }

    /// Sends what belongs to the next checkpoint.
    fn deliver(&mut self, event: Event) -> ControlFlow<()> {
        self.stopped |= self.at_checkpoint && self.deadline.has_passed();
        self.at_checkpoint = false;
        self.send(event)
    }

    /// Sends the documents of the session at hand, unless the reader was stopped within it.
    fn send_documents(&mut self) {
        if self.stopped || self.skips {
            return;
        }
        // It may tell of the turn.
        let title = self.session.title.clone();
        let title = title.filter(|_| !self.lacks_first_turn);
        let embedder = self.embedder.as_mut();
        let documents = embedder.and_then(|embedder| embedder.finish(title.as_deref()));
        if let Some(documents) = documents.map(Box::new) {
            // The next event says whether the reader is to stop.
            let _ = self.send(Event::Documents(documents));
        }
    }

    fn deliver_turn(&mut self, turn: Turn) -> ControlFlow<()> {
        let content = (!turn.continues).then(|| TurnContent::from_turn(&turn));
        if let Some(embedder) = &mut self.embedder {
            embedder.push(turn.index, content.as_ref());
        }
        match self.preparer.prepare(turn, content.as_ref()) {
            Ok(prepared) => self.deliver(Event::Turn(Box::new(prepared))),
            Err(error) => self.deliver(Event::Failed(Some(error))),
        }
    }

    fn send(&mut self, event: Event) -> ControlFlow<()> {
        self.stopped = self.stopped || !self.channel.push(event);
        self.flow()
    }

    fn flow(&self) -> ControlFlow<()> {
        if self.stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Sink for HistorySink<'_> {
    fn session(&mut self, meta: &SessionMeta, known: KnownTurns) -> ControlFlow<()> {
        let mut meta = meta.clone();
        self.policy.redactor.redact_session(&mut meta);
        let exclusions = &self.policy.exclusions;
        meta.title.take_if(|title| exclusions.excludes_title(title));
        if meta.id != self.session.id {
            self.send_documents();
            self.lacks_first_turn = false;
            // Most sessions of a history of prompts have a transcript, which replaces them.
            if !meta.prompts_only {
                self.embedder.iter_mut().for_each(SessionEmbedder::begin);
            }
        }
        self.session = meta.clone();
        let source = self.history.file.source.name();
        self.skips = exclusions.excludes_session(source, &meta);
        if self.skips {
            return self.flow();
        }
        let file = &self.history.file;
        self.skips = self.parent.is_excluded(file, &meta, self.policy);
        if self.skips {
            return self.send(Event::ExcludedSubagent(meta.id));
        }
        self.policy.redactor.redact_project(&mut meta);
        self.deliver(Event::Session {
            meta: Box::new(meta),
            turns: known,
        })
    }

    fn turn(&mut self, mut turn: Turn) -> ControlFlow<()> {
        if self.skips {
            return self.flow();
        }
        // Before secrets are replaced: what was typed of the prompt is known by its length.
        let marker = find_marker(&turn);
        self.policy.redactor.redact_turn(&mut turn);
        match marker {
            Some(MarkerPosition::Counting) => {
                self.skips = true;
                return self.send(Event::Marked(self.session.id.clone()));
            }
            // The next event says whether the reader is to stop.
            Some(MarkerPosition::Elsewhere) => {
                let _ = self.send(Event::UncountedMarker(self.session.id.clone()));
            }
            None => {}
        }
        if self.policy.exclusions.excludes_turn(&self.session, &turn) {
            self.lacks_first_turn |= turn.index == 0;
            self.deliver_turn(blank(&turn))
        } else {
            self.deliver_turn(turn)
        }
    }

    fn report_unread_session(&mut self, session: &str) -> ControlFlow<()> {
        self.send(Event::BrokeOff(session.to_owned()))
    }

    fn checkpoint(&mut self, cursor: Cursor) -> ControlFlow<()> {
        // Where nothing but useless bytes came since the last one.
        self.stopped |= self.at_checkpoint && self.deadline.has_passed();
        self.at_checkpoint = true;
        let cursor = clean_cursor(self.policy, self.history, cursor);
        self.send(Event::Checkpoint(cursor))
    }

    fn report_gone_session(&mut self, session: &str) -> ControlFlow<()> {
        self.deliver(Event::Gone(session.to_owned()))
    }

    fn receive_foreign_title(&mut self, message: &str, title: &str) -> ControlFlow<()> {
        let title = self.policy.redactor.redact(title);
        if self.policy.exclusions.excludes_title(&title) {
            self.flow()
        } else {
            self.deliver(Event::Title {
                message: message.to_owned(),
                title: title.into_owned(),
            })
        }
    }

    fn warning(&mut self, warning: Warning) {
        // The next event says whether the reader is to stop.
        let _ = self.send(Event::Warning(Box::new(warning)));
    }

    fn is_out_of_time(&self) -> bool {
        self.deadline.has_passed()
    }
}

/// Returns a turn without anything that was said or done: its number in the session stays. Where it goes on with what is
/// excluded, it takes the place of its beginning.
fn blank(turn: &Turn) -> Turn {
    Turn {
        index: turn.index,
        started_ms: turn.started_ms,
        span: TurnSpan {
            start: turn.span.start,
            end: turn.span.start,
        },
        ..Turn::default()
    }
}

/// Redacts the titles and the branch of a cursor, and removes what is excluded.
fn clean_cursor(policy: &ReadPolicy, history: &ChangedHistory, cursor: Cursor) -> Cursor {
    let ListedFile { source, location } = &history.file;
    let cursor = redact_cursor(&policy.redactor, Some(*source), &location.path, cursor);
    if policy.exclusions.is_empty() {
        cursor
    } else {
        policy
            .exclusions
            .redact_cursor(*source, &location.path, &cursor)
    }
}

/// Redacts the titles and the branch of a cursor, which is not even parsed where nothing in it looks like a secret; a pattern of
/// the user may match a title alone, and not as JSON writes it. Its ids and folders stay: by a redacted one the next read would
/// go on with another session, or with one that is excluded. A cursor of an unknown source becomes empty.
pub(crate) fn redact_cursor(
    redactor: &Redactor,
    source: Option<&dyn Source>,
    at: &Path,
    cursor: Cursor,
) -> Cursor {
    if !redactor.has_patterns() && matches!(redactor.redact(&cursor.0), Cow::Borrowed(_)) {
        return cursor;
    }
    let redaction = CursorRedaction {
        redact: &|meta| redactor.redact_session(meta),
        ..CursorRedaction::none()
    };
    source
        .map(|source| source.redact_cursor(at, &cursor, &redaction))
        .unwrap_or_default()
}
