//! Work over time: a table and a calendar.

use crate::layout::{LineField, lay_out_fields};
use crate::style::{FAINT, HEAT, TITLE, paint};
use anstyle::Style;
use jiff::ToSpan;
use jiff::civil::Date;
use serde::Serialize;
use session_core::text::sanitize_text;
use session_display::{Note, format_duration, pluralize, truncate_to_columns};
use session_report::{CountedDay, DayStats};
use unicode_width::UnicodeWidthStr;

/// Days with what was done on them, without a gap.
pub struct Calendar(Vec<CountedDay>);

/// Days of which each has a row; of more, each week has one.
const MAX_DAILY_ROWS: usize = 14;
/// Columns left of the calendar: the names of the days.
const NAMES_WIDTH: usize = 5;
/// How dark a day is, by its part of the busiest day's time.
const SHADES: [&str; 5] = ["·", "░", "▒", "▓", "█"];

impl Calendar {
    /// Makes a calendar of days in order.
    pub fn new(days: Vec<CountedDay>) -> Self {
        Self(days)
    }

    /// Returns true if nothing was done on any of them.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|day| day.stats.turns == 0)
    }

    /// Formats the table and the calendar.
    pub fn format(&self, width: usize) -> String {
        let total = DayStats::sum(self.0.iter().map(|day| &day.stats));
        let (heading, table) = (format_heading(&total, width), self.format_table(width));
        format!("{heading}\n{table}\n{}", self.format_map(width))
    }

    /// Formats a row for each day or week on which something was done: columns below a head or, where a row is wider than
    /// the terminal, fields that wrap.
    fn format_table(&self, width: usize) -> String {
        let weekly = self.0.len() > MAX_DAILY_ROWS;
        let periods = self
            .0
            .chunk_by(|a, b| weekly && find_monday(a.day.date) == find_monday(b.day.date));
        let busy = periods.filter(|days| days.iter().any(|day| day.stats.turns > 0));
        let rows: Vec<PeriodRow> = busy.map(PeriodRow::new).collect();
        let lines: Vec<String> = rows.iter().map(PeriodRow::format_columns).collect();
        if lines.iter().all(|line| line.trim_end().width() <= width) {
            format!("{}\n{}", paint(FAINT, format_table_head()), lines.concat())
        } else {
            rows.iter().map(|row| row.format_fields(width)).collect()
        }
    }

    /// Formats a map with a column a week and a row a weekday: the darker a cell, the more time. Where there are more
    /// weeks than columns it says from when the last ones are.
    fn format_map(&self, width: usize) -> String {
        let weeks: Vec<&[CountedDay]> = self
            .0
            .chunk_by(|a, b| find_monday(a.day.date) == find_monday(b.day.date))
            .collect();
        let room = (width.saturating_sub(NAMES_WIDTH) / 2).max(1);
        let cut = weeks.len().saturating_sub(room);
        let weeks = weeks.get(cut..).unwrap_or_default();
        let most = self.0.iter().map(|day| day.stats.active_ms).max();
        let most = most.unwrap_or_default().max(1);
        let mut out = match weeks.first().and_then(|week| week.first()) {
            Some(first) if cut > 0 => {
                let first = first.day.date;
                format!("{}\n", paint(FAINT, format!("from {first} on")))
            }
            _ => String::new(),
        };
        out += &format_months(weeks, width);
        for (weekday, name) in ["Mon", "", "Wed", "", "Fri", "", "Sun"].iter().enumerate() {
            let cells = weeks.iter().map(|week| format_cell(week, weekday, most));
            let cells: Vec<String> = cells.collect();
            let name = paint(FAINT, format!("{name:<NAMES_WIDTH$}"));
            out.push_str(format!("{name}{}", cells.join(" ")).trim_end());
            out.push('\n');
        }
        let scale = SHADES.map(|shade| paint(HEAT, shade)).join(" ");
        out + &format!("{}less {scale} more\n", " ".repeat(NAMES_WIDTH))
    }

    /// Returns the days on which something was done, as JSON. Hints say why there are none, and what to change.
    pub fn to_json(&self, complete: bool, hints: Vec<String>) -> JsonStats {
        let total = DayStats::sum(self.0.iter().map(|day| &day.stats));
        let days = self.0.iter().filter(|day| day.stats.turns > 0);
        JsonStats {
            days: self.0.len(),
            complete,
            hints,
            total: to_json_counts(&total),
            by_day: days
                .map(|day| JsonDay {
                    date: day.day.date.to_string(),
                    counts: to_json_counts(&day.stats),
                })
                .collect(),
        }
    }
}

