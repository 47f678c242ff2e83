//! Embeds the sessions of an empty index on the threads that read them.
//!
//! The second pass over the store would unpack and parse every content again, for the most part on one thread.

use crate::embedding::embed_texts;
use session_core::{TurnContent, document};
use session_embed::Embedder;
use session_store::{NewDocument, NewDocuments};

/// Bytes of a session's texts from which on it is left to the second pass, which reads it in parts.
const MAX_BYTES: usize = 1 << 20;
/// Texts embedded at once: as many as the table embeds without another thread, which would be another reader's.
const TEXTS_AT_ONCE: usize = 16;

/// Collects the documents of the session that is being read, and embeds them by one model.
pub(crate) struct SessionEmbedder<'a> {
    embedder: &'a dyn Embedder,
    /// Bytes of a document.
    budget: usize,
    session: Option<SessionTexts>,
}

/// The texts of a session, none of whose turns so far was left out.
#[derive(Default)]
struct SessionTexts {
    /// The prompts of all turns, one after the other.
    prompts: String,
    /// Where each prompt ends.
    prompt_ends: Vec<usize>,
    documents: Vec<TurnText>,
    bytes: usize,
}

/// The text of a document.
struct TurnText {
    /// Index of the turn in its session; `None` for a chunk of the session.
    turn: Option<u32>,
    text: String,
}

impl SessionTexts {
    /// Adds the next turn; returns false for one that is not the next, and where there is too much.
    fn push(&mut self, index: u32, content: &TurnContent, budget: usize) -> bool {
        if index as usize != self.prompt_ends.len() || self.bytes > MAX_BYTES {
            return false;
        }
        let text = document::build_turn_document(content, budget);
        self.bytes += content.prompt.len() + text.as_ref().map_or(0, String::len);
        self.prompts.push_str(&content.prompt);
        self.prompt_ends.push(self.prompts.len());
        let turn = Some(index);
        self.documents
            .extend(text.map(|text| TurnText { turn, text }));
        true
    }

    /// Returns the texts of the session's chunks, then those of its turns.
    fn into_documents(self, title: Option<&str>, budget: usize) -> Vec<TurnText> {
        if self.prompt_ends.is_empty() {
            return Vec::new();
        }
        let starts = std::iter::once(0).chain(self.prompt_ends.iter().copied());
        let ranges = starts.zip(&self.prompt_ends);
        let prompts = ranges.map(|(start, end)| &self.prompts[start..*end]);
        let chunks = document::build_session_documents(title, prompts, budget).into_iter();
        let chunks = chunks.map(|text| TurnText { turn: None, text });
        chunks.chain(self.documents).collect()
    }
}

impl<'a> SessionEmbedder<'a> {
    pub(crate) fn new(embedder: &'a dyn Embedder) -> Self {
        Self {
            embedder,
            budget: embedder.max_document_bytes(),
            session: None,
        }
    }

    /// Begins a session.
    pub(crate) fn begin(&mut self) {
        self.session = Some(SessionTexts::default());
    }

    /// Adds the next turn of the session; one without content continues another, which leaves the session to the
    /// second pass.
    pub(crate) fn push(&mut self, index: u32, content: Option<&TurnContent>) {
        let budget = self.budget;
        let is_next = |session: &mut SessionTexts| {
            content.is_some_and(|content| session.push(index, content, budget))
        };
        self.session.take_if(|session| !is_next(session));
    }

    /// Ends the session, which has this title, and embeds its documents. `None` if it is left to the second pass,
    /// as where the model fails.
    pub(crate) fn finish(&mut self, title: Option<&str>) -> Option<NewDocuments> {
        let session = self.session.take()?;
        let turns = session.prompt_ends.len();
        let texts = session.into_documents(title, self.budget);
        let mut documents = Vec::with_capacity(texts.len());
        for batch in texts.chunks(TEXTS_AT_ONCE) {
            let texts: Vec<&str> = batch
                .iter()
                .map(|document| document.text.as_str())
                .collect();
            let vectors = embed_texts(self.embedder, &texts).ok()?;
            for (TurnText { turn, text }, vector) in batch.iter().zip(vectors) {
                documents.push(NewDocument::new(*turn, text, &vector?));
            }
        }
        Some(NewDocuments {
            title: title.map(str::to_owned),
            turns,
            documents,
        })
    }
}
