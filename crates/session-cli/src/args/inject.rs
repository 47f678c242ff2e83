//! Arguments of `inject`, `hook` and `config`.

use super::JsonFlagArgs;
use super::values::{AnySpelling, named_values};
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use session_agents::{Agent, HookEvent};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search inject --prompt \"why do requests time out under load?\"
  session-search inject --prompt \"why do requests time out?\" --explain
  session-search inject --explain --path src/pool.rs --prompt \"raise the pool\"
  session-search inject --explain --command \"terraform apply\" --session a1b2c3d4
  session-search inject --session a1b2c3d4 --off

--path, --command and --error explain a call of a tool instead: which memories have a trigger that matches it, and \
which of them a hook would give. Without --session it is the first call of a session, after --prompt if there is one.

Without --prompt, the JSON of a hook is read from stdin (prompt, session_id, cwd); then the exit code is 0 \
whatever happens, so that nothing ever stands in a prompt's way.")]
pub struct InjectArgs {
    /// The prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub prompt: Option<String>,
    /// Session of the prompt; nothing is injected twice in a session
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Explain the decision; nothing is recorded
    #[arg(long)]
    pub explain: bool,
    /// File that a call reads or changes; may be repeated
    #[arg(long, value_name = "FILE", requires = "explain")]
    pub path: Vec<PathBuf>,
    /// Command that a call runs
    #[arg(
        long,
        value_name = "LINE",
        requires = "explain",
        allow_hyphen_values = true
    )]
    pub command: Option<String>,
    /// Error that a call ends with
    #[arg(
        long,
        value_name = "TEXT",
        requires = "explain",
        allow_hyphen_values = true
    )]
    pub error: Option<String>,
    /// Turn injection off for the session
    #[arg(long, requires = "session", conflicts_with_all = ["prompt", "explain", "on"])]
    pub off: bool,
    /// Turn injection on for the session
    #[arg(long, requires = "session", conflicts_with_all = ["prompt", "explain"])]
    pub on: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl InjectArgs {
    /// Returns true where a call of a tool is to be explained.
    pub fn names_call(&self) -> bool {
        !self.path.is_empty() || self.command.is_some() || self.error.is_some()
    }
}

#[derive(Debug, Args)]
#[command(after_help = concat!("\
Examples:
  session-search hook install                         shows what it would write
  session-search hook install --yes
  session-search hook install --event UserPromptSubmit --yes
  session-search hook install --agent opencode --yes
  session-search hook uninstall --yes

What each agent makes of it: ", env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/hooks.md"))]
pub struct HookArgs {
    #[command(subcommand)]
    pub command: HookCommand,
}

#[derive(Debug, Subcommand)]
pub enum HookCommand {
    /// Install the hook in an agent's settings
    Install(HookInstallArgs),
    /// Remove the hook from an agent's settings; all others stay
    #[command(alias = "remove")]
    Uninstall(HookChangeArgs),
    /// Show where the hook is installed and whether it works
    Status(JsonFlagArgs),
    /// Answer a hook: its JSON on stdin, the answer on stdout
    Run(HookRunArgs),
}

#[derive(Debug, Args)]
pub struct HookInstallArgs {
    /// Events to add, else all that inject something; may be repeated
    #[arg(long, value_name = "EVENT", value_parser = hook_events())]
    pub event: Vec<HookEvent>,
    #[command(flatten)]
    pub change: HookChangeArgs,
}

#[derive(Debug, Args)]
pub struct HookChangeArgs {
    /// Agent whose settings are changed
    #[arg(long, value_name = "NAME", value_parser = hook_agents(), default_value = "claude")]
    pub agent: Agent,
    /// Use the project's settings instead of the user's
    #[arg(long)]
    pub project: bool,
    /// Write without asking
    #[arg(long, short)]
    pub yes: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct HookRunArgs {
    /// Answer for the plugin: print nothing where the settings have the hook, too
    #[arg(long)]
    pub plugin: bool,
}

/// Reads the name of an agent, with a line of help for each.
fn hook_agents() -> impl TypedValueParser<Value = Agent> {
    AnySpelling(named_values(&Agent::ALL, Agent::name, |agent, value| {
        value.help(match agent {
            Agent::Claude => "Claude Code: settings.json",
            Agent::OpenCode => "OpenCode: a plugin, for all events that it has",
            Agent::Codex => "Codex: hooks.json; it asks whether you trust it",
        })
    }))
}

/// Reads the name of an event, with a line of help for each.
fn hook_events() -> impl TypedValueParser<Value = HookEvent> {
    named_values(&HookEvent::ALL, HookEvent::name, |event, value| {
        value.help(match event {
            HookEvent::UserPromptSubmit => "Before each prompt: what helps with it",
            HookEvent::SessionStart => {
                "When a session begins or was compacted: a line for each memory; then a suggestion to save, with auto_save"
            }
            HookEvent::PreCompact => "Before a conversation is compacted: nothing",
            HookEvent::PreToolUse => "Before a tool is called: what concerns its file or command",
            HookEvent::PostToolUseFailure => "After a tool failed: what concerns its error",
            HookEvent::PostToolUse => "After a command of Codex: what concerns its output",
        })
    })
}

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
