//! The first stage: what the index holds for a query.

use crate::cosines::{self, ModelCosines, QueryEmbedding};
use crate::filtered_index::FilteredIndex;
use crate::identifiers::{self, IdentifierHolders};
use crate::lexical::LexicalCandidates;
use crate::request::{FusionMode, Request};
use session_store::{Reader, StoreError};

/// All that the index holds for a query. The stages that rank it compute from it alone.
pub(crate) struct Candidates<'a> {
    pub(crate) lexical: LexicalCandidates,
    pub(crate) cosines: Vec<ModelCosines<'a>>,
    pub(crate) holders: IdentifierHolders,
}

impl<'a> Candidates<'a> {
    /// Reads the candidates of a query from the index.
    pub(crate) fn read(
        index: &Reader,
        filtered: &FilteredIndex<'_>,
        request: &Request,
        embeddings: &'a [QueryEmbedding],
    ) -> Result<Self, StoreError> {
        let lexical = match request.fusion {
            FusionMode::DenseOnly => LexicalCandidates::default(),
            _ => LexicalCandidates::read(index, filtered, &request.query)?,
        };
        let cosines = match request.fusion {
            FusionMode::LexicalOnly => Vec::new(),
            _ => cosines::read(index, filtered, embeddings)?,
        };
        Ok(Self {
            holders: identifiers::find_holders(index, filtered, &request.query, &lexical)?,
            lexical,
            cosines,
        })
    }
}
