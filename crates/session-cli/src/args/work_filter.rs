//! The filters of a report of work.

use super::values::agent_name_parser;
use super::{TimeArgs, format_source_help};
use clap::{Args, ValueHint};

// The sessions and turns of a report. A report has no words: what a turn names is no condition.
#[derive(Debug, Clone, Default, Args)]
pub struct WorkFilterArgs {
    #[command(flatten)]
    pub time: TimeArgs,
    /// Project, by name, path or part of one; `.` is the current folder
    #[arg(long, value_name = "NAME|PATH", value_hint = ValueHint::DirPath)]
    pub project: Option<String>,
    // Its help is made of the agents' names.
    #[arg(long, value_name = "AGENT", value_parser = agent_name_parser(), hide_possible_values = true, alias = "agent", help = format_source_help())]
    pub source: Option<String>,
    /// Git branch
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
}
