//! The filters of `search` and of what lists turns.

use super::WorkFilterArgs;
use clap::{ArgAction, Args, ValueHint};

// Conditions; all given must hold.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters")]
pub struct FilterArgs {
    #[command(flatten)]
    pub work: WorkFilterArgs,
    /// File that was read or changed, or part of its path
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub file: Option<String>,
    /// Only this session, by id or prefix
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Exclude this session; may be repeated
    #[arg(long, value_name = "ID", action = ArgAction::Append)]
    pub exclude_session: Vec<String>,
    /// Include the session that runs this command
    #[arg(long)]
    pub include_current: bool,
    /// Include subagents
    #[arg(long)]
    pub subagents: bool,
}

impl FilterArgs {
    /// Returns true when something narrows what is found.
    pub fn is_given(&self) -> bool {
        let WorkFilterArgs {
            project,
            source,
            time,
            branch,
        } = &self.work;
        let texts = [project, source, branch, &self.file, &self.session];
        texts.iter().any(|text| text.is_some())
            || time.is_given()
            || !self.exclude_session.is_empty()
    }
}
