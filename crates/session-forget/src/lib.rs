//! Exclusion from the index: of what the user asked to forget, and of what the rules of the configuration
//! exclude.
//!
//! [`ForgottenRecords`] remembers by keyed hashes, in a file of the user's own data: a session by its id,
//! a turn by its number and by the keys of its copies. Neither text nor ids are kept, and the key makes
//! the hashes of other machines different. [`ExcludeSettings`] are the standing rules: projects, paths,
//! patterns. [`Exclusions`] answers both while histories are read, and [`Exclusions::apply`] removes from
//! an index what it says; an index notes the state that was applied to it, so that a killed removal is
//! taken up by the next writer. [`ForgetRequest`] finds what a user names, and [`ForgetPlan::forget_and_purge`]
//! forgets it.
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
mod narrowed;
mod plan;
mod records;
mod request;
mod request_titles;
mod subagents;
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
