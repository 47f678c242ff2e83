//! The digest of many sessions, a line each.

use crate::calendar::find_monday;
use crate::digest::{Digest, escape_markdown_line, format_days, format_link};
use crate::work::format_more;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan, Zoned};
use session_core::text::escape_markdown;
use session_display::{fit_words, format_duration, pluralize, session_title};
use session_report::{ProjectReport, SessionReport};
use std::collections::{BTreeMap, BTreeSet};

/// Most sessions of which each has several lines: more are too many to read.
const MAX_FULL_SESSIONS: usize = 20;
/// Most columns of a title.
const TITLE_COLUMNS: usize = 70;
/// Most links to pull requests of a session.
const MAX_LINKS: usize = 3;

/// The facts of a session that stand in its line.
#[derive(Clone, Copy)]
struct ShownFacts<'a> {
    /// The branch that is left out: that of most sessions of the project.
    usual_branch: Option<&'a str>,
    /// The agent is named.
    names_agents: bool,
}

impl Digest<'_> {
    /// Returns true if there are so many sessions that a line of each is enough.
    pub fn is_long(&self) -> bool {
        self.count_sessions() > MAX_FULL_SESSIONS
    }

    /// Formats the report as Markdown with a line a session, by project and, of several weeks, by week. Sessions without a
    /// changed file, a commit or a pull request are counted.
    pub fn format_brief(&self) -> String {
        let mut out = self.format_brief_heading();
        let names_agents = self.names_agents();
        for project in self.projects {
            out.push_str(&format!("\n### {}\n", self.format_heading(project)));
            let shown = ShownFacts {
                usual_branch: find_usual_branch(project),
                names_agents,
            };
            let sessions = &project.sessions;
            for week in sessions.chunk_by(|a, b| self.find_week(a) == self.find_week(b)) {
                out.push_str(&self.format_week(week, shown));
            }
        }
        out
    }

    /// Formats what the sessions come to.
    fn format_brief_heading(&self) -> String {
        let sessions = || self.projects.iter().flat_map(|project| &project.sessions);
        let requests = sessions().flat_map(|session| &session.work.pull_requests);
        let requests: BTreeSet<&String> = requests.collect();
        let active_ms = self.projects.iter().map(ProjectReport::active_ms).sum();
        let mut parts = vec![
            pluralize(self.count_sessions(), "session"),
            pluralize(self.count_known_projects(), "project"),
            format_duration(active_ms),
        ];
        if !requests.is_empty() {
            parts.push(pluralize(requests.len(), "pull request"));
        }
        format!("## {}: {}\n", format_days(self.range), parts.join(", "))
    }

    /// Formats the sessions of a week, or of all of a shorter time.
    fn format_week(&self, sessions: &[SessionReport], shown: ShownFacts<'_>) -> String {
        let week = sessions.first().and_then(|session| self.find_week(session));
        let mut out = match week {
            Some(monday) => format!("\n#### {}\n\n", self.format_week_days(monday)),
            None => "\n".to_owned(),
        };
        let (listed, rest): (Vec<_>, Vec<_>) = sessions.iter().partition(|s| has_result(s));
        for session in &listed {
            out.push_str(&self.format_item("- ", &self.format_brief_session(session, shown)));
        }
        if !rest.is_empty() {
            let count = if listed.is_empty() {
                pluralize(rest.len(), "session")
            } else {
                format!("{} more", rest.len())
            };
            let active_ms = rest.iter().map(|session| session.work.active_ms).sum();
            let time = format_duration(active_ms);
            out.push_str(
                &self.format_item("- ", &format!("{count} without a known change, {time}")),
            );
        }
        out
    }

    fn format_brief_session(&self, session: &SessionReport, shown: ShownFacts<'_>) -> String {
        let work = &session.work;
        let begin = self.find_begin(session);
        let when = if self.range.from.date() == self.range.last_day() {
            begin.strftime("%H:%M")
        } else {
            begin.strftime("%a %-d")
        };
        let title = escape_markdown(&fit_words(&session_title(&session.row), TITLE_COLUMNS));
        let mut facts = vec![self.format_id(session, shown.names_agents)];
        let branch = work
            .branch
            .as_deref()
            .filter(|own| Some(*own) != shown.usual_branch);
        facts.extend(branch.map(escape_markdown_line));
        facts.push(format_duration(work.active_ms));
        match work.changed_files().count() {
            0 => {}
            files => facts.push(pluralize(files, "file")),
        }
        let requests = &work.pull_requests;
        facts.extend(requests.iter().take(MAX_LINKS).map(|it| format_link(it)));
        facts.extend(format_more(requests.len(), MAX_LINKS));
        format!("{when} {title} ({})", facts.join(", "))
    }

    /// Returns when a session's work began.
    fn find_begin(&self, session: &SessionReport) -> Zoned {
        let begin = session.work.started_ms.map(Timestamp::from_millisecond);
        match begin {
            Some(Ok(at)) => at.to_zoned(self.range.from.time_zone().clone()),
            _ => self.range.from.clone(),
        }
    }

    /// Returns the Monday of a session's week; `None` if all of the time lies in one week.
    fn find_week(&self, session: &SessionReport) -> Option<Date> {
        let (first, last) = (self.range.from.date(), self.range.last_day());
        let is_long = find_monday(first) != find_monday(last);
        is_long.then(|| find_monday(self.find_begin(session).date()))
    }

    /// Formats the days of a week that lie in the time: `February 9 to 15`.
    fn format_week_days(&self, monday: Date) -> String {
        let sunday = monday.checked_add(6.days()).unwrap_or(monday);
        let (begin, end) = (self.range.from.date(), self.range.last_day());
        let (first, last) = (monday.max(begin), sunday.min(end));
        let year = if begin.year() == end.year() {
            String::new()
        } else {
            last.strftime(", %Y").to_string()
        };
        let from = first.strftime("%B %-d");
        if first == last {
            return format!("{from}{year}");
        }
        let month = if first.month() == last.month() {
            "%-d"
        } else {
            "%B %-d"
        };
        format!("{from} to {}{year}", last.strftime(month))
    }
}

