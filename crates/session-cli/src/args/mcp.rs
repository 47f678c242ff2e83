//! Arguments of `mcp`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Set-up:
  claude mcp add --scope user session-search -- session-search mcp
  session-search setup --agent opencode
  session-search setup --agent codex
  any other client: the command session-search with the argument mcp

The client starts it and ends it. Its tools are search, show, history, recall and remember.")]
pub struct McpArgs {}
