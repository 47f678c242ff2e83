//! Messages as the database keeps them: read one after the other, decoded many
//! at once.

use super::history::MessageVisitor;
use super::message::{Header, MessageRole, StoredMessage};
use super::part::PartContent;
use super::session_message;
use crate::storage_error::{BAD_JSON, SIZE_LIMIT, SkippedCounts, StorageError, TOO_LONG};
use rayon::prelude::*;
use rusqlite::Row;
use rusqlite::types::ValueRef;
use session_core::ReadDetail;
use std::borrow::Cow;
use std::ops::ControlFlow;

/// Bytes after which messages are decoded.
const FULL_BATCH_BYTES: usize = 1 << 20;

/// A `data` column, or why it is passed over.
#[derive(Debug)]
pub(super) struct DataColumn(Result<Vec<u8>, &'static str>);

impl DataColumn {
    /// Of a row that is not there.
    pub(super) const MISSING: Self = Self(Err(BAD_JSON));

    /// Returns the JSON at `column`, whose length follows it.
    pub(super) fn from_column(row: &Row<'_>, column: usize) -> Result<Self, StorageError> {
        Ok(Self(match row.get_ref(column)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(bytes.to_owned()),
            _ => match row.get_ref(column + 1)? {
                ValueRef::Integer(length) if length > SIZE_LIMIT.into() => Err(TOO_LONG),
                _ => Err(BAD_JSON),
            },
        }))
    }

    fn decode<T>(
        &self,
        skipped: &mut SkippedCounts,
        decode: impl FnOnce(&str) -> serde_json::Result<T>,
    ) -> Option<T> {
        let decoded = match &self.0 {
            Ok(bytes) => decode(&words(bytes)).map_err(|_| BAD_JSON),
            Err(reason) => Err(*reason),
        };
        decoded.inspect_err(|reason| skipped.add(reason)).ok()
    }

    fn len(&self) -> usize {
        self.0.as_ref().map_or(0, Vec::len)
    }
}

/// Decodes UTF-8: far quicker than the lossy reading alone, which is hardly ever needed.
fn words(bytes: &[u8]) -> Cow<'_, str> {
    str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// The content of a part, if any, with counts of what was skipped.
type DecodedPart = (Option<PartContent>, SkippedCounts);

/// A part of a message.
#[derive(Debug)]
enum StoredPart {
    Stored(DataColumn),
    /// Of a message beyond [`FULL_BATCH_BYTES`]: it is not held in memory whole.
    Decoded(Box<DecodedPart>),
}

impl StoredPart {
    fn len(&self) -> usize {
        match self {
            Self::Stored(data) => data.len(),
            Self::Decoded(..) => 0,
        }
    }

    fn decoded(self, detail: ReadDetail) -> DecodedPart {
        let data = match self {
            Self::Stored(data) => data,
            Self::Decoded(decoded) => return *decoded,
        };
        let mut skipped = SkippedCounts::default();
        let content = data.decode(&mut skipped, |json| PartContent::decode(json, detail));
        (content.flatten(), skipped)
    }
}

/// The parts of one message.
#[derive(Debug, Default)]
pub(super) struct StoredParts {
    parts: Vec<StoredPart>,
    bytes: usize,
}

impl StoredParts {
    pub(super) fn push(&mut self, data: DataColumn, detail: ReadDetail) {
        let mut part = StoredPart::Stored(data);
        if self.bytes + part.len() > FULL_BATCH_BYTES {
            part = StoredPart::Decoded(Box::new(part.decoded(detail)));
        }
        self.bytes += part.len();
        self.parts.push(part);
    }

    fn decode(self, detail: ReadDetail, skipped: &mut SkippedCounts) -> Vec<PartContent> {
        let parts = self.parts.into_iter().filter_map(|part| {
            let (content, skipped_in_part) = part.decoded(detail);
            skipped.join(skipped_in_part);
            content
        });
        parts.collect()
    }
}

/// A message, not decoded.
#[derive(Debug)]
pub(super) struct RawMessage {
    pub(super) id: String,
    pub(super) ordinal: u64,
    /// The column holds the time also when the data cannot be read.
    pub(super) created: Option<i64>,
    pub(super) data: DataColumn,
    pub(super) content: MessageContents,
}

/// The contents of a message beside its data.
#[derive(Debug)]
pub(super) enum MessageContents {
    /// Its parts, which are rows of their own.
    Parts(StoredParts),
    /// In its data: a message of the second storage, of this type.
    Inline(String),
}

impl RawMessage {
    fn len(&self) -> usize {
        self.data.len()
            + match &self.content {
                MessageContents::Parts(parts) => parts.bytes,
                MessageContents::Inline(_) => 0,
            }
    }

    fn decode(self, detail: ReadDetail) -> (StoredMessage, SkippedCounts) {
        let mut skipped = SkippedCounts::default();
        let is_inline = matches!(self.content, MessageContents::Inline(_));
        let (header, parts) = match self.content {
            MessageContents::Parts(parts) => {
                let header = self.data.decode(&mut skipped, Header::decode);
                (header, parts.decode(detail, &mut skipped))
            }
            MessageContents::Inline(kind) => {
                let decode = |json: &str| session_message::decode(&kind, json, detail);
                let decoded = self.data.decode(&mut skipped, decode).unzip();
                (decoded.0, decoded.1.unwrap_or_default())
            }
        };
        let mut header = header.unwrap_or(Header::UNREADABLE);
        // A switch of the agent or the model is no work.
        if !is_inline || header.role != MessageRole::Other {
            header.created = self.created.or(header.created);
        }
        let message = StoredMessage {
            id: self.id,
            ordinal: self.ordinal,
            header,
            parts,
        };
        (message, skipped)
    }
}

/// Messages that are decoded together, by all cores: the database itself is
/// read by one.
#[derive(Debug, Default)]
pub(super) struct MessageBatch {
    messages: Vec<RawMessage>,
    bytes: usize,
}

impl MessageBatch {
    pub(super) fn push(&mut self, message: RawMessage) {
        self.bytes += message.len();
        self.messages.push(message);
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes >= FULL_BATCH_BYTES
    }

    /// Takes all messages out, in order.
    pub(super) fn visit(
        &mut self,
        detail: ReadDetail,
        skipped: &mut SkippedCounts,
        visit: &mut MessageVisitor<'_>,
    ) -> ControlFlow<()> {
        let batch = std::mem::take(self).messages;
        let decoded: Vec<_> = batch
            .into_par_iter()
            .map(|message| message.decode(detail))
            .collect();
        decoded
            .into_iter()
            .try_for_each(|(message, skipped_in_message)| {
                skipped.join(skipped_in_message);
                visit(message)
            })
    }
}
