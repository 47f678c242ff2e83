//! What can be typed after `resume`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search resume a1b2c3d4            goes on with it, in its folder
  session-search resume a1b2c3d4 --print    shows the command")]
pub struct ResumeArgs {
    /// Session id, or the beginning of it
    #[arg(value_name = "ID")]
    pub id: String,
    /// Show the command, and do not run it
    #[arg(long)]
    pub print: bool,
    /// Print JSON, and do not run it
    #[arg(long)]
    pub json: bool,
}
