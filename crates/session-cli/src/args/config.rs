//! Arguments of `config`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = concat!("\
Examples:
  session-search config
  session-search config --json

The keys: ", env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/configuration.md"))]
pub struct ConfigArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
