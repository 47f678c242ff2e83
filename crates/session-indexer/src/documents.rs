//! Reads the documents of a session: its chunks, then its turns.

use crate::error::IndexError;
use session_core::document::{self, SessionChunks};
use session_store::{
    Document, DocumentExtent, EmbeddedDocument, EmbeddedTexts, ModelRow, PendingSession, Reader,
    SessionContents, SessionId, StoredContent,
};

/// Returns the texts that stand for a session and its turns.
fn documents(
    index: &Reader,
    session: SessionId,
    budget: usize,
) -> Result<Vec<Document>, IndexError> {
    let contents = index.session_contents(session)?;
    let chunks = chunk_texts(&contents, budget).into_iter();
    let chunks = chunks.map(|text| Document { turn: None, text });
    let of_turn = |stored: &StoredContent| turn_document(stored, budget);
    let turns = contents.turns.iter().filter_map(of_turn);
    Ok(chunks.chain(turns).collect())
}

/// Returns the document of a turn; none without text.
fn turn_document(stored: &StoredContent, budget: usize) -> Option<Document> {
    Some(Document {
        turn: Some(stored.turn),
        text: document::build_turn_document(&stored.content, budget)?,
    })
}

/// Returns the texts that stand for a session as a whole, each with at most `budget` bytes.
pub fn chunk_texts(contents: &SessionContents, budget: usize) -> Vec<String> {
    let SessionContents { title, turns } = contents;
    if turns.is_empty() {
        return Vec::new(); // a session of copies is found by what it copies
    }
    let prompts = turns.iter().map(|stored| stored.content.prompt.as_str());
    document::build_session_documents(title.as_deref(), prompts, budget)
}

/// Returns the texts that a model has embedded; none without one.
fn embedded_texts<'r>(
    index: &'r Reader,
    model: Option<&ModelRow>,
    session: SessionId,
) -> Result<Option<EmbeddedTexts<'r>>, IndexError> {
    let embedded = model.map(|model| index.embedded_texts(model, session));
    Ok(embedded.transpose()?)
}

/// Returns true if the index has no vector of a document.
fn lacks_vector(
    embedded: Option<&EmbeddedTexts<'_>>,
    document: &Document,
) -> Result<bool, IndexError> {
    match embedded {
        Some(embedded) => Ok(!embedded.has(&document.text)?),
        None => Ok(true),
    }
}

/// The documents of one session that one embedding step writes, each with its new vector once embedded.
pub(crate) struct SessionBatch {
    pub(crate) pending: PendingSession,
    pub(crate) documents: Vec<EmbeddedDocument>,
    /// Indices into `documents` of those without a vector in the index.
    pub(crate) without_vector: Vec<usize>,
    /// Which documents of the session these are, for the store.
    pub(crate) extent: DocumentExtent,
    /// A text has no vector after it was embedded.
    pub(crate) has_failed: bool,
}

/// The part of a session that a [`SessionBatch`] takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchLimits {
    /// Most bytes of a document.
    pub(crate) budget: usize,
    /// Most documents without a vector.
    pub(crate) max_without_vector: usize,
    /// Number of documents that were embedded before: those without a vector have a zero one, which is not stored.
    pub(crate) tried: usize,
}

impl SessionBatch {
    /// Reads the documents of a session; without a model none has a vector.
    pub(crate) fn new(
        index: &Reader,
        model: Option<&ModelRow>,
        pending: PendingSession,
        limits: BatchLimits,
    ) -> Result<Self, IndexError> {
        let mut batch = Self::empty(pending);
        let embedded = embedded_texts(index, model, pending.session)?;
        let documents = documents(index, pending.session, limits.budget)?;
        for (index, document) in documents.into_iter().enumerate() {
            let lacks_vector = lacks_vector(embedded.as_ref(), &document)?;
            match lacks_vector {
                true if index < limits.tried => batch.documents.push(EmbeddedDocument {
                    document,
                    vector: Some(Vec::new()),
                }),
                // What has a vector comes along.
                true if batch.without_vector.len() == limits.max_without_vector => {
                    batch.extent = DocumentExtent::Subset;
                }
                _ => batch.push(document, lacks_vector),
            }
        }
        Ok(batch)
    }

