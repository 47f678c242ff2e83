//! Arguments of `forget`.

use super::values::parse_entry;
use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = concat!("\
Examples:
  session-search forget a1b2c3d4            # with its subagents and copies
  session-search forget a1b2c3d4:5-9        # turns 5 to 9
  session-search forget --project client-x
  session-search forget --match 'ACME-[0-9]+' --dry-run
  session-search forget --before 2025-01-01
  session-search forget --list
  session-search forget --undo 3

Words, texts and vectors leave the index and the disk, and are not indexed again. The agents' own histories \
are not touched: what they still hold can be taken back with --undo. To leave something out from the \
beginning: `exclude` in the configuration, or this first or last in a prompt, or on a line of its own, which keeps its session out:

  <!-- session-search: off -->

The keys of the configuration: ", env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/configuration.md"))]
pub struct ForgetArgs {
    /// Sessions, or turns of one: ID, ID:7, ID:5-9
    #[arg(value_name = "ID[:TURNS]")]
    pub ids: Vec<String>,
    /// Sessions of this project, by name, part of its path or whole path; `.` is here
    #[arg(long, alias = "repo", value_name = "PROJECT", conflicts_with = "ids")]
    pub project: Option<String>,
    /// Turns whose words, commands, files or errors match a regular expression, and titles that do; case is ignored, but for `(?-i)`
    #[arg(long = "match", value_name = "REGEX", conflicts_with = "ids")]
    pub pattern: Option<String>,
    /// Sessions that ended before this day (excluded) or time
    #[arg(long, value_name = "TIME", conflicts_with = "ids")]
    pub before: Option<String>,
    /// List all that would be forgotten, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Delete the memories that were saved from it or match --match, too
    #[arg(long)]
    pub memories: bool,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// List what was forgotten: when and how much, not what
    #[arg(long, conflicts_with_all = ["ids", "project", "pattern", "before", "memories", "undo"])]
    pub list: bool,
    /// Undo entry N of --list: index again what the histories still hold
    #[arg(long, value_name = "N", value_parser = parse_entry, allow_negative_numbers = true, conflicts_with_all = ["ids", "project", "pattern", "before", "dry_run", "memories"])]
    pub undo: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
