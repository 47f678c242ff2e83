//! Command-line arguments.

mod browse;
mod dashed_words;
mod digest;
mod doctor;
mod export;
mod fix;
mod forget;
mod inject;
mod manual;
mod mcp;
mod memory;
mod model;
#[cfg(test)]
mod reference;
mod resume;
mod setup;
mod show;
mod skill;
mod time;
mod trust;
mod turn_listing;
mod values;
mod work_filter;

pub use browse::BrowseArgs;
pub use dashed_words::{
    find_option_by_other_name, normalize_arguments, parse_arguments, shows_command,
    suggests_meant_option, takes_any_word,
};
pub use digest::{DigestArgs, DigestFormat, StatsArgs};
pub use doctor::DoctorArgs;
pub use export::SessionExportArgs;
pub use fix::FixArgs;
pub use forget::ForgetArgs;
pub use inject::{ConfigArgs, HookArgs, HookChangeArgs, HookCommand, HookInstallArgs, InjectArgs};
pub use manual::{CompletionsArgs, InitShell, ManArgs, ShellInitArgs};
pub use mcp::McpArgs;
pub use memory::{
    MemoryArchiveArgs, MemoryArgs, MemoryCommand, MemoryDeleteArgs, MemoryEditArgs,
    MemoryExportArgs, MemoryFieldArgs, MemoryIdsArgs, MemoryImportArgs, MemoryListArgs,
    MemorySaveArgs, MemorySearchArgs, MemoryShowArgs, MemorySupersedeArgs, SyncContextArgs,
};
pub use model::{ModelArgs, ModelCommand, ModelImportArgs};
pub use resume::ResumeArgs;
pub use setup::SetupArgs;
pub use show::{ShowArgs, ShowFormat};
pub use skill::{SkillArgs, SkillChangeArgs, SkillCommand, SkillSyncArgs};
pub use time::TimeArgs;
pub use trust::TrustArgs;
pub use turn_listing::{CommandsArgs, FilesArgs, TurnListingArgs};
pub use work_filter::WorkFilterArgs;

use values::{parse_depth, parse_limit};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, Parser, Subcommand, ValueHint};
use session_eval::TuningConstant;
use session_output::WorkPart;
use session_query::TypedQuery;
use std::ffi::OsString;

/// Names that other programs have for `search`.
const SEARCH_ALIASES: [&str; 4] = ["find", "grep", "query", "recall"];

/// Find what you did with coding agents: by meaning and by word, offline
///
/// Three levels: which session was it, which turn of it (a prompt and all that follows until the
/// next), and what was said and done in it. The index is kept up to date by each search; there is nothing to set up. Alone, on a terminal, it opens the
/// picker.
#[derive(Debug, Parser)]
#[command(name = "session-search", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Arguments {
    /// Print no notes and no progress, only errors and why nothing is found, and exit with 0 then
    #[arg(long, global = true, display_order = 900)]
    pub quiet: bool,
    /// Without one, on a terminal, the picker opens
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXAMPLES: &str = concat!(
    "\
Examples:
  session-search search \"docker bridge networking\"
  session-search search \"docker bridge\" --depth 2 --session a1b2c3d4
  session-search show a1b2c3d4:5-9
  session-search demo

Exit codes: 0 found, 1 nothing found (0 with --quiet), 2 error.

The pages in docs: ",
    env!("CARGO_PKG_REPOSITORY"),
    "/tree/main/docs"
);

// The arguments of all commands take half a millisecond to define. Deferred, a doc comment of theirs would take the
// place of the command's help, which stands here.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Find sessions, or turns with --depth 2
    #[command(aliases = SEARCH_ALIASES)]
    Search(Box<SearchArgs>),
    /// Search as you type, read and resume, on a full screen
    Browse(BrowseArgs),
    /// Show turns of a session in full: words, calls, edits, commands, outputs
    Show(ShowArgs),
    /// Write a session to one file, secrets redacted: HTML, Markdown or JSON
    Export(SessionExportArgs),
    /// Find turns that read or changed a file, newest first
    Files(Box<FilesArgs>),
    /// Find turns that ran a command, with its outcome
    Commands(Box<CommandsArgs>),
    /// Find what cured an error before: edits and commands until it was gone
    Fix(Box<FixArgs>),
    /// Resume a session with its agent, in its folder
    Resume(ResumeArgs),
    /// Report the work of a day by project and session, for a stand-up
    Digest(DigestArgs),
    /// Count sessions, turns, projects and hours over time
    Stats(StatsArgs),
    /// Save, find and manage memories
    Memory(Box<MemoryArgs>),
    /// Allow memories that came with a repository to be injected into prompts
    Trust(TrustArgs),
    /// Print the memories to inject into a prompt, if any helps
    Inject(InjectArgs),
    /// Install or remove the hook that injects memories
    Hook(HookArgs),
    /// Show every setting and where it is set
    Config(ConfigArgs),
    /// Update the index
    Index(IndexArgs),
    /// Remove sessions and turns from the index and the disk, for good
    #[command(alias = "delete")]
    Forget(Box<ForgetArgs>),
    /// Show what is indexed, by which models, and how recent it is
    Status(JsonFlagArgs),
    /// Check the index, the histories and the agents' settings, and repair what can be
    Doctor(DoctorArgs),
    /// List, choose, download and remove models
    Model(ModelArgs),
    /// Choose a model, keep history longer, install the skill, set up agents; all optional
    Setup(SetupArgs),
    /// Install, upgrade or remove the skill that teaches an agent to search
    Skill(SkillArgs),
    /// Serve an agent's MCP client on stdin and stdout
    Mcp(McpArgs),
    /// Show the three levels on a small built-in history
    Demo(DemoArgs),
    /// Measure how well search answers questions with known answers
    Eval(EvalArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print what a shell runs at its start so that Ctrl-X S picks a session
    ShellInit(ShellInitArgs),
    /// Print the man page, or write the man pages of all commands
    Man(ManArgs),
}

