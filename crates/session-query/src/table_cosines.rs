//! Cosines of a query with texts that are embedded anew.

use session_core::document;
use session_embed::Embedder;
use session_indexer::{chunk_texts, embed_texts, max_document_bytes};
use session_search::TextCosines;
use session_store::{Reader, SessionId, StoreError, TurnId};
use std::fmt;
use std::sync::Arc;

/// A query by the table, which embeds a text in some microseconds.
pub(crate) struct TableCosines {
    pub(crate) table: Arc<dyn Embedder>,
    /// The query's vector, unit length.
    pub(crate) query: Vec<f32>,
}

impl TableCosines {
    /// Bytes of a document.
    fn budget(&self) -> usize {
        max_document_bytes(self.table.spec().max_tokens)
    }

    /// Returns the greatest cosine with some texts; `None` without any.
    fn greatest(&self, texts: &[&str]) -> Option<f32> {
        let vectors = embed_texts(self.table.as_ref(), texts).ok()?;
        let cosines = vectors.iter().flatten().map(|vector| self.cosine(vector));
        cosines.reduce(f32::max)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a cosine")]
    fn cosine(&self, vector: &[f32]) -> f32 {
        let pairs = self.query.iter().zip(vector);
        pairs
            .map(|(x, y)| f64::from(*x) * f64::from(*y))
            .sum::<f64>() as f32
    }
}

impl TextCosines for TableCosines {
    fn turn(&self, index: &Reader, turn: TurnId) -> Result<Option<f32>, StoreError> {
        let text = document::turn_document(&index.content(turn)?, self.budget());
        Ok(text.and_then(|text| self.greatest(&[&text])))
    }

    fn chunks(&self, index: &Reader, session: SessionId) -> Result<Option<f32>, StoreError> {
        let texts = chunk_texts(&index.session_contents(session)?, self.budget());
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Ok(self.greatest(&texts))
    }
}

impl fmt::Debug for TableCosines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableCosines").finish_non_exhaustive()
    }
}
