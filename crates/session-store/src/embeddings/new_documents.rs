//! Stores the documents of a session that was embedded while it was read.

use crate::embeddings::vectors::{DocumentExtent, DocumentRow};
use crate::error::Result;
use crate::id::{SessionId, TurnId};
use crate::model::ModelRow;
use crate::writer::Writer;

/// The documents of a session that was read as a whole, with their vectors by one model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewDocuments {
    /// The title of which a document was made.
    pub title: Option<String>,
    /// The number of its turns.
    pub turns: usize,
    /// The documents.
    pub documents: Vec<NewDocument>,
}

/// A document of a turn whose number the index has yet to give, as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewDocument {
    /// Index of the turn in its session; `None` for a chunk of the session.
    turn: Option<u32>,
    /// Without the number of the turn.
    row: DocumentRow,
}

impl NewDocument {
    /// Makes what is stored of a text with its vector, of the turn with this index in its session, or of a chunk of the session.
    pub fn new(turn: Option<u32>, text: &str, vector: &[f32]) -> Self {
        let row = DocumentRow::new(None, text, Some(vector));
        Self { turn, row }
    }
}

impl NewDocuments {
    /// Returns the bytes that they take, about.
    pub fn bytes(&self) -> usize {
        let bytes = |document: &NewDocument| size_of::<NewDocument>() + document.row.vector.bytes();
        self.documents.iter().map(bytes).sum()
    }
}

impl Writer {
    /// Stores the documents of the session that was inserted last, and returns whether it did: they are left to be
    /// made from the index where the session has another title or other turns by now, or one that is a copy. The
    /// documents get the numbers of their turns.
    ///
    /// # Errors
    /// When the disk or the database fails.
    pub fn store_new_documents(
        &mut self,
        model: &ModelRow,
        session: SessionId,
        new: &mut NewDocuments,
    ) -> Result<bool> {
        self.begin()?;
        let Some(turns) = self.session_progress.new_session.unchanged_turns(session) else {
            return Ok(false);
        };
        if turns.len() != new.turns || self.reader.session_title(session)? != new.title {
            return Ok(false);
        }
        if number_documents(&mut new.documents, turns).is_none() {
            return Ok(false);
        }
        let Some(pending) = self.reader.pending_session(session)? else {
            return Ok(false);
        };
        let rows = new.documents.iter().map(|document| &document.row);
        self.store_rows(model, pending, rows, DocumentExtent::Complete)?;
        Ok(true)
    }
}

/// Gives each document the number of its turn; `None` if a turn has none.
fn number_documents(documents: &mut [NewDocument], turns: &[TurnId]) -> Option<()> {
    for NewDocument { turn, row } in documents {
        row.turn = match turn {
            Some(index) => Some(*turns.get(*index as usize)?),
            None => None,
        };
    }
    Some(())
}
