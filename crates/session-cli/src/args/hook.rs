//! Arguments of `hook`.

use super::JsonFlagArgs;
use super::values::{AnySpelling, named_values};
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use session_agents::{Agent, HookEvent};

#[derive(Debug, Args)]
#[command(after_help = concat!("\
Examples:
  session-search hook install                         # shows what it writes
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
    /// Event to answer; may be repeated [default: all that inject something]
    #[arg(long, value_name = "EVENT", value_parser = hook_events())]
    pub event: Vec<HookEvent>,
    #[command(flatten)]
    pub change: HookChangeArgs,
}

#[derive(Debug, Args)]
pub struct HookChangeArgs {
    /// Agent whose settings are changed [default: the only installed one, else claude]
    #[arg(long, value_name = "NAME", value_parser = hook_agents())]
    pub agent: Option<Agent>,
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
