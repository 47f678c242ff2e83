//! Exclusion from the index: of what the user asked to forget, and of what the rules of the configuration
//! exclude.
//!
//! [`ForgottenRecords`] is a file of the user's own data. It holds keyed hashes: of a session that of its
//! id, of a turn those of its number and of the keys of its copies. Neither texts nor ids are kept, and
//! another machine has another key. [`ExcludeSettings`] are the standing rules: projects, paths, patterns.
//!
//! [`Exclusions`] joins records and rules. It is asked while histories are read, and [`Exclusions::apply`]
//! removes from an index what is excluded. The index notes which state was applied to it, so that the next
//! writer continues a removal that was killed. [`ForgetRequest`] finds what a user names, and
//! [`ForgetPlan::forget_and_purge`] forgets it.
//!
//! ```
//! use session_forget::{ExcludeSettings, Exclusions, ForgottenRecords};
//! use session_core::SessionMeta;
//!
//! let home = tempfile::tempdir().unwrap();
//! let records = ForgottenRecords::open(&home.path().join("forgotten.json")).unwrap();
//! let settings = ExcludeSettings { projects: vec!["secret-lab".into()], ..ExcludeSettings::default() };
//! let exclusions = Exclusions::new(records, &settings).unwrap();
//! let session = SessionMeta { cwd: Some("/home/ann/secret-lab".into()), ..SessionMeta::default() };
//! assert!(exclusions.excludes_session("claude", &session));
//! ```

mod apply;
mod counts;
mod entry;
mod error;
mod exclusions;
mod indexed_session;
mod item;
mod marker;
mod matched_line;
mod plan;
mod records;
mod request;
mod request_titles;
mod subagents;
#[cfg(test)]
mod test_index;
mod titles;
mod typed_name;
mod unrecoverable;

pub use counts::ContentCounts;
pub use entry::{ForgetReason, ForgottenEntry};
pub use error::ForgetError;
pub use exclusions::{ExcludeSettings, ExcludedSession, Exclusions};
pub use marker::{MARKER, MarkerPosition, find_marker};
pub use plan::{ForgetPlan, PlannedCopy, PlannedTitle, PlannedTurn};
pub use records::ForgottenRecords;
pub use request::{ForgetRequest, ForgetTarget, MatchingSessions};
pub use typed_name::{TypedNameError, check_project_name, parse_forget_pattern};
