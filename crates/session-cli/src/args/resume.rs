//! Arguments of `resume`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search resume a1b2c3d4            # goes on with it, in its folder
  session-search resume a1b2c3d4 --fork     # goes on with a copy of it
  session-search resume a1b2c3d4 --print    # shows the command")]
pub struct ResumeArgs {
    /// Session id or prefix
    #[arg(value_name = "ID")]
    pub id: String,
    /// Resume it as a new session that begins as this one
    #[arg(long)]
    pub fork: bool,
    /// Print the command without running it
    #[arg(long)]
    pub print: bool,
    /// Print JSON without running the command
    #[arg(long)]
    pub json: bool,
}