    /// A whole session without documents.
    fn empty(pending: PendingSession) -> Self {
        Self {
            pending,
            documents: Vec::new(),
            without_vector: Vec::new(),
            extent: DocumentExtent::Complete,
            has_failed: false,
        }
    }

    fn push(&mut self, document: Document, lacks_vector: bool) {
        if lacks_vector {
            self.without_vector.push(self.documents.len());
        }
        self.documents.push(EmbeddedDocument {
            document,
            vector: None,
        });
    }

    /// Returns true if no document is left to a later step.
    pub(crate) fn is_complete(&self) -> bool {
        self.extent == DocumentExtent::Complete
    }

    /// Notes that a text has no vector after it was embedded: the session stays pending, for a later run.
    pub(crate) fn note_failure(&mut self) {
        self.has_failed = true;
        if self.is_complete() {
            self.extent = DocumentExtent::Subset;
        }
    }

    /// Counts the documents up to the last one without a vector.
    pub(crate) fn count_tried(&self) -> usize {
        self.without_vector.last().map_or(0, |index| index + 1)
    }

    /// Returns the texts of the documents without a vector.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let document = |index: &usize| self.documents.get(*index);
        let without_vector = self.without_vector.iter().filter_map(document);
        without_vector.map(|embedded| embedded.document.text.as_str())
    }
}

/// Turns that are unpacked at once.
const READ_TURNS: usize = 32;

/// A session that is read in slices: it may have more turns than memory should hold.
pub(crate) struct SlicedSession {
    pending: PendingSession,
    /// The index of the next turn; `None` at the end.
    next: Option<u32>,
    /// `None` before the first turn.
    chunks: Option<SessionChunks>,
    budget: usize,
}

impl SlicedSession {
    /// Begins a session whose documents have at most `budget` bytes.
    pub(crate) fn new(pending: PendingSession, budget: usize) -> Self {
        Self {
            pending,
            next: Some(0),
            chunks: None,
            budget,
        }
    }

    /// Reads some more than `limit` documents, or all that are left.
    pub(crate) fn next_slice(
        &mut self,
        index: &Reader,
        model: Option<&ModelRow>,
        limit: usize,
    ) -> Result<SessionBatch, IndexError> {
        let mut documents = Vec::new();
        while documents.len() < limit
            && let Some(first) = self.next
        {
            let part = index.contents_part(self.pending.session, first, READ_TURNS)?;
            self.next = part.next;
            self.add_turns(index, &part.turns, &mut documents)?;
        }
        let is_last = self.next.is_none();
        if is_last {
            let chunk = self.chunks.as_mut().and_then(SessionChunks::finish);
            documents.extend(chunk.map(|text| Document { turn: None, text }));
        }
        let mut batch = SessionBatch {
            extent: match is_last {
                true => DocumentExtent::Complete,
                false => DocumentExtent::Slice,
            },
            ..SessionBatch::empty(self.pending)
        };
        let embedded = embedded_texts(index, model, self.pending.session)?;
        for document in documents {
            let lacks_vector = lacks_vector(embedded.as_ref(), &document)?;
            batch.push(document, lacks_vector);
        }
        Ok(batch)
    }

    fn add_turns(
        &mut self,
        index: &Reader,
        turns: &[StoredContent],
        documents: &mut Vec<Document>,
    ) -> Result<(), IndexError> {
        if turns.is_empty() {
            return Ok(()); // a session of copies is found by what it copies
        }
        let chunks = match &mut self.chunks {
            Some(chunks) => chunks,
            none => {
                let title = index.session_title(self.pending.session)?;
                let chunks = none.insert(SessionChunks::new(self.budget));
                let chunk = title.and_then(|title| chunks.push(&title));
                documents.extend(chunk.map(|text| Document { turn: None, text }));
                chunks
            }
        };
        for stored in turns {
            let chunk = chunks.push_prompt(&stored.content.prompt);
            documents.extend(chunk.map(|text| Document { turn: None, text }));
            documents.extend(turn_document(stored, self.budget));
        }
        Ok(())
    }
}
