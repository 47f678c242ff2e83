//! Arguments of `files` and `commands`.

use super::FilterArgs;
use super::values::parse_limit;
use clap::{Args, ValueHint};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search files compose.yaml
  session-search files src/net --project homelab --days 30
  session-search files /home/ann/app/Makefile --json
  session-search files --session a1b2c3d4
  session-search files compose.yaml --changed

Each turn says what was done to the file: read, edited or written whole. Upper and lower \
case are the same, and * stands for anything. Turns of subagents are listed, too, though `search` \
finds them only with --subagents.")]
pub struct FilesArgs {
    /// Path or part of one; `*` matches anything; with a filter all without it
    #[arg(allow_hyphen_values = true, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub path: Option<String>,
    /// Only turns that changed it
    #[arg(long)]
    pub changed: bool,
    #[command(flatten)]
    pub listed: TurnListingArgs,
}

// Which of the turns that are found are listed, and how. --subagents is taken, since the other commands with filters
// have it, but what subagents did is always listed.
#[derive(Debug, Args)]
#[command(mut_arg("subagents", |arg| arg.hide(true)))]
pub struct TurnListingArgs {
    /// Maximum number of turns
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = parse_limit, allow_negative_numbers = true)]
    pub limit: usize,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub filter: FilterArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search commands \"docker compose\"
  session-search commands \"cargo * --release\" --days 30
  session-search commands docker --failed
  session-search commands --failed --session a1b2c3d4

With --failed each run has the line that tells most of its error, and the turn in which the same work \
succeeded later. Without a pattern, searches that failed because they found nothing (rg, grep, \
test, diff) are left out and counted.

Turns that ran the pattern's first word as a program come first, then those that mention it as a word, \
then those that hold it as part of a word; newest first within each. Upper and lower case are the same, and \
* stands for anything. With a space at its end, as in \"act \", a pattern matches whole words alone. \
Turns of subagents are listed, too, though `search` finds them only with --subagents.")]
pub struct CommandsArgs {
    /// Part of a command; `*` matches anything; with --failed or a filter all without it
    #[arg(allow_hyphen_values = true, value_name = "PATTERN")]
    pub pattern: Option<String>,
    /// Only runs that failed
    #[arg(long)]
    pub failed: bool,
    /// With --failed: also searches that only found nothing
    #[arg(long, requires = "failed")]
    pub all: bool,
    #[command(flatten)]
    pub listed: TurnListingArgs,
}
