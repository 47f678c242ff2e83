//! Arguments of `inject`.

use clap::Args;
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
which of them a hook would give. Without --session it is the first call of a session, after --prompt if there is one. \
They do not say what a call writes or searches, which counts, too: that has the JSON of its hook, on stdin.

Without these and --prompt, the JSON of a hook is read from stdin (prompt, session_id, else --session, cwd; with --explain also \
hook_event_name, tool_name, tool_input); then the exit code is 0 whatever happens, so that nothing ever stands in a \
prompt's way.")]
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
    /// Returns true if a call of a tool is to be explained.
    pub fn names_call(&self) -> bool {
        !self.path.is_empty() || self.command.is_some() || self.error.is_some()
    }
}
