//! Arguments of `trust`.

use clap::{Args, ValueHint};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search trust                         # shows what waits here, and asks
  session-search trust mem-20260110-091500     # one memory
  session-search trust --list                  # what is trusted, by project
  session-search trust --revoke                # take it back for this project

Memories that came with a repository are found, but never injected until you trust them. \
Trust is for the present text: after a pull changes it, the memory waits again. What you save with this \
program, or change in your editor by `memory edit`, needs no trust; a memory that you change by options keeps its own. \
It asks on a terminal; nothing else can answer.")]
pub struct TrustArgs {
    /// Memories by id or file [default: all that wait]
    #[arg(value_name = "MEMORY", value_hint = ValueHint::FilePath)]
    pub memories: Vec<String>,
    /// List trusted memories, and those that wait here
    #[arg(long, conflicts_with_all = ["memories", "revoke"])]
    pub list: bool,
    /// Revoke trust of these memories, or of all of this project
    #[arg(long)]
    pub revoke: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