impl Arguments {
    /// Returns true where the first of several words of the query looks like an option.
    fn begins_query_with_dashes(&self) -> bool {
        let first = match &self.command {
            Some(Command::Search(args)) if !args.more.is_empty() => args.query.to_str(),
            Some(Command::Browse(args)) if !args.more.is_empty() => {
                args.query.as_ref().and_then(|word| word.to_str())
            }
            Some(Command::Memory(args)) => args.begin_of_query(),
            _ => None,
        };
        first.is_some_and(|word| word.starts_with("--"))
    }
}

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

Filters may stand in the query: agent:, project:, branch:, file:, since:, until: and when:, a value \
right after them, in double quotes where it has spaces, and - before for \"not\". Several of one field \
are alternatives; else all must hold, with the options. Without other words the newest are listed.";

// Conditions; all given must hold.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters")]
pub struct FilterArgs {
    #[command(flatten)]
    pub work: WorkFilterArgs,
    /// File that was read or changed, or part of its path
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub file: Option<String>,
    /// Only this session, by id or prefix
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Exclude this session; may be repeated
    #[arg(long, value_name = "ID", action = ArgAction::Append)]
    pub exclude_session: Vec<String>,
    /// Include the session that runs this command
    #[arg(long)]
    pub include_current: bool,
    /// Include subagents
    #[arg(long)]
    pub subagents: bool,
}

impl FilterArgs {
    /// Returns true when something narrows what is found.
    pub fn is_given(&self) -> bool {
        let WorkFilterArgs {
            project,
            source,
            time,
            branch,
        } = &self.work;
        let texts = [project, source, branch, &self.file, &self.session];
        texts.iter().any(|text| text.is_some())
            || time.is_given()
            || !self.exclude_session.is_empty()
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Ranking")]
pub struct RankingArgs {
    /// Fixed weight of the vector ranking, 0 (words only) to 1 (vectors only)
    #[arg(long, value_name = "WEIGHT", value_parser = parse_weight)]
    pub alpha: Option<f32>,
    /// Rank by vectors only
    #[arg(long, conflicts_with_all = ["keyword_only", "alpha"])]
    pub vector_only: bool,
    /// Rank by words only
    #[arg(long, conflicts_with = "alpha")]
    pub keyword_only: bool,
    /// Explain each score
    #[arg(long)]
    pub explain: bool,
}

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

fn parse_weight(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(weight) if (0.0..=1.0).contains(&weight) => Ok(weight),
        _ => Err("not a number from 0 to 1".into()),
    }
}

#[derive(Debug, Args)]
pub struct IndexArgs {
    /// Read all histories again; sessions whose histories are gone are kept
    #[arg(long)]
    pub full: bool,
    /// Make missing vectors at low priority, without output
    #[arg(long, hide = true, conflicts_with = "full")]
    pub background: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

// The arguments of a command that has no other.
#[derive(Debug, Args)]
pub struct JsonFlagArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

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

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search eval sets/locomo --runs /tmp/runs
  session-search eval my-questions --level session --alpha 0.5

A set is a folder with queries.jsonl, qrels.session.tsv and qrels.turn.tsv. One with claude/projects \
brings its own history, which is indexed in a scratch folder; another is asked of your own.")]
pub struct EvalArgs {
    /// Folder of the set
    #[arg(value_name = "SET_DIR", value_hint = ValueHint::DirPath)]
    pub set: std::path::PathBuf,
    /// Model, as `model list` names it [default: the one in use]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Fixed weight of the vector ranking, 0 (words only) to 1 (vectors only) [default: by what each query finds]
    #[arg(long, value_name = "WEIGHT", value_parser = parse_weight)]
    pub alpha: Option<f32>,
    /// Value for a constant of the ranking; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub tune: Vec<TuningConstant>,
    /// Level to rank
    #[arg(long, value_name = "LEVEL", default_value = "both")]
    pub level: EvalLevel,
    /// Search all sessions for every question, whatever its scope
    #[arg(long)]
    pub pooled: bool,
    /// Keep the index of the set's history in this folder, for the next run
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub index: Option<std::path::PathBuf>,
    /// Write session.tsv and turn.tsv to this folder: question, target, score
    #[arg(long, value_name = "OUT_DIR", value_hint = ValueHint::DirPath)]
    pub runs: Option<std::path::PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum EvalLevel {
    Session,
    Turn,
    Both,
}

/// Joins the words of a query as they were typed: a negated filter loses the space that set it off.
pub fn join_query<'a>(words: impl Iterator<Item = &'a OsString>) -> String {
    let words = words.map(|word| {
        let word = word.to_string_lossy();
        match word.strip_prefix(" -") {
            Some(filter) => format!("-{filter}"),
            None => word.into_owned(),
        }
    });
    TypedQuery::join_words(&words.collect::<Vec<_>>())
}
