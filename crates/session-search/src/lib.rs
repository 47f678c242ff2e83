//! From a query to hits at two levels, sessions and turns.
//!
//! [`search`] answers a [`Request`] in stages, each a file:
//!
//! 1. `filtered_index`: the [`Filter`] is computed once into an immutable set.
//! 2. `candidates`: turns by word (`lexical`), cosines by vector (`cosines`), who holds the
//!    query's identifiers and quoted phrases (`exact_terms`, `identifiers`) are read from the index. Only this stage and the last two read.
//! 3. `ranking`: what is nearest (`nearest`), fusion (`fused_list`, `dense`, `fusion_weights`), the context of the
//!    session (`session_context`), identifiers (`promotion`), probabilities (`calibration`).
//! 4. `rescoring`: where rounded vectors leave the order of hits open, they are ranked again by cosines of their texts.
//! 5. `hits`: each [`Hit`] with a preview.
//!
//! No model runs here: the query comes embedded ([`QueryEmbedding`]) and texts are compared with it by
//! [`TextCosines`], so that search is tested without one. `docs/ranking.md` has the formulas. [`resolve`] finds the session that a user names
//! by the beginning of its id, [`show`] reads turns again in full from the history, or from the index
//! when the history is gone. Without ranking, [`newest`] lists what a filter lets through, and
//! [`find_turns`] visits turn after turn.
//!
//! ```
//! use session_search::{Request, search};
//! use session_store::{Reader, StoreError, Writer};
//!
//! let home = tempfile::tempdir().unwrap();
//! drop(Writer::open(home.path()).unwrap());
//! let index = Reader::open(home.path()).unwrap();
//! let found = search(&index, &index.sessions().unwrap(), &Request::new("docker bridge"), &[]).unwrap();
//! assert!(found.hits.is_empty());
//! ```

mod calibration;
mod candidate_list;
mod candidates;
mod cosine_stats;
mod cosines;
mod dense;
mod error_turns;
mod exact_terms;
mod filter;
mod filtered_index;
mod find_turns;
mod findings;
mod fused_list;
mod fusion_weights;
mod hit;
mod hits;
mod identifier_match;
mod identifiers;
mod lexical;
mod model_scores;
mod nearest;
mod newest;
mod promotion;
mod ranking;
mod request;
mod rescoring;
mod resolve;
mod search;
mod session_context;
mod show;
mod snippet;
mod tuning;
mod turn_patterns;
mod unfound_terms;

pub use cosine_stats::CosineStats;
pub use cosines::QueryEmbedding;
pub use error_turns::find_error_turns;
pub use filter::{Condition, Filter, FilterClause, ProjectPattern, with_subagents};
pub use find_turns::{FoundTurn, find_turns};
pub use findings::{FoundCommand, FoundFile, find_error_lines};
pub use fusion_weights::{FusionWeights, ListWeight};
pub use hit::{Explanation, Hit, HitOrder, Results, Searched};
pub use newest::newest;
pub use request::{FusionMode, Request};
pub use rescoring::TextCosines;
pub use resolve::{Resolved, resolve};
pub use search::search;
pub use session_store::Level;
pub use show::{Exchange, Origin, show, show_rows};
pub use tuning::Tuning;
pub use turn_patterns::{CommandPattern, session_path_matches};
pub use unfound_terms::UnfoundTerms;
