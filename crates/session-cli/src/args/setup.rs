//! Arguments of `setup`.

use super::values::{AnySpelling, named_values};
use clap::Args;
use clap::builder::TypedValueParser;
use session_agents::{Agent, parse_retention_days};
use session_setup::{SetupOptions, SkillChoice};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search setup                                 # asks, step by step
  session-search setup --model qwen3-embedding-0.6b --yes
  session-search setup --remote http://localhost:8080/v1 --model bge-m3 --yes
  session-search setup --keep-history 365 --skill --yes
  session-search setup --skill --allow-skill           # lets Claude load it
  session-search setup --agent opencode --agent codex  # shows what they get
  session-search setup --undo                          # takes it back, but for
                                                       # --keep-history

On a terminal it asks for what the options leave open; each step can be skipped and taken again. \
Elsewhere it does what the options say; without --yes it shows what it would write.")]
pub struct SetupArgs {
    /// Model to use, downloaded if missing; with --remote, its name at the endpoint
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// OpenAI-compatible endpoint to use; its key stays in EMBEDDINGS_API_KEY
    #[arg(long, value_name = "URL", requires = "model")]
    pub remote: Option<String>,
    /// Days that Claude Code keeps its history (its default is 30)
    #[arg(long, value_name = "DAYS", value_parser = parse_retention_days, allow_negative_numbers = true)]
    pub keep_history: Option<u32>,
    /// Install the skill for Claude Code
    #[arg(long, conflicts_with = "no_skill")]
    pub skill: bool,
    /// Do not ask about the skill
    #[arg(long)]
    pub no_skill: bool,
    /// Add a permission rule so that Claude Code loads the skill without asking
    #[arg(long, conflicts_with = "no_skill")]
    pub allow_skill: bool,
    /// Install into this agent: skill or instructions, MCP server, hook (claude: the skill alone); may be repeated
    #[arg(long, value_name = "NAME", value_parser = agents())]
    pub agent: Vec<Agent>,
    /// Remove what was installed into the agents, or into those of --agent; a history that is kept longer stays so
    #[arg(long, conflicts_with_all = ["model", "remote", "keep_history", "skill", "no_skill", "allow_skill"])]
    pub undo: bool,
    /// Apply the options without asking
    #[arg(long, short)]
    pub yes: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl SetupArgs {
    /// Returns the decisions that the options make.
    pub fn to_options(&self) -> SetupOptions {
        SetupOptions {
            model: self.model.clone(),
            remote: self.remote.clone(),
            keep_history: self.keep_history,
            skill: match (self.skill, self.no_skill) {
                (true, _) => SkillChoice::Install,
                (false, true) => SkillChoice::LeaveOut,
                (false, false) => SkillChoice::Ask,
            },
            allow_skill: self.allow_skill,
            agents: self.agent.clone(),
        }
    }
}

/// Reads the name of an agent, with a line of help for each.
fn agents() -> impl TypedValueParser<Value = Agent> {
    AnySpelling(named_values(&Agent::ALL, Agent::name, |agent, value| {
        value.help(match agent {
            Agent::Claude => {
                "Claude Code: the skill; the commands that add the MCP server and the hook are printed"
            }
            Agent::OpenCode => "OpenCode: the skill, the MCP server, the hook",
            Agent::Codex => "Codex: a paragraph in AGENTS.md, the MCP server, the hook",
        })
    }))
}
