//! From a query to hits at three levels.
//!
//! [`search`] answers a [`Request`] from a [`Reader`](session_store::Reader):
//! BM25 from the word index and, with a query vector ([`Dense`]), cosines from
//! the matrices, fused into one ranking of sessions or of turns. Each [`Hit`]
//! keeps what both lists said of it. [`resolve`] finds the session that a user
//! names by the beginning of its id, and [`show`] reads turns again in full
//! from the history, or from the index when the history is gone. [`walk`] looks
//! at turn after turn, for what no ranking is needed.
//!
//! No model runs here: the query vector comes ready, so that search is tested
//! without one.
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
mod candidates;
mod context;
mod cosine_stats;
mod dense;
mod filtered_index;
mod fusion_weights;
mod hit;
mod identifiers;
mod lexical;
mod model_scores;
mod request;
mod resolve;
mod search;
mod show;
mod snippet;
mod tuning;
mod walk;

pub use cosine_stats::{CosineStats, DenseScale};
pub use dense::Dense;
pub use filtered_index::is_of_project;
pub use fusion_weights::{FusionWeights, ListWeight};
pub use hit::{Explanation, Hit, Results, Searched};
pub use request::{Level, Ranking, Request};
pub use resolve::{Resolved, resolve};
pub use search::search;
pub use show::{Exchange, Origin, show};
pub use tuning::Tuning;
pub use walk::{Met, walk};
