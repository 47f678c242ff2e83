//! Reads the candidates: what the index holds for a query.

use crate::cosines::{DenseCosines, ModelVectors, QueryEmbedding};
use crate::exact_holders::{self, ExactTermHolders};
use crate::exact_terms::ExactTerms;
use crate::filtered_index::FilteredIndex;
use crate::lexical::LexicalCandidates;
use crate::request::{FusionMode, SearchRequest};
use crate::unheld_names::UnheldNames;
use session_core::parallel::run_both;
use session_store::{Reader, StoreError};

/// All that the index holds for a query. The stages that rank it compute from it alone.
pub(crate) struct Candidates<'a> {
    /// Empty with [`FusionMode::DenseOnly`].
    pub(crate) lexical: LexicalCandidates,
    /// The share of the query's terms that some turn holds, 0 to 1.
    pub(crate) held_term_share: f32,
    pub(crate) unheld_names: UnheldNames,
    pub(crate) cosines: DenseCosines<'a>,
    pub(crate) exact: ExactTerms,
    pub(crate) holders: ExactTermHolders,
}

/// Fewest rows of all matrices for which a second thread pays for its start.
const MIN_ROWS_FOR_THREAD: usize = 512;

impl<'a> Candidates<'a> {
    /// Reads the candidates of a query from the index.
    pub(crate) fn read(
        index: &Reader,
        filtered: &FilteredIndex<'_>,
        request: &SearchRequest,
        embeddings: &'a [QueryEmbedding],
    ) -> Result<Self, StoreError> {
        let vectors = match request.fusion {
            FusionMode::LexicalOnly => Vec::new(),
            _ => ModelVectors::open(index, filtered, embeddings)?,
        };
        let read_words = || LexicalCandidates::read(index, filtered, &request.query);
        let rows: usize = vectors.iter().map(ModelVectors::count_rows).sum();
        let (lexical, cosines) = if rows >= MIN_ROWS_FOR_THREAD {
            // The index is read by this thread alone, mapped matrices are not.
            run_both(read_words, || DenseCosines::new(&vectors))
        } else {
            (read_words(), DenseCosines::new(&vectors))
        };
        let cosines = cosines.map_err(|damaged| damaged.into_error(index))?;
        let words = lexical?;
        let held_term_share = words.held_term_share();
        let unheld_names = UnheldNames::new(&request.query, &words.matches);
        let lexical = match request.fusion {
            FusionMode::DenseOnly => LexicalCandidates::default(),
            _ => words,
        };
        let exact = ExactTerms::read(index, filtered, &request.query, &lexical)?;
        Ok(Self {
            holders: exact_holders::find_holders(&exact, &lexical),
            exact,
            lexical,
            held_term_share,
            unheld_names,
            cosines,
        })
    }
}
