//! Arguments of `show`.

use super::values::{named_values, parse_count};
use clap::{Args, ValueEnum};
use session_output::TurnItemKind;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search show a1b2c3d4                 # all turns
  session-search show a1b2c3d4:7               # one turn, counted from 0
  session-search show a1b2c3d4:5-9             # turns 5 to 9
  session-search show a1b2c3d4:5-              # turn 5 and all that follow
  session-search show a1b2c3d4:last            # the last turn
  session-search show a1b2c3d4:7 --context 2   # turns 5 to 9, too
  session-search show a1b2c3d4 --only commands
  session-search show a1b2c3d4:7 --only edits  # the diffs of one turn
  session-search show a1b2c3d4 --format markdown > session.md

On a terminal long outputs are cut, unless --full is given, and what is longer than the screen goes \
through $PAGER, else `less -R`. Elsewhere texts are cut only after 256 KB, and commands in lists \
(--only commands, too) after 2,000 bytes.")]
pub struct ShowArgs {
    /// Session id or prefix, with turns: ID, ID:7, ID:5-9, ID:5-, ID:last
    #[arg(value_name = "ID[:TURNS]")]
    pub id: String,
    /// Print only this
    #[arg(long, value_name = "KIND", value_parser = named_values(&TurnItemKind::ALL, TurnItemKind::name, |_, value| value))]
    pub only: Option<TurnItemKind>,
    /// Turns of context before and after
    #[arg(long, short = 'C', value_name = "N", default_value_t = 0, value_parser = parse_count, allow_negative_numbers = true)]
    pub context: u32,
    /// Shorten outputs and long inputs to a few lines; with --json, but for --only, to some 28,000 characters in all
    #[arg(long)]
    pub brief: bool,
    /// Do not shorten, on a terminal either (256 KB per text at most)
    #[arg(long, conflicts_with = "brief")]
    pub full: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: ShowFormat,
    /// Print JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Show keys and passwords, too; asks on the terminal
    #[arg(long)]
    pub unredacted: bool,
    /// Do not use a pager
    #[arg(long)]
    pub no_pager: bool,
}

impl ShowArgs {
    /// Returns true when JSON is wanted.
    pub fn prints_json(&self) -> bool {
        self.json || self.format == ShowFormat::Json
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    Text,
    Markdown,
    Json,
}
