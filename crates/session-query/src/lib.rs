//! A query over a history that is still being written.
//!
//! [`SearchEngine`] joins what a front end needs: the configuration, the models, the rules.
//! [`QueryModels`] knows which models answer, the chosen one first, and embeds a query by each, with a
//! cache of query vectors on disk. [`LiveIndex`] brings the index up to date while the old state already
//! answers: [`LiveIndex::refresh_for_query`] reads as many changes as a query can wait for.
//! [`LiveIndex::answer`] refreshes while a query runs, and runs the query again if something changed.
//!
//! [`OpenIndex`] stays open in a process that runs many queries. [`CureSearch`] finds what cured an error,
//! [`FailedCommandSearch`] what failed, [`find_continuation`] the session in which another goes on.
//!
//! [`TypedQuery`] splits a query from the filters that are typed in it; [`complete`] completes a filter. A
//! [`ResolvedQuery`] has the clauses of the filters. A [`TypedSearch`] answers the query with these filters and those of
//! the options, and a [`ResolvedFilter`] excludes the calling sessions.
//!
//! [`IndexStatus`] counts what the index holds and tells how fresh it is. [`EmbeddingEta`] estimates how long its vectors
//! will take, and [`ModelOverview`] lists the installed models. [`use_model`] and [`use_endpoint`] write into the
//! configuration which model is in use.
//!
//! [`DemoIndex`] is a small history that ships in the binary, and an [`EvalIndex`] that of a labelled set.
//!
//! A [`SessionArgument`] is a session with its turns as it is typed, [`find_session`] finds it, and a [`ForgetSelection`] is
//! what a user names to forget.
//!
//! Nothing is printed and no option is parsed here; ranking is in `session-search`.
//!
//! ```
//! use session_query::LiveIndex;
//! use session_indexer::{ReadPolicy, SilentProgress};
//! use session_sources::Env;
//!
//! let home = tempfile::tempdir().unwrap();
//! let env = Env::with_home(home.path());
//! let root = home.path().join("index");
//! let table = session_embed::open_bundled_table().unwrap();
//! let live = LiveIndex { root: &root, env: &env, table: table.as_ref(), policy: &ReadPolicy::default(), progress: &|| Box::new(SilentProgress) };
//! assert!(live.refresh_for_query().unwrap().is_complete());
//! ```

mod address_beginnings;
mod continuation;
mod cure_search;
mod day_question;
mod demo_index;
mod embedding_eta;
mod error;
mod eval_index;
mod failed_commands;
mod filter_completion;
mod forget_selection;
mod index_status;
mod invalid_filter;
mod live_index;
mod misplaced_history;
mod misspelt_query;
mod model_choice;
mod model_overview;
mod named_session;
mod open_index;
mod other_home;
mod project_folder;
mod query_models;
mod query_tokens;
mod query_vectors;
mod resolved_filter;
mod resolved_query;
mod search_engine;
mod session_argument;
mod table_cosines;
mod time_in_words;
mod typed_filter_error;
mod typed_query;
mod typed_search;
mod unmet_clause;
mod unused_vectors;

pub use continuation::find_continuation;
pub use cure_search::{
    CureSearch, FailedTurn, FoundCure, FoundCures, MAX_FAILED_TURNS, UNKNOWN_ERROR,
};
pub use demo_index::DemoIndex;
pub use embedding_eta::EmbeddingEta;
pub use error::QueryError;
pub use eval_index::{EvalIndex, EvalSource, PartlyEmbedded};
pub use failed_commands::{FailedCommand, FailedCommandSearch, FailedCommands};
pub use filter_completion::{Completion, FilterValues, complete, find_open_filter};
pub use forget_selection::{ForgetSelection, ForgetSelectionError};
pub use index_status::{IndexStatus, ModelStatus, ProjectSessions, is_embedding};
pub use invalid_filter::InvalidFilter;
pub use live_index::{
    LiveAnswer, LiveIndex, QueryRefresh, REFRESH_BUDGET, Snapshot, SnapshotAnswer,
};
pub use misplaced_history::{MisplacedHistory, find_misplaced_history};
pub use model_choice::{use_endpoint, use_model};
pub use model_overview::{EmbeddedSessions, ModelOverview};
pub use open_index::{OpenIndex, RefreshedAnswer};
pub use other_home::OtherHome;
pub use project_folder::{find_folder_of_all, parse_project};
pub use query_models::{QueryModels, UnembeddedSessions, embed_query};
pub use query_vectors::ModelFailure;
pub use resolved_filter::ResolvedFilter;
pub use resolved_query::{ResolvedQuery, UnfinishedQuery};
pub use search_engine::SearchEngine;
pub use session_argument::{SessionArgument, SessionIdError, find_session};
pub use time_in_words::{TimeSuggestion, format_time_filter};
pub use typed_filter_error::TypedFilterError;
pub use typed_query::{FilterField, TypedCondition, TypedQuery, parse_agent};
pub use typed_search::{SearchAnswer, TypedSearch};
pub use unmet_clause::find_unmet_clause;
pub use unused_vectors::{VectorVersions, delete_unused_vectors};