/// A count that found nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NothingCounted<'a> {
    /// The only project that was asked for.
    pub project: Option<&'a str>,
    /// True where the agent or the branch was asked for, too.
    pub is_narrow: bool,
    /// The number of days up to now that were counted, where the time is one.
    pub last_days: Option<u32>,
    /// The first day that was counted.
    pub first_day: Date,
    /// The last day before that time with work.
    pub last_day: Option<Date>,
}

impl NothingCounted<'_> {
    /// Formats that nothing was done, and when it last was.
    pub fn format(&self) -> Note {
        let project = self.project.map(sanitize_text);
        let whose = project.map(|project| format!(" of project `{project}`"));
        let other = match (&whose, self.is_narrow) {
            (_, true) => ", or fewer filters",
            (Some(_), false) => ", or another --project",
            (None, false) => "",
        };
        let (when, hint) = match self.last_days {
            Some(1) => ("the last day".to_owned(), self.suggest_days(1)),
            Some(days) => (format!("the last {days} days"), self.suggest_days(days)),
            None => ("that period".to_owned(), "try a longer period".to_owned()),
        };
        let (whose, last) = (whose.unwrap_or_default(), format_last_day(self.last_day));
        Note::new(format!("no session{whose} in {when}{last}")).with_hint(format!("{hint}{other}"))
    }

    /// Names the number of days up to now that reaches the last day with work, where there is one.
    fn suggest_days(&self, counted: u32) -> String {
        let missing = self.last_day.map(|day| (self.first_day - day).get_days());
        let missing = missing.and_then(|days| u32::try_from(days).ok());
        match missing.and_then(|days| counted.checked_add(days)) {
            Some(days) => format!("try --days {days}"),
            None => "try a greater --days".to_owned(),
        }
    }
}

/// Formats the last day with work, where there is one.
pub(crate) fn format_last_day(day: Option<Date>) -> String {
    let last = day.map(|day| format!("; the last was on {}", day.strftime("%B %-d, %Y")));
    last.unwrap_or_default()
}

fn format_table_head() -> String {
    format!(
        "{:<23} {:>8} {:>6} {:>8}   {}",
        "", "sessions", "turns", "projects", "time"
    )
}

/// A row of the table: a day, or a week.
struct PeriodRow {
    when: String,
    total: DayStats,
}

impl PeriodRow {
    fn new(days: &[CountedDay]) -> Self {
        let total = DayStats::sum(days.iter().map(|day| &day.stats));
        let date = |day: &CountedDay| day.day.date;
        let when = match (days.first().map(date), days.last().map(date)) {
            (Some(first), Some(last)) if first != last => {
                format!("{first} to {}", last.strftime("%m-%d"))
            }
            (Some(day), _) => day.strftime("%a %Y-%m-%d").to_string(),
            (None, _) => String::new(),
        };
        Self { when, total }
    }

    fn format_columns(&self) -> String {
        let Self { when, total } = self;
        format!(
            "{when:<23} {:>8} {:>6} {:>8}   {}\n",
            total.sessions.len(),
            total.turns,
            total.projects.len(),
            format_duration(total.active_ms)
        )
    }

    fn format_fields(&self, width: usize) -> String {
        lay_out_fields(&make_fields(FAINT, &self.when, &self.total), 0, width)
    }
}

/// Formats the title with the counts of all days, on one line where there is room.
fn format_heading(total: &DayStats, width: usize) -> String {
    let name = "STATS";
    let counts = list_counts(total).join(", ");
    if name.len() + 2 + counts.len() <= width {
        format!("{}  {counts}\n", paint(TITLE, name))
    } else {
        lay_out_fields(&make_fields(TITLE, name, total), 0, width)
    }
}

/// Makes the fields of a period: its name, and what was done in it.
fn make_fields(style: Style, name: &str, total: &DayStats) -> Vec<LineField> {
    let counts = list_counts(total).map(|count| LineField::whole(Style::new(), count));
    std::iter::once(LineField::whole(style, name))
        .chain(counts)
        .collect()
}

fn list_counts(total: &DayStats) -> [String; 4] {
    [
        pluralize(total.sessions.len(), "session"),
        pluralize(total.turns, "turn"),
        pluralize(total.projects.len(), "project"),
        format_duration(total.active_ms),
    ]
}

/// Formats the names of the months, each above its first week.
fn format_months(weeks: &[&[CountedDay]], width: usize) -> String {
    let mut line = " ".repeat(NAMES_WIDTH);
    let mut last = None;
    for (n, week) in weeks.iter().enumerate() {
        let Some(CountedDay { day, .. }) = week.first() else {
            continue;
        };
        let day = day.date;
        let at = NAMES_WIDTH + 2 * n;
        if last != Some(day.month()) && line.len() <= at {
            line.push_str(&" ".repeat(at - line.len()));
            line.push_str(&day.strftime("%b ").to_string());
            last = Some(day.month());
        }
    }
    let line = truncate_to_columns(line.trim_end(), width);
    format!("{}\n", paint(FAINT, line))
}

