//! Arguments of `fix`.

use super::FilterArgs;
use super::values::parse_limit;
use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search fix 'error: linking with `cc` failed: exit status: 1'
  npm test 2>&1 | session-search fix
  session-search fix --project . \"ECONNREFUSED 127.0.0.1:5432\" --json

An error is known by its line without numbers, paths, times and ids. A cure is what was done \
after a command failed with it until the same command succeeded in that session: files that were \
changed, commands that were run, and the answer. Cures of this project come first. Where no cure is \
known, the turns that failed with it are listed, newest first, and the exit code is 1. Commands that \
only read or search are left out: `commands --failed` lists their failures.", mut_arg("subagents", |arg| arg.hide(true)))]
pub struct FixArgs {
    /// The error, or the output of the command; without it stdin is read
    #[arg(allow_hyphen_values = true, value_name = "ERROR")]
    pub error: Option<String>,
    /// Command that failed; edits that cured another program are left out
    #[arg(long, value_name = "CMD")]
    pub command: Option<String>,
    /// Maximum number of cures, or of turns without one
    #[arg(long, short = 'n', value_name = "N", default_value_t = 5, value_parser = parse_limit, allow_negative_numbers = true)]
    pub limit: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub filter: FilterArgs,
}
