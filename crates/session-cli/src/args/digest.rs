//! Arguments of `digest` and `stats`.

use super::{TimeArgs, WorkFilterArgs};
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search digest                        today
  session-search digest yesterday
  session-search digest last monday..yesterday --project homelab
  session-search digest --since 2w --until yesterday
  session-search digest may 2026
  session-search digest week --format json

WHEN, here and after --when, is today, yesterday, a date (2026-01-16, 16 jan, jan 16 2026), a month \
(2026-01, january, jan 2026), a day (monday, last friday), week (the last seven days), last week, a \
while ago (3d, 2w, 2 months ago: the time since), or FROM..TO, of which either may be left out and TO \
may be a day of FROM's month (2026-01-16..18). Days are local days; without a year it is the last one \
that has begun.")]
pub struct DigestArgs {
    /// Day or days: today, yesterday, 2026-01-16, week, FROM..TO [default: today]
    #[arg(value_name = "WHEN", conflicts_with_all = ["since", "until", "when", "days", "today", "yesterday"])]
    pub range: Vec<String>,
    #[command(flatten)]
    pub filter: WorkFilterArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    pub format: DigestFormat,
    /// Print JSON, as --format json does
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

impl DigestArgs {
    /// Returns the time that is reported.
    pub fn time_args(&self) -> TimeArgs {
        match self.range.is_empty() {
            true if self.filter.time.is_given() => self.filter.time.clone(),
            true => TimeArgs::from_range("today"),
            false => TimeArgs::from_range(&self.range.join(" ")),
        }
    }
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
  session-search stats --days 365 --project homelab
  session-search stats --when 2026-01-01..2026-03-31

Without a time the last 91 days are counted.")]
pub struct StatsArgs {
    #[command(flatten)]
    pub filter: WorkFilterArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
