//! Arguments of `search`.

use super::values::{parse_depth, parse_limit};
use super::{FilterArgs, RankingArgs};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use session_output::WorkPart;
use std::ffi::OsString;

#[derive(Debug, Args)]
#[command(after_help = SEARCH_EXAMPLES)]
pub struct SearchArgs {
    /// The query: any text; double quotes make a phrase
    #[arg(allow_hyphen_values = true, value_name = "QUERY")]
    pub query: OsString,
    /// More words of the query
    #[arg(value_name = "WORD", hide = true)]
    pub more: Vec<OsString>,
    /// 1 finds sessions, 2 finds turns
    #[arg(long, value_name = "LEVEL", default_value_t = 1, value_parser = parse_depth)]
    pub depth: u8,
    /// Maximum number of hits
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10, value_parser = parse_limit, allow_negative_numbers = true)]
    pub limit: usize,
    /// Also print parts of the work summary, separated by commas
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = parse_work_parts())]
    pub with: Vec<&'static [WorkPart]>,
    /// Also show matching memories
    #[arg(long, conflicts_with = "compact")]
    pub memories: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// With --json: one line per hit, about 100 tokens at most
    #[arg(long, requires = "json", conflicts_with_all = ["with", "explain"])]
    pub compact: bool,
    /// Do not update the index first
    #[arg(long)]
    pub no_refresh: bool,
    /// Search the built-in demo if this machine has no history
    #[arg(long)]
    pub or_demo: bool,
    // Last, since their headings would be those of what follows.
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub ranking: RankingArgs,
}

const SEARCH_EXAMPLES: &str = "\
Examples:
  session-search search \"that time the network would not resolve\"
  session-search search EMFILE --project homelab --days 30
  session-search search \"retry with backoff\" --depth 2 --file client.rs
  session-search search docker dns agent:claude -project:homelab since:2w
  session-search search \"too many open files\" --with problem,solution,commands
  session-search search '\"connection refused\"' --keyword-only --json

The query may have filters: agent:, project:, branch:, file:, since:, until:, before: and when:, \
directly followed by a value, which takes double quotes if it has spaces. A - negates a filter. Several of one \
field are alternatives; all others must hold, options too. Filters alone list the newest.";

/// The name of all parts of the work summary.
const ALL_PARTS: &str = "all";

/// Parses the name of a part of the work summary, or `all`.
fn parse_work_parts() -> impl TypedValueParser<Value = &'static [WorkPart]> {
    let names = WorkPart::ALL.map(WorkPart::name);
    PossibleValuesParser::new(names.into_iter().chain([ALL_PARTS])).map(|typed| {
        let part = WorkPart::ALL.iter().find(|part| part.name() == typed);
        part.map_or(&WorkPart::ALL[..], std::slice::from_ref)
    })
}
