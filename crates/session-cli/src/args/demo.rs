//! Arguments of `demo`.

use clap::Args;

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Text to look for
    #[arg(
        value_name = "QUERY",
        default_value = "why can the api container not resolve the database host"
    )]
    pub query: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
