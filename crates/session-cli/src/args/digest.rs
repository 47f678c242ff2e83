//! What can be typed after `digest` and `stats`.

use clap::{Args, ValueEnum, ValueHint};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search digest                        today
  session-search digest yesterday
  session-search digest last monday..yesterday --project homelab
  session-search digest week --format json

WHEN is today, yesterday, a date (2026-01-16), a day (monday, last friday), week (the last seven
days), last week, a while ago (3d, 2w: the time since), or FROM..TO, of which either may be left
out. Days are local days.")]
pub struct DigestArgs {
    /// The day or days: today, yesterday, 2026-01-16, week, FROM..TO
    #[arg(value_name = "WHEN", default_value = "today")]
    pub when: Vec<String>,
    /// Name or path of the project, or a part of it; `.` is this folder
    #[arg(long, value_name = "NAME|PATH", value_hint = ValueHint::DirPath)]
    pub project: Option<String>,
    /// How it is written
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    pub format: DigestFormat,
    /// Print JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DigestFormat {
    Markdown,
    Json,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search stats
  session-search stats --days 365 --project homelab")]
pub struct StatsArgs {
    /// The last N days, today included
    #[arg(long, value_name = "N", default_value_t = 91, value_parser = clap::value_parser!(u32).range(1..=3660))]
    pub days: u32,
    /// Name or path of the project, or a part of it; `.` is this folder
    #[arg(long, value_name = "NAME|PATH", value_hint = ValueHint::DirPath)]
    pub project: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
