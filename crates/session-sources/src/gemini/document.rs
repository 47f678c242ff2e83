//! A session as one JSON document, which the client writes anew whenever something happens.

use super::record::GeminiRecord;
use super::{GeminiFormat, GeminiState, place};
use crate::cursor::fingerprint;
use crate::json::{readable, record};
use crate::session_signature::{SessionSignature, digest};
use crate::session_storage::{SessionStorage, StoredSession, TurnRange, TurnVisitor};
use crate::storage_error::{BAD_JSON, SIZE_LIMIT, SkippedCounts, StorageError};
use crate::turn_assembler::{TurnAssembler, TurnDetail, TurnProgress};
use crate::{JsonlFormat, TurnWriter, file, milliseconds};
use serde::Deserialize;
use serde_json::value::RawValue;
use session_core::{Detail, SessionMeta, Span, Turn};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A document, which is read as it was when it was opened.
#[derive(Debug)]
pub(super) struct GeminiDocument {
    path: PathBuf,
    content: String,
    messages: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct DocumentMessages {
    messages: Vec<Box<RawValue>>,
}

impl GeminiDocument {
    pub(super) fn open(path: &Path) -> Result<Box<dyn SessionStorage>, StorageError> {
        let mut bytes = Vec::new();
        let file = file::open(path)?;
        file.take(u64::from(SIZE_LIMIT)).read_to_end(&mut bytes)?;
        let content = readable(&bytes).into_owned();
        let document: DocumentMessages =
            serde_json::from_str(&content).map_err(|_| StorageError::NotADocument)?;
        Ok(Box::new(Self {
            path: path.to_owned(),
            content,
            messages: document.messages,
        }))
    }

    /// Begins to read messages, with what the document says of the session.
    fn reading(&self, session: SessionMeta, first: u32, detail: TurnDetail) -> DocumentReading {
        let progress = TurnProgress {
            next: first,
            ..TurnProgress::default()
        };
        let mut reading = DocumentReading {
            session,
            state: GeminiState::default(),
            turns: TurnAssembler::new(progress, detail),
        };
        let header: Option<GeminiRecord<'_>> = serde_json::from_str(&self.content).ok();
        reading.extend_by(header, 0);
        reading
    }

    fn described(&self) -> SessionMeta {
        let located = place::located(&self.path).unwrap_or_default();
        let mut session = SessionMeta {
            id: located.session.unwrap_or_default(),
            parent: located.parent,
            ..SessionMeta::default()
        };
        place::set_directory(&self.path, &mut session);
        session
    }

    fn created(&self) -> i64 {
        let header: Option<GeminiRecord<'_>> = serde_json::from_str(&self.content).ok();
        let time = header.and_then(|header| milliseconds(header.start_time.or_empty()));
        time.unwrap_or_default()
    }
}

impl SessionStorage for GeminiDocument {
    /// A session in which nothing was said is none.
    fn sessions(&self, _: &mut SkippedCounts) -> Result<Vec<StoredSession>, StorageError> {
        let mut reading = self.reading(self.described(), 0, TurnDetail::Index);
        for (message, n) in self.messages.iter().zip(0..) {
            reading.message(message, n);
        }
        let signature = SessionSignature(
            0,
            self.content.len() as u64,
            fingerprint(&self.content),
            digest(&reading.session, None),
        );
        let session = StoredSession {
            meta: reading.session,
            created: self.created(),
            signature,
        };
        let is_empty = reading.turns.progress.next == 0;
        Ok((!is_empty).then_some(session).into_iter().collect())
    }

    fn turns(
        &self,
        session: &SessionMeta,
        range: TurnRange,
        detail: Detail,
        skipped: &mut SkippedCounts,
        visit: &mut TurnVisitor<'_>,
    ) -> Result<(), StorageError> {
        let detail = match detail {
            Detail::Index => TurnDetail::Index,
            Detail::Full => TurnDetail::Alone,
        };
        let mut reading = self.reading(session.clone(), range.first, detail);
        let span = range.span;
        for (message, n) in self.messages.iter().zip(0..span.end) {
            if n >= span.start && !reading.message(message, n) {
                skipped.add(BAD_JSON);
            }
            for turn in reading.turns.take_closed() {
                if visit(turn).is_break() {
                    return Ok(());
                }
            }
        }
        let last: Option<Turn> = reading.turns.flush();
        // After the last turn nothing is left to break off.
        let _ = last.map(visit);
        Ok(())
    }
}

/// Messages on their way to turns.
struct DocumentReading {
    session: SessionMeta,
    state: GeminiState,
    turns: TurnAssembler,
}

impl DocumentReading {
    /// Takes a message; false when it is none.
    fn message(&mut self, message: &RawValue, n: u64) -> bool {
        let mut mended = String::new();
        let message = record(message.get().as_bytes(), &mut mended);
        let is_message = message.is_some();
        self.extend_by(message, n);
        is_message
    }

    fn extend_by(&mut self, record: Option<GeminiRecord<'_>>, n: u64) {
        let span = Span {
            start: n,
            end: n + 1,
        };
        let mut writer = TurnWriter::new(&mut self.turns, &mut self.session, span);
        if let Some(record) = record {
            GeminiFormat.record(record, &mut self.state, &mut writer);
        }
    }
}
