//! Arguments of `completions` and `man`.

use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search completions bash > ~/.local/share/bash-completion/completions/session-search
  session-search completions zsh > ~/.zfunc/_session-search
  session-search completions fish > ~/.config/fish/completions/session-search.fish")]
pub struct CompletionsArgs {
    /// Shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search man | man -l -
  session-search man --to ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write the man pages of all commands to this folder, created if missing
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub to: Option<PathBuf>,
}
