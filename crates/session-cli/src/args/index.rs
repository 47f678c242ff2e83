//! Arguments of `index`.

use clap::Args;

#[derive(Debug, Args)]
pub struct IndexArgs {
    /// Read all histories again; sessions whose histories are gone are kept
    #[arg(long)]
    pub full: bool,
    /// Make missing vectors at low priority, without output
    #[arg(long, hide = true, conflicts_with = "full")]
    pub background: bool,
    /// Read what changed before
    #[arg(long, hide = true, requires = "background")]
    pub refresh: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
