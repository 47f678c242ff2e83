//! Reads the documents of a session: its chunks, then its turns.

use crate::refresh::IndexError;
use session_core::{TurnContent, document};
use session_store::{
    Document, ModelId, PendingSession, Reader, SessionContents, SessionId, TurnId,
};

/// Bytes of text that fill a model's window: about four to a token, and a
/// fifth left over so that little is cut off.
pub fn max_document_bytes(max_tokens: usize) -> usize {
    max_tokens * 4 * 4 / 5
}

/// The texts that stand for a session and its turns.
fn documents(
    index: &Reader,
    session: SessionId,
    budget: usize,
) -> Result<Vec<Document>, IndexError> {
    let SessionContents { title, turns } = index.session_contents(session)?;
    if turns.is_empty() {
        return Ok(Vec::new()); // a session of copies is found by what it copies
    }
    let prompts = turns.iter().map(|(_, content)| content.prompt.as_str());
    let chunks = document::session_documents(title.as_deref(), prompts, budget);
    let chunks = chunks.into_iter().map(|text| Document { turn: None, text });
    let of_turn = |(turn, content): &(TurnId, TurnContent)| {
        let text = document::turn_document(content, budget)?;
        Some(Document {
            turn: Some(*turn),
            text,
        })
    };
    Ok(chunks.chain(turns.iter().filter_map(of_turn)).collect())
}

/// The documents of one session that one embedding step writes, each with its new vector once embedded.
pub(crate) struct SessionBatch {
    pub(crate) pending: PendingSession,
    pub(crate) documents: Vec<(Document, Option<Vec<f32>>)>,
    /// Indices into `documents` of those without a vector in the index.
    pub(crate) missing: Vec<usize>,
    /// True where no document was left to a later step.
    pub(crate) whole: bool,
    /// A text has no vector after it was embedded.
    pub(crate) has_failed: bool,
}

impl SessionBatch {
    /// Reads the documents of a session, with at most `limit` of those without a vector by the model; without one,
    /// none has a vector.
    pub(crate) fn new(
        index: &Reader,
        model: Option<ModelId>,
        pending: PendingSession,
        budget: usize,
        limit: usize,
    ) -> Result<Self, IndexError> {
        let mut share = Self {
            pending,
            documents: Vec::new(),
            missing: Vec::new(),
            whole: true,
            has_failed: false,
        };
        for document in documents(index, pending.session, budget)? {
            let has_vector = match model {
                Some(model) => index.has_vector(model, &document.text)?,
                None => false,
            };
            if !has_vector {
                if share.missing.len() == limit {
                    share.whole = false;
                    continue; // what has a vector comes along
                }
                share.missing.push(share.documents.len());
            }
            share.documents.push((document, None));
        }
        Ok(share)
    }

    /// Returns the texts of the documents without a vector.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let text = |place: &usize| self.documents.get(*place).map(|(d, _)| d.text.as_str());
        self.missing.iter().filter_map(text)
    }
}
