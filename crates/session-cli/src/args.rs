//! Command-line arguments.

mod browse;
mod config;
mod dashed_words;
mod demo;
mod digest;
mod doctor;
mod eval;
mod export;
mod filter;
mod fix;
mod forget;
mod hook;
mod index;
mod inject;
mod manual;
mod mcp;
mod memory;
mod model;
mod ranking;
#[cfg(test)]
mod reference;
mod resume;
mod search;
mod setup;
mod show;
mod skill;
mod time;
mod trust;
mod turn_listing;
mod values;
mod work_filter;

pub use browse::BrowseArgs;
pub use config::ConfigArgs;
pub use dashed_words::{
    describe_dashed_word, find_option_by_other_name, normalize_arguments, parse_arguments,
    shows_command, suggests_meant_option, takes_any_word,
};
pub use demo::DemoArgs;
pub use digest::{DigestArgs, StatsArgs};
pub use doctor::DoctorArgs;
pub use eval::{EvalArgs, EvalLevel};
pub use export::SessionExportArgs;
pub use filter::FilterArgs;
pub use fix::FixArgs;
pub use forget::ForgetArgs;
pub use hook::{HookArgs, HookChangeArgs, HookCommand, HookInstallArgs};
pub use index::IndexArgs;
pub use inject::InjectArgs;
pub use manual::{CompletionsArgs, InitShell, ManArgs, ShellInitArgs};
pub use mcp::McpArgs;
pub use memory::{
    MemoryArchiveArgs, MemoryArgs, MemoryCommand, MemoryDeleteArgs, MemoryEditArgs,
    MemoryExportArgs, MemoryFieldArgs, MemoryIdsArgs, MemoryImportArgs, MemoryListArgs,
    MemorySaveArgs, MemorySearchArgs, MemoryShowArgs, MemorySupersedeArgs, SyncContextArgs,
};
pub use model::{ModelArgs, ModelCommand, ModelImportArgs, ModelRemoveArgs};
pub use ranking::RankingArgs;
pub use resume::ResumeArgs;
pub use search::SearchArgs;
pub use setup::SetupArgs;
pub use show::{ShowArgs, ShowFormat};
pub use skill::{SkillArgs, SkillChangeArgs, SkillCommand, SkillSyncArgs};
pub use time::TimeArgs;
pub use trust::TrustArgs;
pub use turn_listing::{CommandsArgs, FilesArgs, TurnListingArgs};
pub use work_filter::WorkFilterArgs;

use clap::{Args, Parser, Subcommand};
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
    /// Print no notes and no progress; where nothing is found, print why and exit with 0
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
    /// Returns the first of several words of the query where it looks like an option.
    fn dashed_first_word(&self) -> Option<&str> {
        let first = match &self.command {
            Some(Command::Search(args)) if !args.more.is_empty() => args.query.to_str(),
            Some(Command::Browse(args)) if !args.more.is_empty() => {
                args.query.as_ref().and_then(|word| word.to_str())
            }
            Some(Command::Memory(args)) => args.begin_of_query(),
            _ => None,
        };
        first.filter(|word| word.starts_with("--"))
    }
}

// The arguments of a command that has no other.
#[derive(Debug, Args)]
pub struct JsonFlagArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
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
