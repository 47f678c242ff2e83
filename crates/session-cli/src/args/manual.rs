//! Arguments of `completions`, `shell-init` and `man`.

use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mkdir -p ~/.local/share/bash-completion/completions
  session-search completions bash > \\
      ~/.local/share/bash-completion/completions/session-search
  mkdir -p ~/.zfunc      # with fpath+=~/.zfunc before compinit in ~/.zshrc
  session-search completions zsh > ~/.zfunc/_session-search
  mkdir -p ~/.config/fish/completions
  session-search completions fish > \\
      ~/.config/fish/completions/session-search.fish")]
pub struct CompletionsArgs {
    /// Shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  eval \"$(session-search shell-init bash)\"       # in ~/.bashrc
  eval \"$(session-search shell-init zsh)\"        # in ~/.zshrc
  session-search shell-init fish | source        # in ~/.config/fish/config.fish

Ctrl-X S opens the picker with what stands on the line. Alt-R there puts the command that resumes \
the session on the line, to be run by Enter; without a choice the line stays as it was.")]
pub struct ShellInitArgs {
    /// Shell
    #[arg(value_name = "SHELL")]
    pub shell: InitShell,
}

/// A shell with a line editor that runs commands on a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InitShell {
    /// 4.0 or newer.
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search man | man -l -
  session-search man -o ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write the man pages of all commands to this folder, which is created, but not what is above it
    #[arg(long, short = 'o', alias = "to", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
}
