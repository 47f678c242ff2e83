//! Arguments of `digest` and `stats`.

use super::{TimeArgs, WorkFilterArgs};
use clap::{Args, ValueEnum};

/// Days that `stats` counts where no time is named.
const DEFAULT_DAYS: u32 = 91;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  session-search digest                        # today
  session-search digest yesterday
  session-search digest last monday..yesterday --project homelab
  session-search digest --since 2w --until yesterday
  session-search digest may 2026
  session-search digest week --format json
  session-search digest 2026-02 --brief

With more than 20 sessions each has one line, unless --full is given; those without a changed file, a commit or a \
pull request are only counted.

WHEN, here and after --when, is today, yesterday, a date (2026-01-16, 16 jan, jan 16 2026), a month \
(2026-01, january, jan 2026), a day (monday, last friday), week (the last seven days), last week, a \
while ago (3d, 2w, 2 months ago: the time since), or FROM..TO, of which either may be left out and TO \
may be a day of FROM's month (2026-01-16..18). Days are local days; without a year it is the last one \
that has begun.")]
pub struct DigestArgs {
    /// Day or days: today, yesterday, 2026-01-16, week, FROM..TO [default: today]
    #[arg(value_name = "WHEN", conflicts_with_all = ["since", "until", "before", "when", "days", "today", "yesterday"])]
    pub range: Vec<String>,
    /// A line a session; with --json without the fields that may be long
    #[arg(long)]
    pub brief: bool,
    /// Print prompt and outcome of each session, also of more than 20
    #[arg(long, conflicts_with = "brief")]
    pub full: bool,
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
        let given = given_time(&self.range, &self.filter.time);
        given.unwrap_or_else(|| TimeArgs::from_range("today"))
    }

    /// Returns true when JSON is wanted.
    pub fn prints_json(&self) -> bool {
        self.json || self.format == DigestFormat::Json
    }
}

/// Returns the time of words or of options.
fn given_time(words: &[String], options: &TimeArgs) -> Option<TimeArgs> {
    if words.is_empty() {
        Some(options.clone()).filter(TimeArgs::is_given)
    } else {
        Some(TimeArgs::from_range(&words.join(" ")))
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
  session-search stats 2026-01-01..2026-03-31

WHEN is as that of `digest`. Without a time the last 91 days are counted.")]
pub struct StatsArgs {
    /// Day or days: 2026-01, last month, FROM..TO [default: the last 91 days]
    #[arg(value_name = "WHEN", conflicts_with_all = ["since", "until", "before", "when", "days", "today", "yesterday"])]
    pub range: Vec<String>,
    #[command(flatten)]
    pub filter: WorkFilterArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl StatsArgs {
    /// Returns the time that is counted.
    pub fn time_args(&self) -> TimeArgs {
        let given = given_time(&self.range, &self.filter.time);
        given.unwrap_or_else(|| TimeArgs {
            days: Some(DEFAULT_DAYS),
            ..TimeArgs::default()
        })
    }
}
