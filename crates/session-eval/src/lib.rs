//! How well search finds what it should, on questions with known answers.
//!
//! A [`LabelledSet`] is a folder: questions, and for each the sessions or turns
//! that answer it. [`run`] asks them of an index, verbatim, and gives a
//! [`EvaluatedRanking`] a question; [`score`] compares it with the labels ([`Metrics`]:
//! hit@k, R@k, MRR@10, nDCG@10, binary gains) and averages them
//! ([`Report`]). [`run_lines`] writes the rankings for another judge.
//!
//! ```
//! use session_eval::Metrics;
//! use std::collections::HashSet;
//!
//! let ranked = ["b".to_owned(), "a".to_owned()];
//! let metrics = Metrics::measure(&ranked, &HashSet::from(["a".to_owned()]));
//! assert_eq!(metrics.hit_at_1, 0.0);
//! assert_eq!(metrics.mrr_at_10, 0.5);
//! ```

mod kept_index;
mod metrics;
mod report;
mod run;
mod set;

pub use kept_index::claim_index;
pub use metrics::Metrics;
pub use report::{Averages, Report, score};
pub use run::{EvalOptions, EvaluatedRanking, run, run_lines};
pub use set::{EvalError, LabelledQuestion, LabelledSet, Scope};
