//! Measures how well search answers questions whose answers are known.
//!
//! A [`LabelledSet`] is a folder of questions, each with the sessions or turns that answer
//! it. [`evaluate`] searches an index for each question verbatim and returns its
//! [`EvaluatedRanking`]. [`score_rankings`] compares the rankings with the labels ([`RankingMetrics`]:
//! hit@k, R@k, MRR@10, nDCG@10, binary gains) and averages the metrics
//! ([`EvalReport`]). [`format_run`] writes the rankings for another judge.
//!
//! ```
//! use session_eval::RankingMetrics;
//! use std::collections::{HashMap, HashSet};
//!
//! let ranked = ["b".to_owned(), "a".to_owned()];
//! let metrics = RankingMetrics::measure(&ranked, &HashSet::from(["a".to_owned()]));
//! let named: HashMap<_, _> = RankingMetrics::NAMES.into_iter().zip(metrics.values()).collect();
//! assert_eq!((named["hit@1"], named["MRR@10"]), (0.0, 0.5));
//! ```

mod kept_index;
mod metrics;
mod report;
mod run;
mod set;
mod tuning;

pub use kept_index::claim_index;
pub use metrics::RankingMetrics;
pub use report::{EvalReport, MetricAverages, score_rankings};
pub use run::{EvalOptions, EvaluatedRanking, evaluate, format_run};
pub use set::{EvalError, LabelledQuestion, LabelledSet, QuestionScope};
pub use tuning::TuningConstant;
