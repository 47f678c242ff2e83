//! The texts of a session that are embedded, and their vectors.

use crate::embeddings::quantized_row::quantize_row;
use crate::error::Result;
use crate::frames::contents::StoredContent;
use crate::hash::text_hash;
use crate::id::{ModelId, SessionId, TurnId};
use crate::model::{DocumentKind, ModelRow};
use crate::reader::Reader;
use crate::sql::Statements;
use rustc_hash::FxHashSet;

/// Says which documents of a session are passed to [`Writer::store_documents`](crate::Writer::store_documents).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentExtent {
    /// All documents: other rows of the session become orphans, and the session
    /// is no longer pending.
    Complete,
    /// All documents that have a vector so far, so that a kill loses less work: the session stays pending.
    Subset,
    /// The next documents of a session that comes in slices, as it may have more than memory should hold: no document is
    /// in two slices, and the last one comes as [`DocumentExtent::Complete`].
    Slice,
}

/// A text that is embedded as one vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Number of the turn; `None` for a chunk of the session.
    pub turn: Option<TurnId>,
    /// The text.
    pub text: String,
}

/// A document with its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedDocument {
    /// The document.
    pub document: Document,
    /// Its vector. A zero one is not stored. `None` if [`EmbeddedTexts::has`] returned true: the stored one is copied.
    pub vector: Option<Vec<f32>>,
}

/// A document as it is stored: its turn, the hash of its text and its vector.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DocumentRow {
    pub(crate) turn: Option<TurnId>,
    /// Hash of the text.
    pub(crate) hash: i64,
    pub(crate) vector: DocumentVector,
}

/// The vector of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DocumentVector {
    /// As a matrix holds it.
    Quantized(Vec<u8>),
    /// All zeros, which is not stored.
    Zero,
    /// That of the same text, to be copied.
    Stored,
}

impl DocumentVector {
    /// Returns the bytes that it takes beside its own size.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Quantized(row) => row.len(),
            Self::Zero | Self::Stored => 0,
        }
    }
}

impl DocumentRow {
    /// Makes what is stored of a text; without a vector that of the same text is copied.
    pub(crate) fn new(turn: Option<TurnId>, text: &str, vector: Option<&[f32]>) -> Self {
        Self {
            turn,
            hash: text_hash(text),
            vector: match vector {
                Some(vector) if vector.iter().all(|x| *x == 0.0) => DocumentVector::Zero,
                Some(vector) => DocumentVector::Quantized(quantize_row(vector)),
                None => DocumentVector::Stored,
            },
        }
    }

    /// Returns its kind, whose matrix holds its vector.
    pub(crate) fn kind(&self) -> DocumentKind {
        match self.turn {
            None => DocumentKind::Chunk,
            Some(_) => DocumentKind::Turn,
        }
    }
}

/// The title and the contents of turns from which a session's documents are built.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionContents {
    /// Its title in the history.
    pub title: Option<String>,
    /// Its turns that are not copies, in order.
    pub turns: Vec<StoredContent>,
}

impl Reader {
    /// Returns a session's title and the contents of its turns that are not copies, in order.
    ///
    /// # Errors
    /// When the database fails.
    pub fn session_contents(&self, session: SessionId) -> Result<SessionContents> {
        let title = self.session_title(session)?;
        let turns = self.contents_without_copies(session)?;
        Ok(SessionContents { title, turns })
    }

    /// Returns a session's title in its history.
    ///
    /// # Errors
    /// When the database fails.
    pub fn session_title(&self, session: SessionId) -> Result<Option<String>> {
        let select = "SELECT coalesce(title, given_title) FROM sessions WHERE id = ?1";
        Ok(self
            .db
            .first(select, [session], |row| row.get(0))?
            .flatten())
    }

    /// Returns the texts of which the index holds a vector by this model: those of a session, or of any where the model's
    /// [texts are indexed](crate::Writer::index_texts).
    ///
    /// # Errors
    /// When the database fails.
    pub fn embedded_texts(
        &self,
        model: &ModelRow,
        session: SessionId,
    ) -> Result<EmbeddedTexts<'_>> {
        Ok(EmbeddedTexts {
            of_session: self.text_hashes(model.id, session)?,
            of_all: model.finds_texts.then_some(IndexedTexts {
                index: self,
                model: model.id,
            }),
        })
    }

    /// Returns the number of dead rows of a model's matrix as deletions have noted it: to count them takes 10 ms of a
    /// million.
    pub(crate) fn noted_dead_rows(&self, model: ModelId, kind: DocumentKind) -> Result<usize> {
        let select = format!("SELECT {}_dead FROM models WHERE id = ?1", kind.name());
        let dead: i64 = self.db.single(&select, [model], |row| row.get(0))?;
        Ok(usize::try_from(dead).unwrap_or_default())
    }

    /// Counts the rows of a model's matrix that belong to no turn or session any more: for a purge, which does not
    /// rely on what was noted.
    pub(crate) fn count_dead_rows(&self, model: &ModelRow, kind: DocumentKind) -> Result<usize> {
        let live = self.live_rows(model, kind)?.len();
        Ok(model.rows(kind).saturating_sub(live))
    }

    /// Counts the sessions whose current revision a model has embedded.
    ///
    /// # Errors
    /// When the database fails.
    pub fn embedded_sessions(&self, model: ModelId) -> Result<u64> {
        let select = "SELECT count(*) FROM embedded e JOIN sessions s ON s.id = e.session
             WHERE e.model = ?1 AND e.revision = s.revision";
        Ok(self
            .db
            .single(select, [model], |row| row.get::<_, i64>(0))?
            .cast_unsigned())
    }
}

/// The texts of which the index holds a vector by some model.
pub struct EmbeddedTexts<'r> {
    /// Hashes of those of the session.
    of_session: FxHashSet<i64>,
    /// Those of all sessions, where the model's texts are indexed.
    of_all: Option<IndexedTexts<'r>>,
}

/// The texts of all sessions by a model whose [texts are indexed](crate::Writer::index_texts).
struct IndexedTexts<'r> {
    index: &'r Reader,
    model: ModelId,
}

impl EmbeddedTexts<'_> {
    /// Returns true if the index holds a vector of this text.
    ///
    /// # Errors
    /// When the database fails.
    pub fn has(&self, text: &str) -> Result<bool> {
        let hash = text_hash(text);
        match &self.of_all {
            _ if self.of_session.contains(&hash) => Ok(true),
            Some(all) => Ok(all.index.find_text(all.model, hash)?.is_some()),
            None => Ok(false),
        }
    }
}
