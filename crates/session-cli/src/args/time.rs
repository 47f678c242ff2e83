//! The time range, as every command takes it.

use super::values::parse_days;
use anyhow::{Result, bail};
use clap::Args;
use jiff::Zoned;
use session_report::{TimeError, TimeRange, TypedRange};

// A time range in one of three forms: its ends, a word or `FROM..TO`, or a number of days.
#[derive(Debug, Clone, Default, Args)]
pub struct TimeArgs {
    /// Not before: 2026-01-15, 2026-01-15T09:00, 3d, 2w, yesterday, last monday
    #[arg(long, alias = "after", value_name = "TIME")]
    pub since: Option<String>,
    /// Not after this day (included) or time
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Before this day (excluded) or time
    #[arg(long, value_name = "TIME", conflicts_with = "until")]
    pub before: Option<String>,
    /// Days or a range: yesterday, last week, FROM..TO, FROM.., ..TO
    #[arg(long, value_name = "WHEN", conflicts_with_all = ["since", "until", "before", "days", "today", "yesterday"])]
    pub when: Option<String>,
    /// Last N days, including today
    #[arg(long, value_name = "N", value_parser = parse_days, allow_negative_numbers = true, conflicts_with_all = ["since", "today", "yesterday"])]
    pub days: Option<u32>,
    /// Today, local time
    #[arg(long, conflicts_with_all = ["since", "until", "before", "yesterday"])]
    pub today: bool,
    /// Yesterday, local time
    #[arg(long, conflicts_with_all = ["since", "until", "before"])]
    pub yesterday: bool,
}

impl TimeArgs {
    /// Returns the arguments of the range that a text names.
    pub fn from_range(when: &str) -> Self {
        Self {
            when: Some(when.to_owned()),
            ..Self::default()
        }
    }

    /// Returns true when a time was asked for.
    pub fn is_given(&self) -> bool {
        let texts = [&self.since, &self.until, &self.before, &self.when];
        texts.iter().any(|text| text.is_some())
            || self.days.is_some()
            || self.today
            || self.yesterday
    }

    /// Returns the time range that is asked for, as seen from `now`.
    pub fn parse_range(&self, now: fn() -> Zoned) -> Result<TimeRange> {
        let (since, until) = (self.since.as_deref(), self.until.as_deref());
        let typed = match (&self.when, self.days) {
            (Some(text), _) => TypedRange::Within(text),
            (None, _) if self.today => TypedRange::Within("today"),
            (None, _) if self.yesterday => TypedRange::Within("yesterday"),
            (None, Some(days)) if since.is_none() => TypedRange::LastDays { days, until },
            (None, _) => TypedRange::Between { since, until },
        };
        let range = TimeRange::parse(typed, now);
        let ended = match &self.before {
            Some(text) => range.and_then(|range| range.end_before(text, now)),
            None => range,
        };
        match ended {
            Err(TimeError::Reversed) => bail!(
                "`{}` ends before it begins\nhint: write the earlier time first",
                self.as_typed()
            ),
            range => Ok(range?),
        }
    }

    /// Returns the options as they are typed.
    fn as_typed(&self) -> String {
        let days = self.days.map(|days| days.to_string());
        let option = |name: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("--{name} {value}"))
        };
        let ends = [
            option("since", &self.since),
            option("days", &days),
            option("until", &self.until),
            option("before", &self.before),
        ];
        match &self.when {
            Some(when) => when.clone(),
            None => ends.into_iter().flatten().collect::<Vec<_>>().join(" "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TimeArgs;
    use crate::args::Arguments;
    use clap::{Arg, CommandFactory, Parser};

    const COMMANDS: [&[&str]; 9] = [
        &["search", "x"],
        &["files", "x"],
        &["commands", "x"],
        &["fix", "x"],
        &["digest"],
        &["stats"],
        &["memory", "search", "x"],
        &["memory", "list"],
        &["memory", "export"],
    ];

    #[test]
    fn a_range_that_ends_before_it_begins_is_named_as_typed() {
        let now = || "2026-03-30T12:00:00+02:00[Europe/Berlin]".parse().unwrap();
        let check = |args: TimeArgs, typed: &str| {
            let error = args.parse_range(now).unwrap_err().to_string();
            let expected = format!("`{typed}` ends before it begins\n");
            assert!(error.starts_with(&expected), "{error}");
        };
        check(TimeArgs::from_range("today..yesterday"), "today..yesterday");
        let until = TimeArgs {
            until: Some("last week".into()),
            ..TimeArgs::default()
        };
        let since: Option<String> = Some("today".into());
        check(
            TimeArgs {
                since: since.clone(),
                ..until.clone()
            },
            "--since today --until last week",
        );
        check(
            TimeArgs {
                since,
                before: Some("today".into()),
                ..TimeArgs::default()
            },
            "--since today --before today",
        );
        check(
            TimeArgs {
                days: Some(1),
                ..until
            },
            "--days 1 --until last week",
        );
    }

    fn is_taken(command: &[&str], time: &[&str]) -> bool {
        let all = [&["session-search"], command, time].concat();
        Arguments::try_parse_from(all).is_ok()
    }

    #[test]
    fn every_command_takes_a_time_in_the_same_forms() {
        for command in COMMANDS {
            let taken = |time: &[&str]| assert!(is_taken(command, time), "{command:?} {time:?}");
            let refused = |time: &[&str]| assert!(!is_taken(command, time), "{command:?} {time:?}");
            taken(&["--since", "2w", "--until", "last monday"]);
            taken(&["--when", "2026-01-01..2026-01-31"]);
            taken(&["--days", "7", "--until", "yesterday"]);
            taken(&["--since", "2w", "--before", "yesterday"]);
            refused(&["--until", "today", "--before", "today"]);
            taken(&["--today"]);
            taken(&["--yesterday"]);
            refused(&["--when", "week", "--since", "2w"]);
            refused(&["--days", "7", "--since", "2w"]);
            refused(&["--days", "-7"]);
            refused(&["--today", "--yesterday"]);
        }
        assert!(is_taken(&["digest"], &["last", "monday..yesterday"]));
        assert!(!is_taken(&["digest", "week"], &["--since", "2w"]));
    }

    #[test]
    fn every_command_that_takes_a_time_is_known_here() {
        fn with_time(command: &clap::Command) -> usize {
            let is_since = |argument: &&Arg| argument.get_long() == Some("since");
            let own = command.get_arguments().filter(is_since).count();
            own + command.get_subcommands().map(with_time).sum::<usize>()
        }
        let mut command = Arguments::command();
        command.build();
        assert_eq!(with_time(&command), COMMANDS.len());
    }
}
