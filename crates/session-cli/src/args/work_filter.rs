//! The filters that searches and reports of work have in common.

use super::TimeArgs;
use super::values::agent_names;
use clap::{Args, ValueHint};

// The sessions and turns of a report. A report has no words: what a turn names is no condition.
#[derive(Debug, Clone, Default, Args)]
pub struct WorkFilterArgs {
    /// Project, by name, path or part of one; `.` is the current folder
    #[arg(long, alias = "repo", value_name = "NAME|PATH", value_hint = ValueHint::DirPath)]
    pub project: Option<String>,
    // Its help is made of the agents' names.
    #[arg(long, value_name = "AGENT", value_parser = agent_names(), hide_possible_values = true, alias = "agent", help = format_source_help())]
    pub source: Option<String>,
    #[command(flatten)]
    pub time: TimeArgs,
    /// Git branch
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
}

fn format_source_help() -> String {
    let names = session_sources::agents().map(|agent| agent.name);
    format!("Agent: {}", session_core::text::join_alternatives(names))
}
