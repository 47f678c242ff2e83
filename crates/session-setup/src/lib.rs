//! The decisions of setup, asked step by step.
//!
//! Nothing has to be decided: the program works as it is installed. [`run_steps`] goes through what a user
//! may want to decide: which model makes the vectors, how long Claude Code keeps its history, whether it
//! gets the skill and loads it without asking, and what other agents get. [`SetupOptions`] decide some of
//! it beforehand. A [`ConsentDialog`] asks for the rest if somebody is there to answer.
//!
//! Every step shows what it would write, asks for consent, and returns its [`StepOutcome`]: written,
//! unchanged, skipped by the user, wanted by the options and waiting for `--yes`, or failed. A file of an agent is
//! changed by [`confirm_and_write`], with a backup of the old text. A file that cannot be changed does not stop the setup
//! of other agents ([`AgentFailures`]). [`undo_setup`] takes back what was written.
//!
//! The dialog has its streams from the caller, so that a test answers as a user would:
//!
//! ```
//! use session_setup::ConsentDialog;
//!
//! let (mut input, mut output) = (&b"y\n"[..], Vec::new());
//! let mut dialog = ConsentDialog { input: &mut input, output: &mut output, is_interactive: true, assume_yes: false, columns: None };
//! assert!(dialog.confirm("Install it?")?);
//! assert_eq!(output, b"Install it? [y/N] ");
//! # Ok::<(), std::io::Error>(())
//! ```

mod agents_step;
mod change;
mod dialog;
mod error;
mod history_step;
mod model_step;
mod options;
mod outcome;
mod permission_step;
mod setup;
mod setup_record;
mod skill_step;
mod written_settings;

pub use agents_step::{AgentOutcomes, UndoneSetup, undo_setup};
pub use change::confirm_and_write;
pub use dialog::ConsentDialog;
pub use error::{Result, SetupError};
pub use options::{SetupOptions, SkillChoice};
pub use outcome::{AgentFailures, StepOutcome, StepOutcomes};
pub use setup::{NewProgress, run_steps};

#[cfg(test)]
mod tests;
