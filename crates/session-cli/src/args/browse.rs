//! Arguments of `browse`.

use clap::Args;
use std::ffi::OsString;

#[derive(Debug, Default, Args)]
#[command(after_help = "\
Examples:
  session-search browse
  session-search browse docker dns
  session-search browse project:. since:2w

Newest sessions first; results change as you type. Enter opens the conversation, Alt-R resumes it in its \
folder, Tab goes from sessions to turns, F1 shows all keys. Filters may stand in the query as in \
`search`; Tab completes them. `session-search` alone opens the picker, too.")]
pub struct BrowseArgs {
    /// The query to begin with
    #[arg(allow_hyphen_values = true, value_name = "QUERY")]
    pub query: Option<OsString>,
    /// More words of the query
    #[arg(value_name = "WORD", hide = true)]
    pub more: Vec<OsString>,
    /// Print the command that resumes what is chosen, instead of running it
    #[arg(long)]
    pub print_command: bool,
}
