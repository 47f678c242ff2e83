//! What was done: in a session, on a day, over time.
//!
//! [`turns`] reads a session's turns from the index, as [`Told`]. [`Work::of`]
//! makes of them what one wants to know afterwards: the problem and the
//! solution in a sentence or two, commands with how they ended, files with what
//! was done to them, errors, pull requests, time, tokens. It is a pure
//! function. [`digest`] does this for all sessions of a stretch of time, by
//! project, each with its own turns of that time and with those of its
//! subagents; [`stats`] counts by day. Days come as [`Range`](std::ops::Range)s
//! of milliseconds: where a day begins is the caller's to know.
//!
//! ```
//! use session_core::{PromptKind, TurnContent};
//! use session_report::{Told, Work};
//! use session_store::TurnRow;
//!
//! let content = TurnContent {
//!     prompt: "The tests die with EMFILE, too many open files.".into(),
//!     answer: "Let me look.\n\nThe watcher leaked a handle a file. It closes them now.".into(),
//!     closing: 14,
//!     ..TurnContent::default()
//! };
//! let minutes = |n: i64| Some(n * 60_000);
//! let row = TurnRow { kind: PromptKind::Typed, started_ms: minutes(0), ended_ms: minutes(5), ..TurnRow::default() };
//! let work = Work::of(&[Told { row, content }]);
//! assert_eq!(work.solution.unwrap(), "The watcher leaked a handle a file. It closes them now.");
//! assert_eq!(work.active_ms, 5 * 60_000);
//! ```

mod digest;
mod prose;
mod stats;
mod time;
mod told;
mod work;

pub use digest::{Project, Session, digest};
pub use prose::sentences;
pub use stats::{Day, stats};
pub use told::{Told, turns};
pub use work::{Command, File, Work};
