//! Arguments of `memory`.

use super::values::{importances, memory_kinds, named_values, parse_age, parse_limit};
use super::{JsonFlagArgs, SEARCH_ALIASES, TimeArgs};
use clap::{ArgGroup, Args, Subcommand, ValueHint};
use session_memory::{ImportFormat, Importance, MemoryKind};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = concat!("\
Examples:
  session-search memory save --topic \"Requests time out under load\" \\
      --info \"HARBOR_DB_POOL is 40\" --kind known-issue
  session-search memory search \"time-outs under load\"
  session-search memory supersede mem-20260108-120000 --by mem-20260110-091500

Memories are Markdown files below .claude/data/session-search of the project or of your home folder. \
`memory edit` opens one in your editor; a project's memory that another program changed waits for \
`session-search trust`. More: ", env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/memory.md"))]
pub struct MemoryArgs {
    #[command(subcommand)]
    pub command: MemoryCommand,
}

impl MemoryArgs {
    /// Returns the first word of a query that has several.
    pub(super) fn begin_of_query(&self) -> Option<&str> {
        match &self.command {
            MemoryCommand::Search(args) if !args.more.is_empty() => Some(&args.query),
            _ => None,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Save a decision, a known issue, a preference
    #[command(alias = "add")]
    Save(MemorySaveArgs),
    /// Find memories by meaning and by word
    #[command(aliases = SEARCH_ALIASES)]
    Search(MemorySearchArgs),
    /// List memories, newest first
    #[command(alias = "ls")]
    List(MemoryListArgs),
    /// Show a memory, or the conversation that it was saved from
    Show(MemoryShowArgs),
    /// List memories saved today
    Today(JsonFlagArgs),
    /// Edit a memory in $EDITOR or by options
    Edit(MemoryEditArgs),
    /// Move memories to the trash, or delete them
    #[command(aliases = ["rm", "remove"])]
    Delete(MemoryDeleteArgs),
    /// Mark a memory as replaced by another
    Supersede(MemorySupersedeArgs),
    /// Archive memories: found only with --archived
    Archive(MemoryArchiveArgs),
    /// Restore memories from the archive or the trash, or after supersede
    #[command(alias = "restore")]
    Activate(MemoryIdsArgs),
    /// Print all memories as one JSON document
    Export(MemoryExportArgs),
    /// Import memories from an export or another program
    Import(MemoryImportArgs),
    /// Show counts of memories and of injections before prompts
    Stats(JsonFlagArgs),
    /// Write the most important memories to a file for CLAUDE.md
    SyncContext(SyncContextArgs),
}

impl MemoryCommand {
    /// Returns true for a command that changes memories.
    pub fn changes_memories(&self) -> bool {
        match self {
            Self::Save(_)
            | Self::Edit(_)
            | Self::Delete(_)
            | Self::Supersede(_)
            | Self::Archive(_)
            | Self::Activate(_)
            | Self::Import(_) => true,
            Self::Search(_)
            | Self::List(_)
            | Self::Show(_)
            | Self::Today(_)
            | Self::Stats(_)
            | Self::Export(_)
            | Self::SyncContext(_) => false,
        }
    }
}

// The fields of a memory.
#[derive(Debug, Args)]
pub struct MemoryFieldArgs {
    /// Topic, in one line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub topic: Option<String>,
    /// Key information; may be repeated
    #[arg(long, alias = "text", value_name = "TEXT", allow_hyphen_values = true)]
    pub info: Vec<String>,
    /// Prompt that it helps; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub cue: Vec<String>,
    /// Glob of files for which it matters, from the project's root: `**/migrations/**`; may be repeated
    #[arg(long, value_name = "GLOB", value_hint = ValueHint::FilePath, allow_hyphen_values = true)]
    pub when_path: Vec<String>,
    /// Glob of commands for which it matters: `terraform *`; may be repeated
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true)]
    pub when_command: Vec<String>,
    /// Part of an error for which it matters; may be repeated
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub when_error: Vec<String>,
    /// Tag; may be repeated
    #[arg(long, value_name = "TAG", allow_hyphen_values = true)]
    pub tag: Vec<String>,
    /// decision, known-issue, context, preference or todo
    #[arg(long, alias = "type", value_name = "KIND", value_parser = memory_kinds(), ignore_case = true, hide_possible_values = true)]
    pub kind: Option<MemoryKind>,
    /// high, normal or low
    #[arg(long, value_name = "HOW", value_parser = importances(), ignore_case = true, hide_possible_values = true)]
    pub importance: Option<Importance>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search memory save --topic \"PostgreSQL with pgBouncer\" \\
      --info \"transaction mode\" --kind decision --tag db
  session-search memory save --topic \"The flaky test\" \\
      --info \"run it with TZ=UTC\" --from a1b2c3d4:5-7
  session-search memory save --topic \"pnpm, never npm\" --info \"one lock file\" \\
      --cue \"add a package to the front end\"
  session-search memory save --topic \"Migrations\" \\
      --info \"never edit one that has run\" --when-path \"**/migrations/**\"
  session-search memory save --global < tabs.json

Without --topic and --info, one JSON object is read from stdin (a file or a heredoc), such as {\"topic\": \"Tabs\", \"key_info\": [\"never tabs\"]}. It may have cues, when, tags, kind and importance, too.")]
pub struct MemorySaveArgs {
    #[command(flatten)]
    pub fields: MemoryFieldArgs,
    /// Session and turns that it comes from: ID, ID:7, ID:5-9, ID:last; their text is kept with it
    #[arg(long, value_name = "ID[:TURNS]")]
    pub from: Option<String>,
    /// For all projects
    #[arg(long)]
    pub global: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search memory search \"why does the pool run empty\"
  session-search memory search 连接池超时
  session-search memory search \"release day\" --days 90 --explain

The time is that of a memory's last change. Without one, retrieval.scope_days decides.")]
pub struct MemorySearchArgs {
    /// The query
    #[arg(value_name = "QUERY", allow_hyphen_values = true)]
    pub query: String,
    /// More words of the query
    #[arg(value_name = "WORD", hide = true)]
    pub more: Vec<String>,
    /// Maximum number of memories [default: retrieval.max_results]
    #[arg(long, short = 'n', value_name = "N", value_parser = parse_limit, allow_negative_numbers = true)]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub time: TimeArgs,
    /// Include the archive
    #[arg(long)]
    pub archived: bool,
    /// Explain each score
    #[arg(long)]
    pub explain: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemoryListArgs {
    /// List the archive
    #[arg(long, conflicts_with = "all")]
    pub archived: bool,
    /// List the trash
    #[arg(long, conflicts_with_all = ["all", "archived"])]
    pub trash: bool,
    /// List all states
    #[arg(long)]
    pub all: bool,
    /// Only this kind
    #[arg(long, alias = "type", value_name = "KIND", value_parser = memory_kinds(), ignore_case = true, hide_possible_values = true)]
    pub kind: Option<MemoryKind>,
    /// Only with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    #[command(flatten)]
    pub time: TimeArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemoryShowArgs {
    /// Id or prefix; `mem-` may be omitted
    #[arg(value_name = "ID")]
    pub id: String,
    /// Show the conversation that it was saved from
    #[arg(long)]
    pub raw: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search memory edit 20260110                        # in $EDITOR
  session-search memory edit 20260110 --info \"40 per pod\"    # the rest as it is")]
pub struct MemoryEditArgs {
    /// Id or prefix; `mem-` may be omitted
    #[arg(value_name = "ID")]
    pub id: String,
    #[command(flatten)]
    pub fields: MemoryFieldArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemoryIdsArgs {
    /// Ids or prefixes
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemoryDeleteArgs {
    #[command(flatten)]
    pub ids: MemoryIdsArgs,
    /// Delete permanently, with the conversation kept with it
    #[arg(long)]
    pub purge: bool,
}

#[derive(Debug, Args)]
pub struct MemorySupersedeArgs {
    /// Memory that is replaced
    #[arg(value_name = "OLD")]
    pub old: String,
    /// Memory that replaces it
    #[arg(long, value_name = "NEW")]
    pub by: String,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search memory archive mem-20260110-091500
  session-search memory archive --older-than 14d",
    group = ArgGroup::new("which").required(true).args(["ids", "older_than"]))]
pub struct MemoryArchiveArgs {
    /// Ids or prefixes
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// All that were not edited or recalled for this long: 14, 14d, 2w, 3mo
    #[arg(long, value_name = "AGE", value_parser = parse_age, allow_negative_numbers = true)]
    pub older_than: Option<u32>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MemoryExportArgs {
    /// Write to this file instead of stdout (`-`)
    #[arg(long, short = 'o', alias = "to", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    pub force: bool,
    #[command(flatten)]
    pub time: TimeArgs,
    /// Print JSON (always on)
    #[arg(long, hide = true)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search memory import memories.json
  session-search memory import --format cursor-memory
  session-search memory import --format conversation-memory \\
      ~/old/.claude/data/conversation-memory
  session-search memory export | \\
      ssh host 'cd app && session-search memory import -'

Of a memory that is here already the version that was changed last is kept, so that importing twice changes \
nothing. What is in the trash stays there. Memories of a project are imported inside a project, or with --global.")]
pub struct MemoryImportArgs {
    /// File, folder, or `-` for stdin [with --format cursor-memory or conversation-memory: that program's usual folder in the project]
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub path: Option<PathBuf>,
    /// Format of the file or folder
    #[arg(long, value_name = "FORMAT", default_value = "session-search", value_parser = named_values(&ImportFormat::ALL, ImportFormat::name, |_, value| value))]
    pub format: ImportFormat,
    /// For all projects
    #[arg(long)]
    pub global: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SyncContextArgs {
    /// Print to stdout; write nothing
    #[arg(long)]
    pub print: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