/// Returns true for a session that changed a file, committed, or has a pull request.
fn has_result(session: &SessionReport) -> bool {
    let work = &session.work;
    work.changed_files().next().is_some() || !work.pull_requests.is_empty() || work.has_commit()
}

/// Returns the branch of most sessions of a project.
fn find_usual_branch(project: &ProjectReport) -> Option<&str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let branches = project.sessions.iter();
    for branch in branches.filter_map(|session| session.work.branch.as_deref()) {
        *counts.entry(branch).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(branch, _)| branch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use jiff::tz::TimeZone;
    use session_core::{AccessedFile, CallStatus, FileAccess};
    use session_display::SessionIds;
    use session_report::{CalendarRange, CommandRun, WorkSummary};
    use session_store::SessionRow;

    fn session(title: &str, day: i8, branch: &str, files: &[&str]) -> SessionReport {
        let begin = date(2026, 2, day).at(9, 30, 0, 0);
        let begin = begin.to_zoned(TimeZone::UTC).unwrap();
        let changed = |path: &&str| AccessedFile {
            path: (*path).to_owned(),
            access: FileAccess::Edited,
        };
        SessionReport {
            row: SessionRow {
                uid: format!("{day:02}000000-0000-4000-8000-000000000001"),
                title: Some(title.to_owned()),
                project: Some("/home/ann/pier".to_owned()),
                ..SessionRow::default()
            },
            work: WorkSummary {
                files: files.iter().map(changed).collect(),
                branch: Some(branch.to_owned()),
                started_ms: Some(begin.timestamp().as_millisecond()),
                active_ms: 20 * 60_000,
                ..WorkSummary::default()
            },
            subagents: 0,
        }
    }

    fn commit(status: CallStatus) -> CommandRun {
        CommandRun {
            command: "cd pier && git add . && git commit -m 'Trim the wick'".to_owned(),
            status,
            turn: 0,
        }
    }

    fn format(sessions: Vec<SessionReport>, first: Date, end: Date) -> String {
        let midnight = |day: Date| day.to_zoned(TimeZone::UTC).unwrap();
        let project = ProjectReport {
            name: "pier".to_owned(),
            path: Some("/home/ann/pier".to_owned()),
            sessions,
        };
        let digest = Digest {
            projects: &[project],
            range: &CalendarRange {
                from: midnight(first),
                to: midnight(end),
            },
            ids: SessionIds::default(),
            width: None,
        };
        digest.format_brief()
    }

    #[test]
    fn a_month_has_a_line_a_session_by_week() {
        let mut opened = session("Open the gate", 22, "gate", &[]);
        opened.work.pull_requests = (1..=4)
            .map(|n| format!("https://github.com/ann/pier/pull/{n}"))
            .collect();
        let mut committed = session("Trim the wick", 27, "main", &[]);
        committed.work.commands = vec![commit(CallStatus::Done)];
        let mut refused = session("Snuff the wick", 27, "main", &[]);
        refused.work.commands = vec![commit(CallStatus::Failed)];
        let long =
            "Hang the *lamp* above the gate of the pier where the boats that come at night see it";
        let told = format(
            vec![
                session(long, 1, "main", &["a.c", "b.c"]),
                session("Why is it dark?", 16, "main", &[]),
                opened,
                committed,
                refused,
                session("What is a wick?", 28, "main", &[]),
            ],
            date(2026, 2, 1),
            date(2026, 3, 1),
        );
        insta::assert_snapshot!(told, @r"
        ## February 1 to February 28, 2026: 6 sessions, 1 project, 2 h, 4 pull requests

        ### pier (6 sessions, 2 h)

        #### February 1

        - Sun 1 Hang the \*lamp\* above the gate of the pier where the boats that come… (`01000000`, 20 min, 2 files)

        #### February 16 to 22

        - Sun 22 Open the gate (`22000000`, gate, 20 min, [#1](https://github.com/ann/pier/pull/1), [#2](https://github.com/ann/pier/pull/2), [#3](https://github.com/ann/pier/pull/3), and 1 more)
        - 1 more without a known change, 20 min

        #### February 23 to 28

        - Fri 27 Trim the wick (`27000000`, 20 min)
        - 2 more without a known change, 40 min
        ");
    }

    #[test]
    fn a_day_has_times_and_no_weeks() {
        let told = format(
            vec![session("Light the lamp", 3, "main", &["a.c"])],
            date(2026, 2, 3),
            date(2026, 2, 4),
        );
        insta::assert_snapshot!(told, @r"
        ## February 3, 2026: 1 session, 1 project, 20 min

        ### pier (1 session, 20 min)

        - 09:30 Light the lamp (`03000000`, 20 min, 1 file)
        ");
    }

    #[test]
    fn sessions_of_several_agents_are_told_apart() {
        let mut sessions = vec![
            session("Light the lamp", 3, "main", &["a.c"]),
            session("Light the lamp", 4, "main", &["a.c"]),
        ];
        sessions[1].row.source = "codex".to_owned();
        let told = format(sessions, date(2026, 2, 3), date(2026, 2, 5));
        assert!(
            told.contains("(`04000000`, codex, 20 min, 1 file)"),
            "{told}"
        );
    }
}
