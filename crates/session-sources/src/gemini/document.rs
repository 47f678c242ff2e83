//! A session as one JSON document, which the client writes anew whenever something happens.

use super::record::GeminiRecord;
use super::{GeminiFormat, GeminiState, chat_paths};
use crate::cursor::fingerprint;
use crate::json::{readable_json, record};
use crate::lines::trim_mark;
use crate::session_signature::{SessionSignature, digest};
use crate::session_storage::{ALL_RECORDS, SessionStorage, StoredSession, TurnVisitor};
use crate::storage_error::{BAD_JSON, SIZE_LIMIT, SkippedCounts, StorageError};
use crate::stored_turns::StoredTurns;
use crate::{IndexedSpan, JsonlFormat, file, milliseconds};
use serde::Deserialize;
use serde_json::value::RawValue;
use session_core::{SessionMeta, TurnSpan};
use std::ops::ControlFlow;
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
        let bytes = file::read_limited(path, u64::from(SIZE_LIMIT))?;
        let content = readable_json(trim_mark(&bytes)).into_owned();
        let document: DocumentMessages =
            serde_json::from_str(&content).map_err(|_| StorageError::NotADocument)?;
        Ok(Box::new(Self {
            path: path.to_owned(),
            content,
            messages: document.messages,
        }))
    }

    /// Passes the messages at `span` to `turns`, after what the document says of the session.
    fn push_turns(
        &self,
        span: TurnSpan,
        turns: &mut StoredTurns<'_, '_>,
        skipped: &mut SkippedCounts,
    ) -> ControlFlow<()> {
        let mut state = GeminiState::default();
        if let Ok(header) = serde_json::from_str(&self.content) {
            turns.record(0, |writer| GeminiFormat.record(header, &mut state, writer))?;
        }
        for (message, n) in self.messages.iter().zip(0..span.end) {
            if n < span.start {
                continue;
            }
            let mut repaired = String::new();
            match record(message.get().as_bytes(), &mut repaired) {
                Some(message) => {
                    turns.record(n, |writer| GeminiFormat.record(message, &mut state, writer))?;
                }
                None => skipped.add(BAD_JSON),
            }
        }
        ControlFlow::Continue(())
    }

    fn described(&self) -> SessionMeta {
        let path_session = chat_paths::parse_path_session(&self.path).unwrap_or_default();
        let mut session = SessionMeta {
            id: path_session.session.unwrap_or_default(),
            parent: path_session.parent,
            ..SessionMeta::default()
        };
        chat_paths::set_directory(&self.path, &mut session);
        session
    }

    fn created(&self) -> i64 {
        let header: Option<GeminiRecord<'_>> = serde_json::from_str(&self.content).ok();
        let time = header.and_then(|header| milliseconds(header.start_time.or_empty()));
        time.unwrap_or_default()
    }
}

impl SessionStorage for GeminiDocument {
    /// Lists the session of the document, unless nothing was said in it.
    fn list_sessions(&self, _: &mut SkippedCounts) -> Result<Vec<StoredSession>, StorageError> {
        let mut ignored = |_| ControlFlow::Continue(());
        let session = self.described();
        let mut turns = StoredTurns::new(&session, None, &mut ignored);
        // A visitor that takes all breaks nothing off, and `turns` counts what is skipped.
        let _ = self.push_turns(ALL_RECORDS, &mut turns, &mut SkippedCounts::default());
        let meta = turns.session.clone();
        let signature = SessionSignature {
            changed_ms: 0,
            messages: self.content.len() as u64,
            parts: fingerprint(&self.content),
            digest: digest(&meta, None),
        };
        let session = StoredSession {
            meta,
            created: self.created(),
            signature,
        };
        let is_empty = turns.finish() == 0;
        Ok((!is_empty).then_some(session).into_iter().collect())
    }

    fn visit_turns(
        &self,
        session: &SessionMeta,
        shown: Option<IndexedSpan>,
        skipped: &mut SkippedCounts,
        visit: &mut TurnVisitor<'_>,
    ) -> Result<(), StorageError> {
        let span = shown.map_or(ALL_RECORDS, |turn| turn.span);
        let mut turns = StoredTurns::new(session, shown, visit);
        if self.push_turns(span, &mut turns, skipped).is_continue() {
            turns.finish();
        }
        Ok(())
    }
}
