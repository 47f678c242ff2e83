//! From a query to hits at two levels, sessions and turns.
//!
//! [`search`] answers a [`SearchRequest`] in stages, each a file:
//!
//! 1. `filtered_index`: the [`SearchFilter`] is computed once into an immutable set.
//! 2. `candidates`: turns by word (`lexical`), cosines by vector (`cosines`), the holders of
//!    the query's exact terms (`exact_terms`, `exact_holders`) are read from the index. The ranking reads nothing.
//! 3. `ranking`: what is nearest (`nearest`), fusion (`fused_list`, `dense`, `fusion_weights`), the context of the
//!    session (`session_scores`), rare exact terms (`promotion`), probabilities (`calibration`).
//! 4. `rescoring`: where rounded vectors leave the order of hits open, they are ranked again by cosines of their texts.
//! 5. `hit_reader`: each [`SearchHit`] with a preview.
//!
//! No model runs here, so that search is tested without one: the query comes embedded ([`QueryEmbedding`]), and
//! [`TextCosines`] compares texts with it. `docs/ranking.md` has the formulas.
//!
//! [`resolve_session_uid`] finds the session that a user names by the beginning of its id. [`read_exchanges`] reads turns
//! again in full from the history, or from the index if the history is gone. Without ranking, [`list_newest`] lists what
//! a filter lets through, and [`find_file_turns`], [`find_command_turns`] and [`find_error_turns`] list turns by what they
//! hold.
//!
//! ```
//! use session_search::{SearchRequest, search};
//! use session_store::{Reader, StoreError, Writer};
//!
//! let home = tempfile::tempdir().unwrap();
//! drop(Writer::open(home.path()).unwrap());
//! let index = Reader::open(home.path()).unwrap();
//! let found = search(&index, &index.sessions().unwrap(), &SearchRequest::new("docker bridge"), &[]).unwrap();
//! assert!(found.hits.is_empty());
//! ```

mod calibration;
mod candidate_list;
mod candidates;
mod cosine_stats;
mod cosines;
mod dense;
mod error_search;
mod exact_holders;
mod exact_match;
mod exact_terms;
mod exchanges;
mod filter;
mod filtered_index;
mod find_turns;
mod folded_text;
mod fused_list;
mod fusion_weights;
mod hit_reader;
mod lexical;
mod line_pattern;
mod listings;
mod model_scores;
mod nearest;
mod newest;
mod passage;
mod promotion;
mod ranking;
mod request;
mod rescoring;
mod resolved_session;
mod search;
mod search_results;
mod session_scores;
mod snippet;
mod snippet_words;
mod tuning;
mod unfound_terms;
mod unheld_names;
mod unlisted_history;

pub use cosine_stats::CosineStats;
pub use cosines::QueryEmbedding;
pub use error_search::ErrorSearch;
pub use exchanges::{Exchange, TurnOrigin, read_exchanges, redact_session_row};
pub use filter::{FilterClause, FilterCondition, ProjectPattern, SearchFilter, UnmetClause};
pub use find_turns::FoundTurn;
pub use fusion_weights::{FusionWeights, ListWeight};
pub use line_pattern::LinePattern;
pub use listings::{
    CommandPattern, FoundCommand, find_change_turns, find_command_turns, find_error_turns,
    find_file_turns,
};
pub use newest::list_newest;
pub use request::{FusionMode, Level, SearchRequest};
pub use rescoring::TextCosines;
pub use resolved_session::{ResolvedSession, resolve_session_uid};
pub use search::search;
pub use search_results::{HitOrder, SearchExplanation, SearchHit, SearchResults, SearchedCounts};
pub use tuning::{RankingConstant, RankingTuning};
pub use unfound_terms::{SpellingCorrection, SubstitutedTerm, UnfoundTerms};
pub use unlisted_history::unmark_unlisted;
