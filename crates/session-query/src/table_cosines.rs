//! Cosines of a query with texts that are embedded anew.

use session_core::{TurnContent, document};
use session_embed::Embedder;
use session_indexer::{chunk_texts, embed_texts};
use session_search::TextCosines;
use session_store::SessionContents;
use std::fmt;
use std::sync::Arc;

/// The cosines of a query with texts by the table, which embeds a text in some microseconds.
pub(crate) struct TableCosines {
    table: Arc<dyn Embedder>,
    /// The query's vector, unit length.
    query: Vec<f32>,
}

impl TableCosines {
    /// Returns the cosines with a query's vector, for a search.
    pub(crate) fn for_query(table: &Arc<dyn Embedder>, query: &[f32]) -> Arc<dyn TextCosines> {
        Arc::new(Self {
            table: Arc::clone(table),
            query: query.to_vec(),
        })
    }

    /// Returns the greatest cosine with some texts; `None` without any.
    fn greatest_cosine(&self, texts: &[&str]) -> Option<f32> {
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
    fn turn_cosine(&self, content: &TurnContent) -> Option<f32> {
        let text = document::build_turn_document(content, self.table.max_document_bytes())?;
        self.greatest_cosine(&[&text])
    }

    fn greatest_chunk_cosine(&self, contents: &SessionContents) -> Option<f32> {
        let texts = chunk_texts(contents, self.table.max_document_bytes());
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.greatest_cosine(&texts)
    }
}

impl fmt::Debug for TableCosines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableCosines").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo_index::DemoIndex;
    use session_indexer::SilentProgress;
    use session_store::DocumentKind;

    /// But for the rounding of the stored ones.
    #[test]
    fn cosines_of_texts_are_those_of_their_vectors() {
        let demo = DemoIndex::create(&|| Box::new(SilentProgress)).unwrap();
        let index = &demo.snapshot.index;
        let table: Arc<dyn Embedder> = session_embed::open_bundled_table().unwrap().into();
        let query = table.embed_query("docker network").unwrap();
        let cosines = TableCosines::for_query(&table, &query);
        let model = index.model(&table.spec().fingerprint()).unwrap().unwrap();
        for kind in DocumentKind::ALL {
            let stored = index.matrix(&model, kind).unwrap().dot(&query).products;
            let owners = index.vector_owners(model.id, kind).unwrap();
            for owner in owners.rows() {
                let known = stored[owner.row];
                let computed = match owner.turn {
                    Some(turn) => cosines.turn_cosine(&index.content(turn).unwrap()),
                    None => {
                        let contents = index.session_contents(owner.session);
                        cosines.greatest_chunk_cosine(&contents.unwrap())
                    }
                };
                let computed = computed.unwrap();
                assert!((computed - known).abs() < 0.003, "{computed} {known}");
            }
            assert!(owners.count() > 5);
        }
    }
}