fn format_cell(week: &[CountedDay], weekday: usize, most: i64) -> String {
    let is_it = |date: Date| usize::try_from(date.weekday().to_monday_zero_offset()) == Ok(weekday);
    let day = week.iter().find(|day| is_it(day.day.date));
    let Some(CountedDay { stats: day, .. }) = day else {
        return " ".to_owned();
    };
    let shades = i64::try_from(SHADES.len() - 1).unwrap_or(1);
    let shade = match day.turns {
        0 => 0,
        _ => 1 + day.active_ms.saturating_sub(1).max(0) * shades / most.max(1),
    };
    let shade = usize::try_from(shade.min(shades)).unwrap_or_default();
    let style = if shade == 0 { FAINT } else { HEAT };
    paint(style, SHADES.get(shade).unwrap_or(&" "))
}

pub(crate) fn find_monday(day: Date) -> Date {
    let since = i64::from(day.weekday().to_monday_zero_offset());
    day.checked_sub(since.days()).unwrap_or(day)
}

/// Days with what was done on them, as `docs/cli.md` describes them.
#[derive(Serialize)]
pub struct JsonStats {
    days: usize,
    /// The index is up to date with the histories.
    complete: bool,
    hints: Vec<String>,
    total: JsonDayCounts,
    by_day: Vec<JsonDay>,
}

#[derive(Serialize)]
struct JsonDay {
    date: String,
    #[serde(flatten)]
    counts: JsonDayCounts,
}

#[derive(Serialize)]
struct JsonDayCounts {
    sessions: usize,
    turns: usize,
    projects: usize,
    active_seconds: i64,
}

fn to_json_counts(day: &DayStats) -> JsonDayCounts {
    JsonDayCounts {
        sessions: day.sessions.len(),
        turns: day.turns,
        projects: day.projects.len(),
        active_seconds: day.active_ms / 1000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a calendar of so many days, each with these counts.
    fn calendar(days: i64, stats: &DayStats) -> Calendar {
        let first = Date::constant(2026, 1, 5);
        let days = (0..days).filter_map(|day| first.checked_add(day.days()).ok());
        let counted = days.map(|date| CountedDay {
            day: session_report::CalendarDay {
                date,
                milliseconds: 0..0,
            },
            stats: stats.clone(),
        });
        Calendar::new(counted.collect())
    }

    #[test]
    fn a_map_of_the_last_weeks_says_from_when() {
        let calendar = calendar(21, &DayStats::default());
        let says = |width: usize| calendar.format_map(width).contains("from 2026-01-12 on");
        assert!(says(NAMES_WIDTH + 4) && !says(NAMES_WIDTH + 6));
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let busy = DayStats {
            turns: 1_200,
            active_ms: 215 * 3_600_000 + 50 * 60_000,
            ..DayStats::default()
        };
        let calendar = calendar(200, &busy);
        for width in 40..=100 {
            let text = anstream::adapter::strip_str(&calendar.format(width)).to_string();
            for line in text.lines() {
                assert!(line.width() <= width, "{width}: {line:?}");
            }
        }
    }

    #[test]
    fn nothing_counted_names_the_last_day() {
        let nothing = NothingCounted {
            last_days: Some(91),
            ..NothingCounted::default()
        };
        assert_eq!(
            nothing.format().to_string(),
            "no session in the last 91 days\nhint: try a greater --days"
        );
        let one = NothingCounted {
            last_days: Some(1),
            ..nothing
        };
        assert_eq!(one.format().text, "no session in the last day");
        let reached = NothingCounted {
            last_days: Some(7),
            first_day: jiff::civil::date(2026, 8, 25),
            last_day: Some(jiff::civil::date(2026, 7, 31)),
            ..nothing
        };
        assert_eq!(reached.format().hints, ["try --days 32"]);
        let last = NothingCounted {
            project: Some("app"),
            last_days: None,
            last_day: Some(jiff::civil::date(2026, 8, 1)),
            ..nothing
        };
        assert_eq!(
            last.format().to_string(),
            "no session of project `app` in that period; the last was on August 1, 2026\nhint: try a longer period, or another --project"
        );
        let narrow = NothingCounted {
            is_narrow: true,
            ..nothing
        };
        assert!(narrow.format().hints[0].ends_with("--days, or fewer filters"));
    }
}
