//! Arguments of `doctor`.

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search doctor
  session-search doctor --fix
  session-search doctor --json

Exit codes, also with --quiet: 0 nothing is wrong, 1 something is, 2 error. Nothing is changed without --fix; each fix may be \
run twice.")]
pub struct DoctorArgs {
    /// Repair what this program can repair
    #[arg(long)]
    pub fix: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
